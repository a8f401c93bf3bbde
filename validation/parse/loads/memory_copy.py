"""What `on_node/memory_copy.py` printed: how fast each NUMA node copied memory."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence
from inventory.reading.numbers import Real, Whole, count

_FORM = Whole("its form", "1", 0, 1000)
_NUMA = Whole("NUMA node", "1", 0, 1023)
_CPUS = Whole("CPUs", "1", 1, 1 << 16)
_BYTES = count("bytes copied", "B")
_SECONDS = Real("time", "s", 0, 1e7)
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
    if _FORM.of(whole, "memory_copy", "memory_copy") != 1:
        raise Unreadable("memory_copy is of another form")
    asked = _SECONDS.of(whole, "asked_s", "memory_copy")
    found = [
        _node(mapping(one, "a NUMA node"), asked)
        for one in sequence(needed(whole, "nodes", "memory_copy"), "memory_copy's nodes")
    ]
    numbers = [one.numa for one in found]
    if not found or numbers != sorted(set(numbers)):
        raise Unreadable("memory_copy does not tell each NUMA node once")
    return tuple(found)


def _node(said: dict[str, object], asked: float) -> Copied:
    numa = _NUMA.of(said, "numa", "a NUMA node")
    seconds = _SECONDS.of(said, "seconds", "a NUMA node")
    if needed(said, "right", "a NUMA node") is not True:
        raise Unreadable(f"what NUMA node {numa} copied is not what it read")
    if seconds < asked * _RAN_FOR or seconds <= 0:
        raise Unreadable(f"NUMA node {numa} copied for {seconds:g} s, not as long as asked")
    size = _BYTES.of(said, "bytes", "a NUMA node")
    return Copied(numa, _CPUS.of(said, "cpus", "a NUMA node"), size / seconds / 1e9)
