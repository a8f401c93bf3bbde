"""The rules, one file a family; a class with an `id` is a rule, and no list names it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from validation.audit.rule import Rule


@cache
def rules() -> tuple[Rule, ...]:
    """One of each, by id."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    found = (kind() for kind in _below(Rule) if "id" in vars(kind))
    return tuple(sorted(found, key=lambda rule: rule.id))


def _below(kind: type[Rule]) -> Iterator[type[Rule]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
