"""Debian 12 with FRR, ifupdown2, nftables and lldpd, as a switch."""

from __future__ import annotations

from .dialect import LinuxFrr

DIALECT = LinuxFrr()
