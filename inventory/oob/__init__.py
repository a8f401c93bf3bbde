"""The out-of-band plane: zones, leases, switches, boundary and the flows that may pass."""
