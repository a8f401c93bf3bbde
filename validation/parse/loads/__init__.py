"""Readers of what load generators print: bandwidth, latency, collectives, disks, memory."""
