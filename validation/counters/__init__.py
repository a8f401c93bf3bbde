"""Counters of hosts and switch ports: snapshots, what was counted between two, and rules."""
