"""The record of runs: what, where, before, after, verdict. Crash-safe, in SQLite."""
