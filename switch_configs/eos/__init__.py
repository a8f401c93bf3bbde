"""Arista EOS: one running configuration, printed and read back."""

from __future__ import annotations

from .dialect import Eos

DIALECT = Eos()
