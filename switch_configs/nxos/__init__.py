"""Cisco NX-OS on Nexus 9000 switches."""

from __future__ import annotations

from .dialect import Nxos

DIALECT = Nxos()
