"""The lines of the outermost level: which reader takes them."""

from __future__ import annotations

import re

from switch_configs.readback.facts import AclFacts

from . import bgp, interfaces, policies, qos, services
from .reading import EosReading, Mlag
from .tree import Node

_DEVICE = re.compile(r"^! device: (\S+) \((?:.*, )?EOS-([^)\s]+)\)$", re.MULTILINE)
_PROTOCOLS = ("ip", "tcp", "udp", "icmp")
_MODES = ("mstp", "rstp", "rapid-pvst", "none")


def read(text: str, nodes: list[Node], found: EosReading) -> None:
    """Everything in it; lines that nobody understands go to `unread`."""
    head = _DEVICE.search(text)
    if head:
        found.release = head[2]
    for node in nodes:
        if not (_block(node, found) or (not node.below and _line(node.words, found))):
            found.unread += node.paths()


def _block(node: Node, found: EosReading) -> bool:
    match node.words:
        case ["interface", _]:
            return interfaces.interface(node, found)
        case ["vlan", number] if number[0].isdecimal():
            return interfaces.vlan(node, found)
        case ["vrf", "instance", name] if not node.below:
            found.vrfs.add(name)
            return True
        case ["qos", "profile", _]:
            return qos.profile(node, found)
        case ["class-map", "type", "qos", "match-any" | "match-all", _]:
            return qos.class_map(node, found)
        case ["policy-map", "type", "qos" | "quality-of-service", _]:
            return qos.policy_map(node, found)
        case ["ip", "access-list", name]:
            return _acl(node, name, found)
        case ["ip", "prefix-list", _, *_]:
            return policies.prefix_list(node, found)
        case ["route-map", *_]:
            return policies.route_map(node, found)
        case ["router", "bgp", _]:
            return bgp.bgp(node, found)
        case _:
            return _services(node, found)


def _services(node: Node, found: EosReading) -> bool:
    match node.words:
        case ["mlag", "configuration"]:
            return _mlag(node, found)
        case ["management", "api", "gnmi"]:
            return services.gnmi(node, found)
        case ["link", "tracking", "group", name]:
            return _tracking(node, name, found)
        case ["management", "ssh"]:
            return services.ssh(node, found)
        case ["aaa", "group", "server", "tacacs+", _]:
            return services.tacacs_group(node, found)
    return False


def _line(words: list[str], found: EosReading) -> bool:
    match words:
        case ["hostname", name]:
            found.hostname = name
        case ["service", "routing", "protocols", "model", "multi-agent" | "ribd" as model]:
            found.multi_agent = model == "multi-agent"
        case ["lldp", "timer" | "hold-time", seconds]:
            return seconds.isdecimal()
        case ["no", "lldp", "run"]:
            found.lldp = False
        case ["spanning-tree", "mode", mode]:
            found.spanning_tree = mode != "none"
            return mode in _MODES
        case ["no", "spanning-tree", "vlan" | "vlan-id", text]:
            off = interfaces.numbers(text)
            found.stp_off |= set(off or ())
            return off is not None
        case ["ip", "virtual-router", "mac-address", address]:
            found.virtual_mac = address
        case ["ip", "community-list", *rest]:
            return policies.community_list(rest, found)
        case ["qos", "map", *rest]:
            return qos.maps(rest, found)
        case ["priority-flow-control", "pause", "watchdog", *rest]:
            return qos.watchdog(rest, found)
        case _:
            return _routing(words, found) or services.line(words, found)
    return True


def _routing(words: list[str], found: EosReading) -> bool:
    match words:
        case ["ip", "routing"]:
            found.routing.add("")
        case ["ip", "routing", "vrf", name]:
            found.routing.add(name)
        case ["no", "ip", "routing", "vrf", name]:
            found.routing.discard(name)
        case ["ip", "routing", "ipv6", "interfaces"]:
            found.routing.add("")
            found.ipv6_next_hops.add("")
        case ["ip", "routing", "ipv6", "interfaces", "vrf", name]:
            found.routing.add(name)
            found.ipv6_next_hops.add(name)
        case ["ipv6", "unicast-routing"]:
            found.ipv6_routing.add("")
        case ["ipv6", "unicast-routing", "vrf", name]:
            found.ipv6_routing.add(name)
        case ["ip", "route", "vrf", vrf, prefix, to]:
            found.routes.append((vrf, prefix, to))
        case ["ip", "route", prefix, to] if "/" in prefix:
            found.routes.append(("", prefix, to))
        case _:
            return False
    return True


def _acl(node: Node, name: str, found: EosReading) -> bool:
    rules = found.acls.setdefault(name, {})
    for below in node.below:
        words = below.words
        rule = _rule(words[1:]) if words[0].isdecimal() else None
        if rule is None:
            found.unread.append(below.path)
        else:
            rules[int(words[0])] = rule
    return True


def _rule(words: list[str]) -> AclFacts | None:
    """`permit tcp any host 192.0.2.1 eq 22`."""
    if len(words) < 4 or words[0] not in ("permit", "deny") or words[1] not in _PROTOCOLS:
        return None
    source, rest = _address(words[2:])
    to, rest = _address(rest)
    if source is None or to is None:
        return None
    match rest:
        case []:
            return AclFacts(words[0], words[1], source, to, None)
        case ["eq", port] if port.isdecimal() and words[1] in ("tcp", "udp"):
            return AclFacts(words[0], words[1], source, to, int(port))
    return None


def _address(words: list[str]) -> tuple[str | None, list[str]]:
    match words:
        case ["any", *rest]:
            return "any", rest
        case ["host", address, *rest]:
            return f"{address}/32", rest
        case [prefix, *rest] if "/" in prefix:
            return prefix, rest
    return None, words


def _tracking(node: Node, name: str, found: EosReading) -> bool:
    """The default is one link up; how soon what goes down comes back is no fact."""
    found.tracking.add(name)
    for below in node.below:
        match below.words:
            case ["recovery", "delay", seconds] if seconds.isdecimal():
                pass
            case _:
                found.unread.append(below.path)
    return True


def _mlag(node: Node, found: EosReading) -> bool:
    one = found.mlag = found.mlag or Mlag()
    for below in node.below:
        match below.words:
            case ["domain-id", name]:
                one.domain = name
            case ["local-interface", name]:
                one.local = name
            case ["peer-address", address]:
                one.peer = address
            case ["peer-address", "heartbeat", address]:
                one.heartbeat, one.heartbeat_vrf = address, ""
            case ["peer-address", "heartbeat", address, "vrf", vrf]:
                one.heartbeat, one.heartbeat_vrf = address, vrf
            case ["peer-link", name]:
                one.link = name
            case ["dual-primary", "detection", "delay", seconds, "action", "errdisable", _]:
                if not seconds.isdecimal() or below.words[-1] != "all-interfaces":
                    found.unread.append(below.path)
            case _:
                found.unread.append(below.path)
    return True
