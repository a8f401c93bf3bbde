"""Lines below `interface`."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, NetmaskValueError

from .reading import NxosReading, Port
from .tree import Node, number, numbers

_MAP = re.compile(r"(\d+)g-(\d+)x")
_FEC = {"off": "none", "fc-fec": "fc", "rs-fec": "rs"}
_NAME = re.compile(
    r"(?i)(ethernet|vlan|port-channel|loopback|mgmt) ?((?:\d+/)*)(\d+)(?:-(?:\2)?(\d+))?(\.\d+)?"
)
_KINDS = {"ethernet": "Ethernet", "vlan": "Vlan"}
_MOST_PORTS = 128


def line(node: Node, found: NxosReading) -> bool:
    """Take `interface ...` and what is below it."""
    match node.words:
        case ["interface", "breakout", "module", "1", "port", cages, "map", how]:
            return _breakout(cages, how, found)
        case ["hardware", "profile", "portmode", *_]:  # Nexus 3000 splits cages so
            found.port_mode = True
            return False
        case ["interface", *words] if len(words) in (1, 2):
            names = _names(" ".join(words))
            for name in names:
                _port(found.ports.setdefault(name, Port(name)), node, name == names[0], found)
            return bool(names)
    return False


def _names(text: str) -> list[str]:
    """`Ethernet1/1`; or several as somebody types them: `ethernet 1/1-4`."""
    said = _NAME.fullmatch(text)
    if said is None:
        return []
    kind = _KINDS.get(said[1].lower(), said[1].lower())
    first, last = int(said[3]), int(said[4]) if said[4] else int(said[3])
    if not first <= last < first + _MOST_PORTS or (said[4] and said[5]):
        return []
    return [f"{kind}{said[2]}{at}{said[5] or ''}" for at in range(first, last + 1)]


def _port(port: Port, node: Node, is_first: bool, found: NxosReading) -> None:
    """What is below `interface`; a line for several ports that nobody reads is told once."""
    for one in node.children:
        if not _inside(port, one, found) and is_first:
            found.unread += one.paths()


def _breakout(cages: str, how: str, found: NxosReading) -> bool:
    own, said = numbers(cages), _MAP.fullmatch(how)
    if own is None or said is None:
        return False
    found.breakouts |= dict.fromkeys(own, float(said[1]))
    return True


def _inside(port: Port, node: Node, found: NxosReading) -> bool:
    match node.words:
        case ["description", *_]:
            port.description = node.rest(1)
        case ["no", "switchport"]:
            port.switched, port.says_layer = False, True
        case ["switchport", *rest]:
            port.switched, port.says_layer = True, port.says_layer or not rest
            return not rest or _switched(port, rest)
        case ["spanning-tree", "port", "type", *kind]:
            port.edge = " ".join(kind)
            return port.edge in ("edge", "edge trunk", "network")
        case ["mtu", mtu] if number(mtu) is not None:
            port.mtu = int(mtu)
        case ["speed", speed] if number(speed) is not None:
            port.speed_mbps = int(speed)
        case ["fec", kind] if kind in _FEC:
            port.fec = _FEC[kind]
        case ["no", "shutdown"]:
            port.up = True
        case ["channel-group", channel, *mode] if number(channel) is not None:
            port.channel = int(channel)
            port.lacp = mode in (["mode", "active"], ["mode", "passive"])
            port.waits = mode == ["mode", "passive"]
            return port.lacp or mode in ([], ["mode", "on"])
        case ["vpc", "peer-link" | str() as which]:
            port.vpc = which
            return which == "peer-link" or number(which) is not None
        case ["untagged", "cos", cos] if number(cos) is not None:
            port.untagged_cos = int(cos)
            return False
        case _:
            return _qos(port, node.words) or _routed(port, node, found)
    return True


def _switched(port: Port, words: list[str]) -> bool:
    match words:
        case ["mode", "trunk" | "access" as mode]:
            port.mode = mode
        case ["mode", "private-vlan", "host"]:
            port.mode = "host"
        case ["mode", "private-vlan", "trunk", "promiscuous"]:
            port.mode = "promiscuous"
        case ["mode", *_]:
            port.mode = "unknown"
            return False
        case ["access", "vlan", vlan] if number(vlan) is not None:
            port.access = int(vlan)
        case ["trunk", "native", "vlan", vlan] if number(vlan) is not None:
            port.native = int(vlan)
        case ["trunk" | "private-vlan", *more, "allowed", "vlan", vlans]:
            port.allowed = () if vlans == "none" else numbers(vlans)
            port.private = words[0] == "private-vlan"
            return port.allowed is not None and more == (["trunk"] if port.private else [])
        case ["private-vlan", "host-association", one, other]:
            port.host = _two(one, other)
            return port.host is not None
        case ["private-vlan", "mapping", "trunk", one, other]:
            pair = _two(one, other)
            port.mapped += [pair] if pair else []
            return pair is not None
        case _:
            return False
    return True


def _two(one: str, other: str) -> tuple[int, int] | None:
    first, second = number(one), number(other)
    return None if first is None or second is None else (first, second)


def _qos(port: Port, words: list[str]) -> bool:
    match words:
        case ["priority-flow-control", "mode", "on" | "off" | "auto" as mode, *more]:
            port.pfc = mode
            return more in ([], ["send-tlv"])
        case ["priority-flow-control", "watch-dog-interval", "on" | "off" as word]:
            port.watchdog = word == "on"
        case ["service-policy", "type", "qos", "input", name]:
            port.qos_in = name
        case ["service-policy", "type", "queuing", "input", name]:
            port.queuing_in = name
        case ["service-policy", "type", "queuing", "output", name]:
            port.queuing_out = name
        case _:
            return False
    return True


def _routed(port: Port, node: Node, found: NxosReading) -> bool:
    match node.words:
        case ["encapsulation", "dot1q", tag] if number(tag) is not None:
            port.tag = int(tag)
        case ["vrf", "member", vrf]:
            port.vrf = vrf
        case ["no", "bfd", "echo"]:
            port.echo = False
        case ["bfd", "interval", tx, "min_rx", rx, "multiplier", times] if tx == rx:
            port.bfd = _two(tx, times)
            return port.bfd is not None
        case ["no", "ip" | "ipv6" as family, "redirects"]:
            port.redirects -= {family}
        case ["ip", "forward"]:
            port.forwards = True
        case ["ipv6", "address", "use-link-local-only"]:
            port.link_local = True
        case ["ipv6", "link-local", "use-bia"]:
            port.own_link_local = True
        case ["ip", "address", address] if _is_interface(address):
            port.addresses.append(address)
        case ["ip", "access-group", name, "in"]:
            port.acl_in = name
        case ["fabric", "forwarding", "mode", "anycast-gateway"]:
            port.anycast = True
            return False
        case ["ethernet-segment", *_] | ["evpn", "ethernet-segment", *_]:
            port.segment = True
            return False
        case ["hsrp", "version", version] if number(version) is not None:
            port.hsrp_version = int(version)
        case ["hsrp", group] if number(group) is not None:
            return _hsrp(port, int(group), node, found)
        case _:
            return False
    return True


def _hsrp(port: Port, group: int, node: Node, found: NxosReading) -> bool:
    for one in node.children:
        match one.words:
            case ["ip", address] if _is_address(address):
                port.hsrp[group] = address
            case _:
                found.unread += one.paths()
    return True


def _is_interface(text: str) -> bool:
    try:
        return str(IPv4Interface(text)) == text
    except (AddressValueError, NetmaskValueError):
        return False


def _is_address(text: str) -> bool:
    try:
        return str(IPv4Address(text)) == text
    except AddressValueError:
        return False
