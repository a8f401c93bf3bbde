"""Ports, their lanes, and the addresses on them."""

from __future__ import annotations

from inventory.plan import Switch, SwitchPort
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent

from ..names import LOOPBACK, brkout_mode, checked
from .rows import Row, Rows, Tables

_MTU_MOST = 9216


def tables(intent: SwitchIntent) -> Tables:
    """PORT, INTERFACE, LOOPBACK_INTERFACE and BREAKOUT_CFG."""
    switch = intent.switch
    if switch.adaptive_routing:
        raise DialectError(
            f"{switch.name}: adaptive routing: community SONiC has none in these releases",
            "`adaptive_routing: false`",
        )
    address = f"{LOOPBACK}|{switch.loopback}/32"
    return {
        "PORT": {port.name: _port(switch, port) for port in switch.ports},
        "INTERFACE": _interfaces(switch),
        "LOOPBACK_INTERFACE": {LOOPBACK: {}, address: {}},
        "BREAKOUT_CFG": _breakout(switch),
    }


def _port(switch: Switch, port: SwitchPort) -> Row:
    if not 68 <= port.ip_mtu_bytes <= _MTU_MOST:
        raise DialectError(
            f"{switch.name}: IP MTU {port.ip_mtu_bytes} of {port.name} is not within "
            f"68 to {_MTU_MOST}"
        )
    row: Row = {
        "admin_status": "up",
        # LLDP sends the alias for the port (sonic-buildimage, lldpmgrd): the plan's own name.
        "alias": port.name,
        "description": checked(switch, port.description, f"description of {port.name}", 255),
        "fec": port.fec,
        "index": str(port.cage),
        "lanes": ",".join(map(str, _lanes(switch, port))),
        "mtu": str(port.ip_mtu_bytes),
        "speed": str(round(port.rate_gbps * 1000)),
    }
    if port.autoneg is not None:
        row["autoneg"] = "on" if port.autoneg else "off"
    if port.autoneg:
        # Without it a port offers every rate that it can, and a lower one may win.
        row["adv_speeds"] = row["speed"]
    if port.ways > 1:
        row["subport"] = str(port.part)
    return row


def _lanes(switch: Switch, port: SwitchPort) -> tuple[int, ...]:
    hardware = switch.hardware
    if not 1 <= port.cage <= hardware.cages or hardware.lanes % port.ways:
        raise DialectError(
            f"{switch.name}: nobody said which lanes {port.name} has, cage {port.cage} of "
            f"{hardware.cages} in {port.ways}"
        )
    first = (port.cage - 1) * hardware.lanes
    cage = (
        hardware.lane_map[port.cage - 1]
        if hardware.lane_map
        else tuple(range(first, first + hardware.lanes))
    )
    width = len(cage) // port.ways
    return cage[(port.part - 1) * width : port.part * width]


def _interfaces(switch: Switch) -> Rows:
    """Routed ports: an address, or the link-local one that RFC 5549 next hops are."""
    routed = {session.port for session in switch.sessions}
    rows: Rows = {}
    for port in switch.ports:
        if port.address is not None:
            rows[port.name] = {}
            rows[f"{port.name}|{port.address}"] = {}
        elif port.name in routed:
            rows[port.name] = {"ipv6_use_link_local_only": "enable"}
    return rows


def _breakout(switch: Switch) -> Rows:
    """How cages are split, by their first port, in the words of the platform's own file."""
    rows: Rows = {}
    for port in switch.ports:
        mode = brkout_mode(switch.hardware.platform, port.ways)
        first = f"Ethernet{(port.cage - 1) * switch.hardware.lanes}"
        if mode is not None and port.name.startswith("Ethernet"):
            rows[first] = {"brkout_mode": mode}
    return rows
