"""What switch systems answer to `show`, in one form: the contract, and what all readers share."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from inventory.switches import systems

from .contract import Answers

__all__ = ["Answers", "answers"]

# What is known of a device that no system's package speaks for: it has Linux's own tools.
_LINUX = Answers()


@cache
def answers(dialect: str) -> Answers:
    """How a dialect is asked; "" is a server. One without readers has those of Linux's tools."""
    package = systems.packages()[dialect] if dialect in systems.folders() else None
    if package is None or find_spec(f"{package}.answers") is None:
        return _LINUX
    return cast("Answers", import_module(f"{package}.answers").ANSWERS)
