"""Sorts of machine: their root folders, disks, control groups, and how each is started."""
