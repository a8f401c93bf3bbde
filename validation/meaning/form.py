"""The values of this folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from switch_configs.readback.facts import PermitFacts

Path = Literal["lossless", "forwarding", "control", "management", "none"]
PATHS: tuple[Path, ...] = ("lossless", "forwarding", "control", "management", "none")


@dataclass(frozen=True, slots=True)
class Meaning:
    """One difference of ports, sessions or other things (none: of the switch as a whole).

    `what` is what changed, `effect` what that does to traffic on its `path`.
    """

    subjects: tuple[str, ...]
    what: str
    effect: str
    path: Path


class Said(NamedTuple):
    """The same, of one subject."""

    subject: str
    what: str
    effect: str
    path: Path


class Field(NamedTuple):
    """How a field is called, what its change does, on which path; `quoted` values are shown."""

    title: str
    effect: str
    path: Path
    quoted: bool = True


def fields_said(
    subject: str, old: object, new: object, rows: Mapping[str, Field]
) -> Iterator[Said]:
    """Each field of two facts of one kind that differs."""
    for name, row in rows.items():
        mine, other = getattr(old, name), getattr(new, name)
        if mine != other:
            what = f"{row.title}: {told(mine)} -> {told(other)}" if row.quoted else row.title
            yield Said(subject, what, row.effect, row.path)


def told(value: Any) -> str:
    """A value as people write it."""
    match value:
        case None | "" | ():
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case PermitFacts():
            return f"{value.prefix} of {value.shortest_bits} to {value.longest_bits} bits"
        case tuple():
            return ", ".join(map(told, value))
        case float():
            return f"{value:g}"
    return str(value)
