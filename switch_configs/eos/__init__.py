"""Arista EOS: one running configuration, printed and read back."""

from .dialect import Eos

DIALECT = Eos()
__all__ = ["DIALECT"]
