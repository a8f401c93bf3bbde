"""All that the templates print, computed here, so that they only loop and print.

FRR does not write out a value that is its default; a line that FRR would leave out is
None here and left out of the file too, or no reload would ever find the file in force.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.plan import SwitchPort
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .,:/()_+-]*")
_DESCRIPTION_MOST = 80


@dataclass(frozen=True, slots=True)
class Port:
    """A data port for interfaces(5)."""

    name: str
    mtu_bytes: int
    address: str | None
    description: str


@dataclass(frozen=True, slots=True)
class View:
    """One switch, ready to print."""

    site: str
    device: str
    management_port: str
    loopback: str
    ports: tuple[Port, ...]
    lldp_pattern: str


def view(intent: SwitchIntent) -> View:
    """The view of one switch; `DialectError` for what this dialect cannot do."""
    switch = intent.switch
    _refuse(intent)
    return View(
        site=_plain(intent.site, "site"),
        device=_plain(switch.name, "switch name"),
        management_port=_plain(switch.management.port, "management port"),
        loopback=f"{switch.loopback}/32",
        ports=tuple(map(_port, sorted(switch.ports, key=lambda one: _natural(one.name)))),
        lldp_pattern=",".join(sorted({f"{_natural(one.name)[0]}*" for one in switch.ports})),
    )


def _refuse(intent: SwitchIntent) -> None:
    switch = intent.switch
    if intent.lossless.mode != "marking-only":
        raise DialectError(
            f"{switch.name}: dialect linux_frr has no PFC, ECN or buffers, "
            f"and the plan asks for lossless '{intent.lossless.mode}'",
            "give its profile `lossless: marking-only`, or choose another dialect",
        )
    bridged = [one.name for one in switch.ports if one.vlans or one.bond is not None]
    if switch.vlans or switch.pair or bridged or any(one.vrf for one in switch.sessions):
        raise DialectError(
            f"{switch.name}: dialect linux_frr has routed ports only, "
            "and the plan asks for VLANs, bonds or routing tables",
            "storage with `attach: l3` has none of them, or choose another dialect",
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


def _port(port: SwitchPort) -> Port:
    return Port(
        name=_plain(port.name, "port name"),
        mtu_bytes=port.ip_mtu_bytes,
        address=None if port.address is None else str(port.address),
        description=_plain(port.description, f"description of {port.name}"),
    )
