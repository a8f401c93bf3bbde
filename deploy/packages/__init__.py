"""Locked packages: from mirrors into a signed repository on the OOB server."""
