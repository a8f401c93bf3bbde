"""Readings of all files of a server, folded into its facts: what runs wins over what is written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from validation.parse.host.policy import MAIN

from .facts import Dispute, HostFacts, NicFacts, RuleFacts, UnreadLine, key_of
from .reading import OPTION, UNREAD, Reading

# What a NIC's facts are called; what is said of them otherwise is put together here.
_FACTS = frozenset(one.name for one in fields(NicFacts)) - {"options"}
_SHOWN = 160
# Netplan's folders are read as one.
_NETPLAN = re.compile(r"/(?:run|lib|usr/lib)/netplan$")
_ENDS = ("roce_np", "roce_rp")
# Firmware may answer marks of all priorities, and a driver of one: both are as they should be.
_NOT_COMPARED = frozenset({"ecn_priorities", "bond"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A reading and its file."""

    path: str
    reading: Reading

    @property
    def place(self) -> str:
        """`file:line`."""
        return f"{self.path}:{self.reading.line}"


def fold(found: Iterable[Placed], unread: Iterable[tuple[str, str]] = ()) -> HostFacts:
    """The facts of one server; `unread` are files that could not be read, and why."""
    by_key: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    every = tuple(found)
    ports = _ports(every)
    for one in every:
        nic = ports.get(one.reading.nic, one.reading.nic).lstrip("@#")
        by_key[nic, one.reading.what].append(one)
    places: dict[str, str] = {}
    disputes: list[Dispute] = []
    nics: dict[str, dict[str, Any]] = defaultdict(dict)
    host: dict[str, list[Placed]] = {}
    options: dict[str, dict[str, str]] = defaultdict(dict)
    for (nic, what), said in sorted(by_key.items()):
        if what.startswith(OPTION):
            name = what.removeprefix(OPTION)
            options[nic][name] = _option(said)
            places[f"{nic}.{name}" if nic else name] = _best(said).place
            continue
        if not nic:
            host[what] = said
            continue
        values = nics[nic]
        if what in _FACTS:
            best = _best(said)
            values[what] = _value(what, said, best)
            places[f"{nic}.{what}"] = best.place
            if len(said) > 1:
                disputes += _disputes(f"{nic}.{what}", what, said)
        elif what.startswith(_ENDS):
            end, _, priority = what.partition(":")
            values.setdefault("_ends", {})[end, priority] = bool(_best(said).reading.value)
            places.setdefault(f"{nic}.ecn_priorities", _best(said).place)
    for (nic, what), said in sorted(by_key.items()):
        if nic and what in ("rule", "route"):
            host.setdefault(what, []).extend(said)
    for alias, port in ports.items():
        if alias.startswith("@"):
            nics[port].setdefault("device", alias.removeprefix("@"))
    of_host = options.pop("", {})
    for nic, said_of in options.items():
        nics[nic]["options"] = tuple(sorted(said_of.items()))
    facts = _facts(host, nics, places, disputes, unread)
    return replace(facts, unread_lines=tuple(_unread(host)), options=of_host)


def _unread(host: Mapping[str, list[Placed]]) -> Iterator[UnreadLine]:
    for what, said in host.items():
        if what.startswith(UNREAD):
            for one in said:
                yield UnreadLine(what.removeprefix(UNREAD), str(one.reading.value), one.place)


def _ports(every: Iterable[Placed]) -> Mapping[str, str]:
    """Ports by `@DEVICE` and `#PCI`, where something names both; a device by itself is its port."""
    found = {
        f"{mark}{one.reading.value}": one.reading.nic
        for mark, what in (("@", "device"), ("#", "pci"))
        for one in every
        if one.reading.what == what
    }
    for one in every:
        if one.reading.nic.startswith("@"):
            found.setdefault(one.reading.nic, one.reading.nic.removeprefix("@"))
    return found


def _best(said: list[Placed]) -> Placed:
    """What runs; else the last that is written, in the order of the files' names."""
    if len(said) == 1:
        return said[0]
    return max(enumerate(said), key=lambda one: (one[1].reading.runs, one[0]))[1]


def _option(said: list[Placed]) -> str:
    """The best of it; what is listed in several files is put together."""
    best = _best(said).reading.value
    if not isinstance(best, tuple):
        return str(best)
    every = {one for some in said for one in _tuple(some.reading.value)}
    return ", ".join(sorted(every))


