"""Stage 42: no cable loses small packets."""
