"""Arista EOS: one running configuration, printed and read back."""

from __future__ import annotations

from switch_configs.intent import Dialect

from .dialect import Eos

DIALECT: Dialect = Eos()