def _tuple(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _value(what: str, said: list[Placed], best: Placed) -> Any:
    if what != "addresses":
        return best.reading.value
    alike = [one.reading.value for one in said if one.reading.runs == best.reading.runs]
    return tuple(sorted({address for some in alike for address in some}))  # type: ignore[attr-defined]


def _disputes(key: str, what: str, said: list[Placed]) -> Iterable[Dispute]:
    running = [one for one in said if one.reading.runs]
    written = [one for one in said if not one.reading.runs]
    if what in _NOT_COMPARED:
        return
    if running and written:
        runs, writes = running[-1].reading.value, written[-1].reading.value
        if not agree(what, writes, runs):
            yield Dispute(key, _told(writes), written[-1].place, f"{_told(runs)} runs")
    yield from _two_tools(key, written, lambda some: some[-1].reading.value)


def _two_tools(
    key: str, written: list[Placed], value: Callable[[list[Placed]], object]
) -> Iterable[Dispute]:
    """Where files of two folders, so of two tools, set one thing in two ways.

    Within a folder a later file is meant to win.
    """
    by_folder: dict[str, list[Placed]] = defaultdict(list)
    for one in written:
        by_folder[_NETPLAN.sub("/etc/netplan", one.path.rpartition("/")[0])].append(one)
    (first, *others) = by_folder.values() or [[]]
    for other in others:
        if value(first) != value(other):
            there = f"{_told(value(other))} in {other[-1].place}"
            yield Dispute(key, _told(value(first)), first[-1].place, there)


def agree(what: str, written: Any, running: Any) -> bool:
    """Whether what is written, or planned, is in force: it may say less than what runs."""
    if what in ("addresses", "priority_of"):
        return set(written) <= set(running)
    if what in ("tos", "traffic_class"):
        return bool(written >> 2 == running >> 2)
    return bool(written == running)


def _told(value: object) -> str:
    shown = ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
    return shown if len(shown) < _SHOWN else f"{shown[:_SHOWN]} ..."


def _facts(
    host: Mapping[str, list[Placed]],
    nics: Mapping[str, dict[str, Any]],
    places: dict[str, str],
    disputes: list[Dispute],
    unread: Iterable[tuple[str, str]],
) -> HostFacts:
    settings: dict[str, str] = {}
    sysctls: dict[str, str] = {}
    for what, said in host.items():
        kind, _, name = what.partition(":")
        if kind == "setting":
            settings[name] = _setting(name, said, places, disputes)
        elif kind == "sysctl":
            best = _best(sorted(said, key=lambda one: one.path.rpartition("/")[2]))
            sysctls[name], places[name] = str(best.reading.value), best.place
            disputes += _disputes(name, what, said)
    devices = [one.reading.value for one in host.get("devices", ())]
    listed = {name for some in devices for name in some}  # type: ignore[attr-defined]
    has_files = any("addresses" in one for one in nics.values())
    return HostFacts(
        nics=tuple(_nic(name, values) for name, values in sorted(nics.items())),
        settings=settings,
        sysctls=sysctls,
        rules=_many("rule", host, places, disputes, has_files),
        routes=_many("route", host, places, disputes, has_files),
        devices=tuple(sorted(listed)) if devices else None,
        places=places,
        disputes=tuple(disputes),
        unread=tuple(unread),
    )


def _setting(name: str, said: list[Placed], places: dict[str, str], disputes: list[Dispute]) -> str:
    """The environment's wins over what nccl.conf and ucx.conf set for everybody."""
    by_rank = sorted(said, key=lambda one: not one.path.endswith(("nccl.conf", "ucx.conf")))
    best = by_rank[-1]
    places[name] = best.place
    for one in by_rank[:-1]:
        if one.reading.value != best.reading.value:
            at = f"{best.reading.value} in {best.place}"
            disputes.append(Dispute(name, str(one.reading.value), one.place, at))
    return str(best.reading.value)


def _many(
    what: str,
    host: Mapping[str, list[Placed]],
    places: dict[str, str],
    disputes: list[Dispute],
    has_files: bool,
) -> tuple[Any, ...] | None:
    """Rules or routes: those that run where any output lists them, else those that are written."""
    said = host.get(what, [])
    plural = f"{what}s"
    lists = host.get(plural, [])
    running = {_bare(one.reading.value) for one in said if one.reading.runs}
    written = [one for one in said if not one.reading.runs]
    # `ip route` without `table all` shows the main one alone.
    has_tables = what == "rule" or any(getattr(one, "table", MAIN) != MAIN for one in running)
    disputes += (
        Dispute(plural, str(_bare(one.reading.value)), one.place, "nothing of it runs")
        for one in written
        if lists and has_tables and _bare(one.reading.value) not in running
    )
    kept = [one for one in said if one.reading.runs == bool(lists)]
    if kept or lists:
        places[plural] = (kept or lists)[0].place
    by_port: dict[str, list[Placed]] = defaultdict(list)
    for one in written:
        by_port[one.reading.nic or getattr(one.reading.value, "port", "")].append(one)
    by_port.pop("", None)
    for owner, some in by_port.items():
        disputes += _two_tools(f"{plural} of {owner}", some, _set)
    for one in kept:
        places.setdefault(key_of(one.reading.value), one.place)
    values: set[Any] = {one.reading.value for one in kept}
    is_known = bool(lists) or bool(kept) or has_files
    return tuple(sorted(values, key=str)) if is_known else None


def _set(some: list[Placed]) -> object:
    """Rules with their priorities, where each has one, and routes."""
    values = [one.reading.value for one in some]
    has_all = all(getattr(one, "priority", 0) is not None for one in values)
    found = {(str(_bare(one)), getattr(one, "priority", 0) if has_all else 0) for one in values}
    return tuple(sorted(found))


def _bare(value: object) -> object:
    """A rule in few words, without its priority and the 32 bits of an address."""
    if isinstance(value, RuleFacts):
        return f"from {value.source.removesuffix('/32')} table {value.table}"
    return value


def _nic(name: str, values: dict[str, Any]) -> NicFacts:
    ends: dict[tuple[str, str], bool] = values.pop("_ends", {})
    on = {priority for (_, priority), is_on in ends.items() if is_on}
    answered = tuple(
        sorted(
            int(priority)
            for priority in on
            if all(ends.get((end, priority), True) for end in _ENDS)
        )
    )
    if ends:
        values["ecn_priorities"] = answered
    return NicFacts(name, **values)
