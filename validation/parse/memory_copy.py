"""What `on_node/memory_copy.py` printed: how fast each NUMA node copied memory."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import Unreadable, document, mapping, needed, number_of, sequence

_RAN_FOR = 0.9  # of the time asked


@dataclass(frozen=True, slots=True)
class Copied:
    """One NUMA node, all its CPUs together, in 10^9 bytes/s read and written."""

    numa: int
    cpus: int
    gbytes_per_s: float


def copied(text: str) -> tuple[Copied, ...]:
    """Every NUMA node. Raises Unreadable for a wrong copy, or one that was not measured long."""
    whole = mapping(document(text, "memory_copy"), "memory_copy")
    if number_of(whole, "memory_copy", "memory_copy") != 1:
        raise Unreadable("memory_copy is of another form")
    asked = _number(whole, "asked_s")
    found = [
        _node(mapping(one, "a NUMA node"), asked)
        for one in sequence(needed(whole, "nodes", "memory_copy"), "memory_copy's nodes")
    ]
    numbers = [one.numa for one in found]
    if not found or numbers != sorted(set(numbers)):
        raise Unreadable("memory_copy does not tell each NUMA node once")
    return tuple(found)


def _node(said: dict[str, object], asked: float) -> Copied:
    numa = number_of(said, "numa", "a NUMA node")
    seconds = _number(said, "seconds")
    if needed(said, "right", "a NUMA node") is not True:
        raise Unreadable(f"what NUMA node {numa} copied is not what it read")
    if seconds < asked * _RAN_FOR or seconds <= 0:
        raise Unreadable(f"NUMA node {numa} copied for {seconds:g} s, not as long as asked")
    size = number_of(said, "bytes", "a NUMA node")
    return Copied(numa, number_of(said, "cpus", "a NUMA node"), size / seconds / 1e9)


def _number(said: dict[str, object], key: str) -> float:
    value = needed(said, key, "memory_copy")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable(f"memory_copy: {key!r} is not a number")
    return float(value)
