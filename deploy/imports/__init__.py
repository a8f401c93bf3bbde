"""From manifests, spreadsheets, a NetBox or nothing to the files of a site."""
