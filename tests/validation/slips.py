"""Slips put into what renderers share: into every module that has it, and out again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from inventory.plan import Plan
from switch_configs import DialectError, dialect, dialects, intent, render
from validation.proof.configuration import proof

# A renderer that is first imported with a slip in place would keep it.
for _each in dialects():
    dialect(_each)


@pytest.fixture(autouse=True)
def no_memory() -> Iterator[None]:
    """Renderers keep what they worked out: a slip must be in it, and not outlive its test."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("switch_configs."):
            for held in vars(module).values():
                if hasattr(held, "cache_clear"):
                    held.cache_clear()


def everywhere(monkeypatch: pytest.MonkeyPatch, real: object, wrong: object) -> None:
    """A function replaced in every module that has it, under whatever name."""
    for module in [one for name, one in sys.modules.items() if name.startswith("switch_configs")]:
        for name, held in list(vars(module).items()):
            if held is real:
                monkeypatch.setattr(module, name, wrong)


def refused(plan: Plan, name: str) -> bool:
    """Whether a switch cannot be rendered, or its text is not proved."""
    try:
        made: Any = render(plan, name)
    except DialectError:
        return True
    return bool(proof(intent(plan, name), made, None).wrong)
