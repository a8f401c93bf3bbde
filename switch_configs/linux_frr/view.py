"""All that the templates print, computed here, so that they only loop and print.

FRR does not write out a value that is its default; a line that FRR would leave out is
None here and left out of the file too, or no reload would ever find the file in force.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.plan import BgpSession, SwitchPort, Timers
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent

from .policies import POLICIES, Policy, PrefixList

# FRR 8.4: bfdd/bfd.h (BFD_DEFDETECTMULT, BFD_DEFREQUIREDMINRX, BFD_DEFDESIREDMINTX).
_BFD_MULTIPLIER_DEFAULT = 3
_BFD_INTERVAL_DEFAULT_MS = 300
# Debian builds FRR with --enable-multipath=256, and FRR leaves its largest value out.
_ECMP_WIDTH_MOST = 255

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .,:/()_+-]*")
_DESCRIPTION_MOST = 80


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
class Port:
    """A data port for interfaces(5)."""

    name: str
    mtu_bytes: int
    address: str | None
    description: str


@dataclass(frozen=True, slots=True)
class Bfd:
    """The BFD profile; a value is None where FRR's own default is the one wanted."""

    multiplier: int | None
    interval_ms: int | None


@dataclass(frozen=True, slots=True)
class View:
    """One switch, ready to print."""

    site: str
    device: str
    release: str
    management_port: str
    asn: int
    router_id: str
    loopback: str
    discards: tuple[str, ...]
    networks: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]
    prefix_lists: tuple[PrefixList, ...]
    policies: tuple[Policy, ...]
    timers: Timers
    bfd: Bfd
    ecmp_width: int
    maximum_prefix: int
    ports: tuple[Port, ...]
    lldp_pattern: str


def view(intent: SwitchIntent) -> View:
    """The view of one switch; `DialectError` for what this dialect cannot do."""
    switch = intent.switch
    _refuse(intent)
    prefix_lists, policies = POLICIES[switch.tier](switch)
    return View(
        site=_plain(intent.site, "site"),
        device=_plain(switch.name, "switch name"),
        release=switch.release,
        management_port=_plain(switch.management.port, "management port"),
        asn=switch.asn,
        router_id=str(switch.loopback),
        loopback=f"{switch.loopback}/32",
        discards=tuple(map(str, switch.aggregates)),
        networks=tuple(str(one) for one in sorted(switch.originates)),
        neighbours=tuple(map(_neighbour, sorted(switch.sessions, key=_session_order))),
        prefix_lists=prefix_lists,
        policies=policies,
        timers=switch.timers,
        bfd=_bfd(switch.timers),
        ecmp_width=switch.ecmp_width,
        maximum_prefix=switch.maximum_prefix,
        ports=tuple(map(_port, sorted(switch.ports, key=lambda one: _natural(one.name)))),
        lldp_pattern=",".join(sorted({f"{_natural(one.name)[0]}*" for one in switch.ports})),
    )


def _refuse(intent: SwitchIntent) -> None:
    switch = intent.switch
    wrong_way = {"leaf": "down", "spine": "up"}.get(switch.tier)
    if wrong_way is None or any(one.direction == wrong_way for one in switch.sessions):
        raise DialectError(
            f"{switch.name}: dialect linux_frr has policies for leaves below spines only, "
            f"and this is a {switch.tier} with other sessions",
            "a fabric of three tiers needs policies that nobody has written yet",
        )
    if not 1 <= switch.ecmp_width <= _ECMP_WIDTH_MOST:
        raise DialectError(
            f"{switch.name}: ECMP width {switch.ecmp_width} is not within 1 to {_ECMP_WIDTH_MOST}",
            "Debian's FRR is built for 256 paths; give the switch fewer equal uplinks",
        )


def _plain(text: str, what: str) -> str:
    """Text that no configuration file or template engine on the device can misread."""
    if not _PLAIN.fullmatch(text) or len(text) > _DESCRIPTION_MOST:
        raise DialectError(
            f"{what} {text!r} cannot be printed",
            f"use at most {_DESCRIPTION_MOST} letters, digits, blanks and . , : / ( ) _ + -",
        )
    return text


def _natural(name: str) -> tuple[str, int]:
    """swp2 before swp10."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)


def _session_order(session: BgpSession) -> tuple[bool, int, tuple[str, int]]:
    """FRR lists ports before addresses, addresses by value."""
    address = session.peer_address
    return address is not None, int(address or 0), _natural(session.port)


def _neighbour(session: BgpSession) -> Neighbour:
    key = _plain(session.key, "neighbour")
    return Neighbour(
        key=key,
        head=key if session.peer_address else f"{key} interface",
        asn=session.peer_asn,
        description=_plain(str(session.peer), "neighbour description"),
        policy_in=f"{session.direction}-in",
        policy_out=f"{session.direction}-out",
    )


def _port(port: SwitchPort) -> Port:
    return Port(
        name=_plain(port.name, "port name"),
        mtu_bytes=port.ip_mtu_bytes,
        address=None if port.address is None else str(port.address),
        description=_plain(port.description, f"description of {port.name}"),
    )


def _bfd(timers: Timers) -> Bfd:
    multiplier, interval_ms = timers.bfd_multiplier, timers.bfd_interval_ms
    return Bfd(
        None if multiplier == _BFD_MULTIPLIER_DEFAULT else multiplier,
        None if interval_ms == _BFD_INTERVAL_DEFAULT_MS else interval_ms,
    )
