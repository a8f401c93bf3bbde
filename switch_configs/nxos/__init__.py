"""Cisco NX-OS on Nexus 9000 switches."""

from __future__ import annotations

from switch_configs.intent import Dialect

from .dialect import Nxos

DIALECT: Dialect = Nxos()
