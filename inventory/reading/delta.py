"""What was added to counters between two snapshots, whatever holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from inventory.reading.fields import Unreadable

T = TypeVar("T")


def difference(before: T, after: T, what: str) -> T:
    """A dataclass of counters (numbers, None, mappings of numbers), later less earlier.

    Texts stay as they are and must agree. None on either side stays None. Unreadable where a
    counter went back (it was cleared, it wrapped, or the snapshots are swapped, and nothing says
    which) or where the two do not count the same.
    """
    if not is_dataclass(after) or isinstance(after, type):
        raise TypeError(f"{what}: no dataclass")
    changed = {
        field.name: _less(
            getattr(before, field.name), getattr(after, field.name), f"{what}: {field.name}"
        )
        for field in fields(after)
    }
    return replace(after, **changed)


def _less(before: object, after: object, what: str) -> object:
    if before is None or after is None:
        return None
    if isinstance(before, str) and before == after:
        return after
    if isinstance(before, int) and isinstance(after, int):
        if after < before:
            raise Unreadable(f"{what} went back from {before} to {after}: cleared or swapped")
        return after - before
    if isinstance(before, Mapping) and isinstance(after, Mapping) and set(before) == set(after):
        return {key: _less(before[key], after[key], f"{what} {key}") for key in sorted(after)}
    raise Unreadable(f"{what}: the two snapshots do not count the same")
