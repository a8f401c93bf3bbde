"""Runs what fills links, nodes and disks, and ends all of it."""
