"""What an NVUE configuration asks of the Linux under it: read by this parser alone.

Defaults are Cumulus Linux's (5.14, Switch Port Attributes; Interface Configuration and Management;
Link Layer Discovery Protocol): a port of which nothing is said is down, one that is named is up
until `link state down`; a switch port has 9216 bytes, the management port 1500; addresses of IPv6
are there; LLDP is sent every 30 s and held for four of these. SSH answers in both tables. What
Linux under it cannot do (queues, PFC, ECN, modules, speeds), and what nobody has written here yet
(bridges, bonds, sub-interfaces, VRR), stays text.
"""

from __future__ import annotations

from typing import Any

from ..trees import Tree
from ..wanted import LOOPBACK, Port, Wanted
from .tree import lines, read

MANAGEMENT = "eth0"
_MTU_BYTES, _MANAGEMENT_MTU_BYTES = 9216, 1500
_LLDP_TIMER_S, _LLDP_HOLD = 30, 4


def below(tree: Tree, *keys: str) -> Tree:
    """What stands at a path; nothing where there is no such object."""
    at: Any = tree
    for key in keys:
        at = at.get(key, {}) if isinstance(at, dict) else {}
    return at if isinstance(at, dict) else {}


def wanted(text: str) -> Wanted:
    """What this configuration asks for."""
    tree = below(read(text), "set")
    ports = {name: _port(name, below(tree, "interface", name)) for name in below(tree, "interface")}
    lldp = below(tree, "service", "lldp")
    timer_s = int(lldp.get("tx-interval", _LLDP_TIMER_S))
    gateways = below(tree, "interface", MANAGEMENT, "ip", "gateway")
    vrf = ports[MANAGEMENT].vrf if MANAGEMENT in ports else ""
    return Wanted(
        hostname=str(below(tree, "system").get("hostname", "cumulus")),
        ports=ports,
        routes={vrf: dict.fromkeys(["0.0.0.0/0"], min(gateways))} if vrf and gateways else {},
        forwards={4: True, 6: True},
        lldp=(timer_s, timer_s * int(lldp.get("tx-hold-multiplier", _LLDP_HOLD))),
        ssh={"", "mgmt"},
        users={name: _keys(one) for name, one in below(tree, "system", "aaa", "user").items()},
        time={
            vrf.replace("default", ""): list(below(one, "server"))
            for vrf, one in below(tree, "service", "ntp").items()
        },
        unsaid_is_up=False,
    )


def _keys(user: Tree) -> list[str]:
    keys = below(user, "ssh", "authorized-key").values()
    return [f"{one['type']} {one['key']}" for one in keys]


def _port(name: str, said: Tree) -> Port:
    words = set(lines(said))
    addresses = [one for one in below(said, "ip", "address") if "." in one]
    usual = _MANAGEMENT_MTU_BYTES if name == MANAGEMENT else _MTU_BYTES
    return Port(
        name=LOOPBACK if name == LOOPBACK else name,
        is_up="link state down" not in words,
        mtu_bytes=int(below(said, "link").get("mtu", usual)),
        address=min(addresses, default=""),
        has_ipv6="ip ipv6 enable off" not in words,
        vrf=str(below(said, "ip").get("vrf", "")).replace("default", ""),
        forwards="ip ipv4 forward off" not in words,
    )
