"""Answers of Linux's own tools: iproute2, lldpd, ethtool."""
