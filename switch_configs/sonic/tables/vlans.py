"""VLANs, their gateways, and bonds that end on this switch alone."""

from __future__ import annotations

from inventory.plan import Switch, SwitchPort, SwitchVlan
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent

from ..names import checked
from .rows import Rows, Tables

_BOND_MOST = 9999


def tables(intent: SwitchIntent) -> Tables:
    """VLAN, VLAN_MEMBER, VLAN_INTERFACE, PORTCHANNEL and PORTCHANNEL_MEMBER."""
    switch = intent.switch
    _refuse(switch)
    return {
        "VLAN": {f"Vlan{vlan.id}": _vlan(switch, vlan) for vlan in switch.vlans},
        "VLAN_INTERFACE": _interfaces(switch),
        "VLAN_MEMBER": _members(switch),
        "PORTCHANNEL": _bonds(switch),
        "PORTCHANNEL_MEMBER": {
            f"PortChannel{port.bond}|{port.name}": {}
            for port in switch.ports
            if port.bond is not None
        },
    }


def _refuse(switch: Switch) -> None:
    if switch.pair is not None:
        raise DialectError(
            f"{switch.name}: bonds over two leaves (with {switch.pair.peer}): community SONiC "
            "has no MCLAG",
            "`leaves_per_block: 1`",
        )
    table = next((one.vrf for one in switch.tables if one.vrf), None)
    if table is not None:
        raise DialectError(
            f"{switch.name}: table '{table}': community SONiC has no next hops of RFC 5549 on "
            "subinterfaces",
            "`vrf: default`",
        )
    for vlan in switch.vlans:
        if not 2 <= vlan.id <= 4094:
            raise DialectError(f"{switch.name}: SONiC has no VLAN {vlan.id}, only 2 to 4094")


def _vlan(switch: Switch, vlan: SwitchVlan) -> dict[str, str | list[str]]:
    return {
        "admin_status": "up",
        "description": checked(switch, vlan.name, f"name of VLAN {vlan.id}", 255),
        "mtu": str(vlan.ip_mtu_bytes),
        "vlanid": str(vlan.id),
    }


def _interfaces(switch: Switch) -> Rows:
    """The switch's own address, and the gateway beside it, which no other leaf has."""
    rows: Rows = {}
    for vlan in switch.vlans:
        name = f"Vlan{vlan.id}"
        rows[name] = {}
        rows[f"{name}|{vlan.address}"] = {}
        if vlan.gateway != vlan.address.ip:
            rows[f"{name}|{vlan.gateway}/{vlan.subnet.prefixlen}"] = {"secondary": "true"}
    return rows


def member(port: SwitchPort) -> str:
    """What is in a VLAN for a port: its bond where it has one."""
    return port.name if port.bond is None else f"PortChannel{port.bond}"


def _members(switch: Switch) -> Rows:
    rows: Rows = {}
    for port in switch.ports:
        for at, vlan in enumerate(port.vlans):
            mode = "tagged" if at else "untagged"
            rows[f"Vlan{vlan}|{member(port)}"] = {"tagging_mode": mode}
    return rows


def _bonds(switch: Switch) -> Rows:
    rows: Rows = {}
    for port in switch.ports:
        if port.bond is None:
            continue
        if not 0 <= port.bond <= _BOND_MOST:
            raise DialectError(f"{switch.name}: bond {port.bond} is not within 0 to {_BOND_MOST}")
        rows[f"PortChannel{port.bond}"] = {
            "admin_status": "up",
            "lacp_key": "auto",
            "min_links": "1",
            "mtu": str(port.ip_mtu_bytes),
        }
    return rows
