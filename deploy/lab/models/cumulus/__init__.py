"""Cumulus Linux as a machine of the lab; imports nothing of ours, and runs there by itself."""
