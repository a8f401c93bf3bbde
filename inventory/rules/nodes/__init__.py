"""Rules for nodes: what a profile says must exist, fit together and be known to work together."""
