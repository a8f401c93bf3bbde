"""Which software nodes run: operating systems, kernels, the version lock, what goes together."""
