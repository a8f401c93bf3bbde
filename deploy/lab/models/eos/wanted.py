"""What a running configuration of EOS asks of the Linux under it: read by this parser alone.

Defaults are EOS's ("Ethernet Ports", "IPv4", "VRF" and "LLDP" of the Arista EOS User Manual): a
port is a switched one until `no switchport`, has 1500 bytes, and neither IPv4 nor IPv6 forward
until they are told to. What Linux under it cannot do (queues, PFC, ECN, modules), and what nobody
has written here yet (VLANs, bonds, MLAG), stays text.
"""

from __future__ import annotations

from ipaddress import IPv4Interface

from ..blocks import Block, tree
from ..wanted import Port, Wanted, kernel_name
from .text import WORDS

_MTU_BYTES = 1500
_LLDP_TIMER_S, _LLDP_HOLD_S = 30, 120


def wanted(text: str) -> Wanted:
    """What this running configuration asks for."""
    top = tree(text, WORDS)
    ports = (_port(str(match[1]), one) for match, one in top.heads(r"interface (\S+)"))
    timer = int(top.last(r"lldp timer (\d+)") or _LLDP_TIMER_S)
    hold = int(top.last(r"lldp hold-time (\d+)") or _LLDP_HOLD_S)
    return Wanted(
        hostname=top.last(r"hostname (\S+)") or "localhost",
        ports={one.name: one for one in ports},
        routes=_routes(top),
        forwards={
            4: top.has("ip routing") or top.has("ip routing ipv6 interfaces"),
            6: top.has("ipv6 unicast-routing"),
        },
        lldp=None if top.has("no lldp run") else (timer, hold),
        ssh=_ssh(top),
        users=_users(top),
        time=_time(top),
    )


def _port(name: str, block: Block) -> Port:
    is_routed = not name.startswith(("Ethernet", "Port-Channel")) or block.has("no switchport")
    address = block.last(r"ip address (\d\S+)") if is_routed else ""
    return Port(
        name=kernel_name(name),
        is_up=not block.has("shutdown"),
        mtu_bytes=int(block.last(r"mtu (\d+)") or _MTU_BYTES),
        address=str(IPv4Interface(address)) if address else "",
        has_ipv6=is_routed and block.has("ipv6 enable"),
        vrf=block.last(r"vrf (\S+)"),
    )


def _routes(top: Block) -> dict[str, dict[str, str]]:
    """Static routes of tables beside the default one, whose are FRR's."""
    found: dict[str, dict[str, str]] = {}
    for match, _ in top.heads(r"ip route vrf (\S+) (\S+) (\S+)"):
        found.setdefault(match[1], {})[match[2]] = match[3].replace("Null0", "")
    return found


def _ssh(top: Block) -> set[str]:
    """Where SSH answers: in the default table unless it is shut there, elsewhere where it is not.

    ("SSH" of the manual: `management ssh`, `shutdown`, `vrf NAME`.) Who may come in is asked by
    access lists, which stay text.
    """
    (block,) = [one for _, one in top.heads("management ssh")] or [Block("")]
    found = set() if block.has("shutdown") else {""}
    return found | {str(m[1]) for m, one in block.heads(r"vrf (\S+)") if one.has("no shutdown")}


def _time(top: Block) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for match, _ in top.heads(r"ntp server (?:vrf (\S+) )?(\d\S+)(?: .+)?"):
        found.setdefault(match[1] or "", []).append(match[2])
    return found


def _users(top: Block) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for match, _ in top.heads(r"username (\S+) (.+)"):
        keys = found.setdefault(match[1], [])
        if match[2].startswith("ssh-key "):
            keys.append(match[2].removeprefix("ssh-key "))
    return found
