"""All that the templates print, computed here, so that they only loop and print.

FRR does not write out a value that is its default; a line that FRR would leave out is
None here and left out of the file too, or no reload would ever find the file in force.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inventory.plan import BgpSession, RawStanza, RoutingTable, Switch, Timers
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.policies import policy_name

from .options import Names, Printing
from .policies import Filters, filters

# FRR: bfdd/bfd.h (BFD_DEFDETECTMULT, BFD_DEFREQUIREDMINRX, BFD_DEFDESIREDMINTX).
_BFD_MULTIPLIER_DEFAULT = 3
_BFD_INTERVAL_DEFAULT_MS = 300

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .,:/()_+-]*")
_LONGEST = 255


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A BGP neighbour; `head` is all that comes before its ASN."""

    key: str
    head: str
    asn: int
    description: str
    policy_in: str
    policy_out: str


@dataclass(frozen=True, slots=True)
class Instance:
    """A BGP instance: a routing table with its neighbours; `head` ends `router bgp`."""

    head: str
    networks: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class Bfd:
    """The BFD profile; a value is None where FRR's own default is the one wanted."""

    multiplier: int | None
    interval_ms: int | None


@dataclass(frozen=True, slots=True)
class Raw:
    """Lines that the site adds to a section, and why."""

    reason: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """One frr.conf, ready to print; `raw` is by section."""

    site: str
    device: str
    printing: Printing
    drained: bool
    router_id: str
    discards: tuple[str, ...]
    instances: tuple[Instance, ...]
    filters: Filters
    timers: Timers
    bfd: Bfd
    ecmp_width: int | None
    maximum_prefix: int
    raw: Mapping[str, tuple[Raw, ...]]


def view(intent: SwitchIntent, printing: Printing, raw: Iterable[RawStanza]) -> View:
    """The view of one switch; `DialectError` for what FRR cannot do or could misread."""
    switch = intent.switch
    _refuse(switch, printing)
    return View(
        site=_plain(switch, intent.site, "site"),
        device=_plain(switch, switch.name, "switch name"),
        printing=printing,
        drained=intent.drained,
        router_id=str(switch.loopback),
        discards=tuple(str(one) for one in sorted(switch.aggregates)),
        instances=tuple(_instance(switch, table, printing.names) for table in switch.tables),
        filters=filters(switch, printing.names.map_suffix, printing.first_entry),
        timers=switch.timers,
        bfd=_bfd(switch.timers),
        ecmp_width=None if switch.ecmp_width == printing.paths_built else switch.ecmp_width,
        maximum_prefix=switch.maximum_prefix,
        raw=_raw(raw),
    )


def _refuse(switch: Switch, printing: Printing) -> None:
    if not 1 <= switch.ecmp_width <= printing.paths_built:
        raise DialectError(
            f"{switch.name}: ECMP width {switch.ecmp_width} is not within "
            f"1 to {printing.paths_built}",
            f"this FRR is built for {printing.paths_built} paths; "
            "give the switch fewer equal uplinks",
        )
    for table in switch.tables[1:]:
        if table.aggregates:
            raise DialectError(
                f"{switch.name}: aggregates in table {table.vrf} have no discard routes in FRR here"
            )


def _plain(switch: Switch, text: str, what: str) -> str:
    """Text that no configuration file or template engine on the device can misread."""
    if not _PLAIN.fullmatch(text) or len(text) > _LONGEST:
        raise DialectError(
            f"{switch.name}: {what} {text!r} cannot be printed",
            f"use at most {_LONGEST} letters, digits, blanks and . , : / ( ) _ + -",
        )
    return text


def _raw(stanzas: Iterable[RawStanza]) -> dict[str, tuple[Raw, ...]]:
    out: dict[str, tuple[Raw, ...]] = {}
    for stanza in stanzas:
        out[stanza.section] = (*out.get(stanza.section, ()), Raw(stanza.reason, stanza.lines))
    return out


def natural(name: str) -> tuple[tuple[str, int], ...]:
    """swp2 before swp10, swp1.300 after swp1."""
    parts = re.findall(r"(\D*)(\d*)", name)
    return tuple((stem, int(number or 0)) for stem, number in parts if stem or number)


def _session_order(session: BgpSession) -> tuple[bool, int, tuple[tuple[str, int], ...]]:
    """FRR lists ports before addresses, addresses by value."""
    address = session.peer_address
    return address is not None, int(address or 0), natural(session.key)


def _instance(switch: Switch, table: RoutingTable, names: Names) -> Instance:
    sessions = [session for session in switch.sessions if session.vrf == table.vrf]
    vrf = f" vrf {_plain(switch, names.vrf(table.vrf), 'table')}" if table.vrf else ""
    return Instance(
        head=f"{switch.asn}{vrf}",
        networks=tuple(str(one) for one in sorted(table.originates)),
        neighbours=tuple(
            _neighbour(switch, session, names) for session in sorted(sessions, key=_session_order)
        ),
    )


def _neighbour(switch: Switch, session: BgpSession, names: Names) -> Neighbour:
    numbered = session.peer_address is not None
    key = _plain(switch, session.key if numbered else names.port(session.key), "neighbour")
    maps = [
        policy_name(session.vrf, session.direction, is_in=is_in) + names.map_suffix
        for is_in in (True, False)
    ]
    return Neighbour(
        key=key,
        head=key if numbered else f"{key} interface",
        asn=session.peer_asn,
        description=_plain(switch, str(session.peer), "neighbour description"),
        policy_in=maps[0],
        policy_out=maps[1],
    )


def _bfd(timers: Timers) -> Bfd:
    multiplier, interval_ms = timers.bfd_multiplier, timers.bfd_interval_ms
    return Bfd(
        None if multiplier == _BFD_MULTIPLIER_DEFAULT else multiplier,
        None if interval_ms == _BFD_INTERVAL_DEFAULT_MS else interval_ms,
    )
