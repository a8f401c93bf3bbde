"""Readers of what a host's kernel and tools say of it."""
