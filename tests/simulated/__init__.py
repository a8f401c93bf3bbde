"""Whole fabrics that exist only as numbers: paths, hashing, counters, shared rates, noise."""
