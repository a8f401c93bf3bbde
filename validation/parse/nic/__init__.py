"""Readers of what tools say of NICs, RDMA devices and pluggable modules."""
