"""Routes of a fabric, simulated over facts: sessions, paths, failures, buffer cycles. Pure."""
