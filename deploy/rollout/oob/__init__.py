"""Switches of the OOB plane: what is reached through one that changes, before it is confirmed."""
