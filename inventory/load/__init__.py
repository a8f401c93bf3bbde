"""The files of a site to one typed Fabric: every problem of every file at once, with its place."""
