"""The sorts of machine, by name."""

from __future__ import annotations

from deploy.errors import RailbedError
from inventory.problems import close_to

from .machine import Kind
from .netns import Netns
from .nspawn import Nspawn

KINDS: dict[str, Kind] = {"netns": Netns(), "nspawn": Nspawn()}


def kind_of(name: str) -> Kind:
    """The kind with this name; RailbedError names those there are."""
    if name not in KINDS:
        hint = close_to(name, KINDS) or f"kinds: {', '.join(sorted(KINDS))}"
        raise RailbedError(f"no machine kind '{name}'", hint=hint)
    return KINDS[name]
