"""Counts, names, positions, cables and routes of a site's fabrics. Pure arithmetic of position."""
