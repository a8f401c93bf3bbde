"""Storage: what the mounts of the storage plane give to one node, to some, and to all at once."""
