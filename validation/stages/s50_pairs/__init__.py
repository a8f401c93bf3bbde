"""Stage 50: every NIC gets its share of the planned rate."""
