"""What a running configuration of NX-OS asks of the Linux under it: read by this parser alone.

Defaults are NX-OS's (Cisco Nexus 9000 NX-OS guides: Interfaces, Unicast Routing, System
Management): a port is a switched one until `no switchport`; a routed one is shut until `no
shutdown`, a switched one where `system default switchport shutdown` says so; both have 1500 bytes.
IPv4 and IPv6 are forwarded; by a port without an address, IPv4 is with `ip forward` alone. LLDP is
a feature. What Linux under it cannot do (queues, PFC, ECN, modules), and what nobody has written
here yet (VLANs, bonds, vPC), stays text.
"""

from __future__ import annotations

from ipaddress import IPv4Interface

from ..blocks import Block, tree
from ..wanted import Port, Wanted, kernel_name
from .text import WORDS, features

MANAGEMENT, _TABLE = "mgmt0", "management"
_MTU_BYTES = 1500
_LLDP_TIMER_S, _LLDP_HOLD_S = 30, 120
_ROUTED = ("mgmt", "loopback", "Vlan")


def wanted(text: str) -> Wanted:
    """What this running configuration asks for."""
    top = tree(text, WORDS)
    is_up = not top.has("system default switchport shutdown")
    ports = (_port(str(match[1]), one, is_up) for match, one in top.heads(r"interface (\S+)"))
    timer = int(top.last(r"lldp timer (\d+)") or _LLDP_TIMER_S)
    hold = int(top.last(r"lldp holdtime (\d+)") or _LLDP_HOLD_S)
    return Wanted(
        hostname=top.last(r"hostname (\S+)") or "switch",
        ports={one.name: one for one in ports},
        routes={
            str(match[1]): {
                route[1]: route[2].replace("Null0", "")
                for route, _ in block.heads(r"ip route (\S+) (\S+)(?: .+)?")
            }
            for match, block in top.heads(r"vrf context (\S+)")
        },
        forwards={4: True, 6: True},
        lldp=(timer, hold) if top.has("feature lldp") else None,
        ssh=set() if top.has("no feature ssh") else {"", _TABLE},
        users=_users(top),
        time=_time(top),
        unsaid_is_up=is_up,
        features=features(text),
    )


def _port(name: str, block: Block, switched_is_up: bool) -> Port:
    is_routed = name.startswith(_ROUTED) or block.has("no switchport")
    is_open = switched_is_up if not is_routed else name.startswith(_ROUTED[:2])
    address = block.last(r"ip address (\d\S+)(?: .+)?") if is_routed else ""
    return Port(
        name=kernel_name(name),
        is_up=block.has("no shutdown") or (is_open and not block.has("shutdown")),
        mtu_bytes=int(block.last(r"mtu (\d+)") or _MTU_BYTES),
        address=str(IPv4Interface(address)) if address else "",
        has_ipv6=is_routed and bool(block.heads(r"ipv6 address (use-link-local-only|\S+/\d+)")),
        vrf=_TABLE if name == MANAGEMENT else block.last(r"vrf member (\S+)"),
        forwards=bool(address) or (is_routed and block.has("ip forward")),
    )


def _time(top: Block) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for match, _ in top.heads(r"ntp server (\d\S+)(?:.* use-vrf (\S+))?(?: .+)?"):
        found.setdefault(match[2] or "", []).append(match[1])
    return found


def _users(top: Block) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for match, _ in top.heads(r"username (\S+) (.+)"):
        keys = found.setdefault(match[1], [])
        if match[2].startswith("sshkey "):
            keys.append(match[2].removeprefix("sshkey "))
    return found
