"""What ports counted while loads ran: all pairs of snapshots in a run's evidence, summed. Pure.

For reports. It judges nothing, and what cannot be read is left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass

from inventory.plan import Plan
from inventory.reading.delta import difference
from inventory.reading.fields import Unreadable
from switch_configs.answers import port_counters as ports
from validation.evidence.store import EvidenceStore, Frame

from . import host
from .read import carried
from .read import ports as read_ports

# Frames that hold a snapshot: `validation/pairing/coverage.py`,
# `validation/stages/s60_congestion/phases.py`.
_UPLINKS = "probe uplinks "
_SNAPSHOTS = (_UPLINKS, "probe counters ")


@dataclass(frozen=True, slots=True, order=True)
class Added:
    """What was added to one counter of a port, over `snapshots` pairs."""

    place: str
    counter: str
    value: int


@dataclass(frozen=True, slots=True)
class AllAdded:
    """Counters that moved, by port; pairs of snapshots that were read, and that could not be."""

    rows: tuple[Added, ...] = ()
    read: int = 0
    unread: int = 0


def added(plan: Plan, store: EvidenceStore) -> AllAdded:
    """Everything that moved between the snapshots of a run."""
    sums: dict[tuple[str, str], int] = {}
    read = unread = 0
    for before, after in _pairs(store):
        try:
            found = dict(_differences(plan, before, after)) if after else {}
        except Unreadable:
            unread += 1
            continue
        read += after is not None
        unread += after is None
        for key, value in found.items():
            sums[key] = sums.get(key, 0) + value
    rows = (Added(place, name, value) for (place, name), value in sorted(sums.items()) if value)
    return AllAdded(tuple(rows), read, unread)


def _pairs(store: EvidenceStore) -> Iterator[tuple[Frame, Frame | None]]:
    """Each first snapshot with its second one; None where either is not whole."""
    for frame in store:
        words = frame.command.split()
        if frame.command.startswith(_SNAPSHOTS) and "before" in words:
            at = words.index("before")
            other = " ".join([*words[:at], "after", *words[at + 1 :]])
            after = store.get(frame.device, other)
            whole = after is not None and not after.damage and not frame.damage
            yield frame, after if whole else None


def _differences(plan: Plan, before: Frame, after: Frame) -> Iterator[tuple[tuple[str, str], int]]:
    device = before.device
    texts = [frame.payload.decode("utf-8", "replace") for frame in (before, after)]
    if before.command.startswith(_UPLINKS):
        was, now = (carried(plan.switch[device].dialect, text).ports for text in texts)
        for port in sorted({*was} & {*now}):
            one, other = (ports.PortCounters(port, *of[port]) for of in (was, now))
            yield from _flat(f"{device}:{port}", difference(one, other, port))
    elif device in plan.switch:
        old, new = (read_ports(plan.switch[device].dialect, text) for text in texts)
        for port in sorted({*old} & {*new}):
            yield from _flat(f"{device}:{port}", ports.delta(old, new, port))
    elif device in plan.node:
        first, last = (host.read(plan.node[device], text) for text in texts)
        for port in sorted({*first} & {*last}):
            yield from _flat(f"{device}:{port}", host.delta(first, last, port))


def _flat(place: str, value: object, name: str = "") -> Iterator[tuple[tuple[str, str], int]]:
    """Each number of a reading under its name; what was not told is not there."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        yield (place, name), value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _flat(place, one, f"{name} {key}".strip())
    elif is_dataclass(value):
        for one in fields(value):
            yield from _flat(place, getattr(value, one.name), f"{name} {one.name}".strip())
