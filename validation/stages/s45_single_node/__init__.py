"""Single nodes: GPUs, memory, disk and NICs of one node by itself, before others depend on it."""
