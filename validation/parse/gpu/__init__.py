"""Readers of what tools say of GPUs, their driver, storage path and containers."""
