"""From what a switch printed to `Carried` and `PortCounters`, by dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..parse.fields import Unreadable
from ..parse.sections import Section, needed, sections
from . import cumulus, eos, linux, nxos, sonic
from .carried import Carried, settled
from .ports import Ports

Sections = Mapping[str, Section]


@dataclass(frozen=True, slots=True)
class _Reader:
    """The readers of the two texts of `ask.py`."""

    carried: Callable[[Sections], Carried]
    ports: Callable[[Sections], Ports]


_READERS = {
    "cumulus": _Reader(cumulus.carried, cumulus.ports),
    "eos": _Reader(eos.carried, eos.ports),
    "linux_frr": _Reader(linux.carried, linux.ports),
    "nxos": _Reader(nxos.carried, nxos.ports),
    "sonic": _Reader(sonic.carried, sonic.ports),
}
_POLLED = frozenset({"cumulus", "sonic"})


def is_read(dialect: str) -> bool:
    """Whether anything here reads the counters of a dialect's ports."""
    return dialect in _READERS


def carried(dialect: str, text: str) -> Carried:
    """The bytes of every port that is told, and is fresh. Raises Unreadable."""
    return _reader(dialect).carried(sections(text))


def ports(dialect: str, text: str, last: bool = False) -> Ports:
    """The counters of every port that is told. Raises Unreadable.

    `last` as in `ask.port_counters`: polled counters that were not waited for are unreadable,
    because a loss that is not yet in them would be no loss.
    """
    found = sections(text)
    if last and dialect in _POLLED:
        settled(needed(found, "refresh"))
    return _reader(dialect).ports(found)


def _reader(dialect: str) -> _Reader:
    if dialect not in _READERS:
        raise Unreadable(f"nothing here reads the port counters of dialect {dialect}")
    return _READERS[dialect]
