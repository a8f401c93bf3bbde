"""Debian 12 with FRR, ifupdown2, nftables and lldpd, as a switch."""

from __future__ import annotations

from switch_configs.intent import Dialect

from .dialect import LinuxFrr

DIALECT: Dialect = LinuxFrr()
