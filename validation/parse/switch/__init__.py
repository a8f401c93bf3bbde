"""Readers of what switches answer to show: routes, neighbours, ports, modules."""
