"""What the entries of one route map do together (FRR manual, "Route Maps").

Entries are tried in order and the first that matches decides; what none matches is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from switch_configs.readback.facts import PermitFacts, PolicyFacts

from .reading import FrrReading

_ALL = PermitFacts("0.0.0.0/0", 0, 32)
_DRAINED = ["65535:0"]


@dataclass
class Entry:
    """An entry: what it matches and what it sets.

    `permits` and `marks` are what stands in its `lists` and in its lists of `communities`.
    """

    action: str
    lists: list[str] = field(default_factory=list)
    communities: list[str] = field(default_factory=list)
    adds: list[str] = field(default_factory=list)
    replaces: bool = False
    preference: int | None = None
    permits: list[PermitFacts] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)

    @property
    def prefixes(self) -> tuple[PermitFacts, ...]:
        """What it matches by prefix, sorted."""
        return tuple(sorted(self.permits)) if self.lists else (_ALL,)

    @property
    def added(self) -> tuple[str, ...]:
        """The communities it adds, sorted."""
        return tuple(sorted(self.adds))


@dataclass
class _Map:
    """A route map while its entries are taken one by one."""

    name: str
    refuses: list[str] = field(default_factory=list)
    plain: list[Entry] = field(default_factory=list)
    drained: list[Entry] = field(default_factory=list)
    drained_too_late: bool = False
    ended: bool = False


def joined(name: str, entries: Sequence[Entry], found: FrrReading) -> PolicyFacts:
    """The policy of a route map, its entries in order; what is odd goes to `found`."""
    one = _Map(name)
    for entry in entries:
        if one.ended:
            found.hazard(f"policy {name} has entries after one that takes all that is left")
        if entry.action == "deny":
            _deny(one, entry, found)
        else:
            _permit(one, entry, found)
    permits = {rule for entry in one.plain for rule in entry.prefixes}
    adds = {entry.added for entry in one.plain}
    if len(adds) > 1:
        found.unread.append(f"route-map {name} adds other communities to other routes")
    return PolicyFacts(
        name=name,
        permits=tuple(sorted(permits)),
        adds=min(adds, default=()),
        refuses=tuple(sorted(one.refuses)),
        drained_last=_drained_last(one, found),
    )


def _deny(one: _Map, entry: Entry, found: FrrReading) -> None:
    """Refusals of communities come first, or what they refuse has passed already."""
    sets = bool(entry.adds) or entry.preference is not None
    if entry.communities and not entry.lists and not sets and not (one.plain or one.drained):
        one.refuses += entry.marks
    elif not entry.communities and not entry.lists and not sets:
        one.ended = True
    else:
        found.unread.append(f"route-map {one.name} denies more than communities at its head")


def _permit(one: _Map, entry: Entry, found: FrrReading) -> None:
    if entry.replaces:
        found.hazard(f"policy {one.name} takes the communities off what it lets pass")
    if entry.communities and entry.marks == _DRAINED:
        one.drained.append(entry)
        one.drained_too_late |= bool(one.plain)
    elif entry.communities:
        found.unread.append(f"route-map {one.name} lets routes pass by their communities")
    else:
        if entry.preference is not None:
            found.unread.append(f"route-map {one.name}: set local-preference {entry.preference}")
        one.plain.append(entry)
        one.ended = not entry.lists


def _drained_last(one: _Map, found: FrrReading) -> bool:
    """Whether every route that is marked so, and only such, gets the lowest preference."""
    if not one.drained:
        return False
    lowest = all(entry.preference == 0 for entry in one.drained)
    marked = {rule for entry in one.drained for rule in entry.prefixes}
    all_of_them = marked == {rule for entry in one.plain for rule in entry.prefixes}
    alike = {entry.added for entry in one.drained} == {entry.added for entry in one.plain}
    if lowest and all_of_them and alike and not one.drained_too_late:
        return True
    found.hazard(f"policy {one.name} does not use all routes last that ask for it (RFC 8326)")
    return False
