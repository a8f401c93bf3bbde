"""Audit: what is wrong with switch configurations that nobody planned with us. Pure."""
