"""What a running configuration of EOS asks of the Linux under it: read by this parser alone.

Defaults are EOS's ("Ethernet Ports", "IPv4", "VRF" and "LLDP" of the Arista EOS User Manual): a
port is a switched one until `no switchport`, has 1500 bytes, and neither IPv4 nor IPv6 forward
until they are told to. What Linux under it cannot do (queues, PFC, ECN, modules), and what nobody
has written here yet (VLANs, bonds, MLAG), stays text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Interface

from .text import BANNER, DEEP

LOOPBACK = "lo"
_MTU_BYTES = 1500
_LLDP_TIMER_S, _LLDP_HOLD_S = 30, 120


@dataclass
class Block:
    """A line, and the lines below it."""

    line: str
    below: list[Block] = field(default_factory=list)

    def heads(self, pattern: str) -> list[tuple[re.Match[str], Block]]:
        """The lines below that are like this, whole."""
        found = ((re.fullmatch(pattern, one.line), one) for one in self.below)
        return [(match, one) for match, one in found if match]

    def last(self, pattern: str) -> str:
        """What the last such line says in its first parenthesis; "" where none is."""
        found = self.heads(pattern)
        return str(found[-1][0][1]) if found else ""

    def has(self, line: str) -> bool:
        """Whether this very line is below."""
        return any(one.line == line for one in self.below)


@dataclass
class Port:
    """A port of the kernel."""

    name: str
    is_up: bool
    mtu_bytes: int
    address: str = ""
    has_ipv6: bool = False
    vrf: str = ""


@dataclass
class Wanted:
    """All that is asked of Linux."""

    hostname: str
    ports: dict[str, Port]
    routes: dict[str, dict[str, str]]  # table -> prefix -> gateway, "" for none; not the default's
    forwards: dict[int, bool]  # by family
    lldp: tuple[int, int] | None
    ssh: set[str]  # the tables in which SSH answers
    users: dict[str, list[str]]  # keys by name


def tree(text: str) -> Block:
    """The blocks of a configuration."""
    top = Block("")
    stack = [top]
    is_banner = False
    for line in text.splitlines():
        is_banner = (is_banner and line != "EOF") or bool(BANNER.fullmatch(line))
        words = line.strip()
        if is_banner or not words or words.startswith("!"):
            continue
        depth = min((len(line) - len(line.lstrip())) // DEEP, len(stack) - 1)
        made = Block(words)
        stack[depth].below.append(made)
        stack[depth + 1 :] = [made]
    return top


def kernel_name(port: str) -> str:
    """What Linux calls a port: its names hold no slash and 15 characters. EOS does so, too."""
    if port.startswith("Loopback"):
        return LOOPBACK
    return re.sub("^Ethernet(?=.*/)", "et", port).replace("/", "_")


def eos_name(device: str) -> str:
    """The other way round."""
    return re.sub(r"^et(?=\d)", "Ethernet", device).replace("_", "/")


def wanted(text: str) -> Wanted:
    """What this running configuration asks for."""
    top = tree(text)
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


def _users(top: Block) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for match, _ in top.heads(r"username (\S+) (.+)"):
        keys = found.setdefault(match[1], [])
        if match[2].startswith("ssh-key "):
            keys.append(match[2].removeprefix("ssh-key "))
    return found
