"""What `railbed audit PATH` takes: files, folders, archives, bundles, standard input."""
