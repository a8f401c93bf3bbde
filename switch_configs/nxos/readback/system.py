"""Lines of the system as a whole: name, features, servers, tables, VLANs, the pair."""

from __future__ import annotations

from .reading import MANAGEMENT, NxosReading, Table, Vlan
from .tree import Node, number, numbers

# Running configurations name a release without the letter of its kind (F, M): Cisco Nexus 9000
# NX-OS release notes 10.5(x) and 10.6(x).
_RELEASES = {"10.5(1)": "F", "10.5(2)": "F", "10.5(3)": "F", "10.5(4)": "M", "10.6(1)": "F"}
_FEATURES = {
    "bash-shell", "bfd", "bgp", "grpc", "hsrp", "interface-vlan", "lacp", "lldp", "nxapi",
    "private-vlan", "scp-server", "sftp-server", "ssh", "tacacs+", "vpc",
}  # fmt: skip
_HASHED = ["source-destination", "port", "source-destination"]


def line(node: Node, found: NxosReading) -> bool:
    """Take one line (and what is below it); False when it is not understood."""
    match node.words:
        case ["version", release, *_]:
            found.release = release + _RELEASES.get(release, "")
        case ["hostname" | "switchname", name]:
            found.hostname = name
        case ["feature", name] if name in _FEATURES:
            found.features.add(name)
        case ["system", "jumbomtu", mtu] if number(mtu) is not None:
            found.jumbo_mtu = int(mtu)
        case ["system", "default", "switchport", "shutdown"]:
            found.shut_by_default = True
        case ["hardware", "access-list", "tcam", "region", "ing-sup", size] if number(size):
            found.ing_sup = int(size)
        case ["bfd", "interval", tx, "min_rx", rx, "multiplier", times]:
            return _bfd(tx, rx, times, found)
        case ["ip", "load-sharing", *how]:
            return _hash(how, found)
        case ["ip", "access-list", name]:
            return _acl(node, found.acls.setdefault(name, []), found)
        case ["ipv6", "access-list", name]:
            return _acl(node, found.acls_ipv6.setdefault(name, []), found)
        case ["vlan", *_]:
            return _vlan(node, found)
        case ["vrf", "context", name]:
            return _table(name, node, found)
        case ["ip", "route", prefix, "Null0" | "null0"]:
            found.tables[""].discards.append(prefix)
        case ["vpc", "domain", domain] if number(domain) is not None:
            found.domain = int(domain)
            return _vpc(node, found)
        case _:
            return _services(node, found)
    return True


def _bfd(tx: str, rx: str, times: str, found: NxosReading) -> bool:
    interval, multiplier = number(tx), number(times)
    if interval is None or multiplier is None or number(rx) is None:
        return False
    found.bfd = (interval, multiplier)
    if tx != rx:
        found.hazards.append(f"BFD sends every {tx} ms and listens for {rx} ms")
    return True


def _hash(how: list[str], found: NxosReading) -> bool:
    match how:
        case ["address", *words, "universal-id", seed] if number(seed) is not None:
            found.hash_seed = int(seed)
        case ["address", *words]:
            pass
        case _:
            return False
    if words != _HASHED:
        found.hazards.append("paths are hashed without ports: flows of two nodes share one")
    return True


def _acl(node: Node, rules: list[list[str]], found: NxosReading) -> bool:
    # Rules stand in the order of their numbers, whatever that of the lines is.
    places = {id(one): number(one.words[0]) or 0 for one in node.children}
    is_numbered = all(places.values())
    for one in sorted(node.children, key=lambda one: places[id(one)] if is_numbered else 0):
        words = one.words[1:] if number(one.words[0]) is not None else one.words
        if words[:1] in (["permit"], ["deny"]) and len(words) in (4, 6):
            rules.append(words)
        else:
            found.unread += one.paths()
    return True


def _vlan(node: Node, found: NxosReading) -> bool:
    ids = numbers(node.words[1]) if len(node.words) == 2 else None
    if ids is None:
        return False
    found.listed |= set(ids)
    if not node.children:
        return True
    for at in ids:
        own = found.vlans.setdefault(at, Vlan())
        for one in node.children:
            match one.words:
                case ["name", name]:
                    own.name = name
                case ["private-vlan", "primary" | "isolated" as kind]:
                    own.kind = kind
                case ["private-vlan", "association", other] if number(other) is not None:
                    own.isolated = int(other)
                case _:
                    found.unread += one.paths()
    return True


def _table(name: str, node: Node, found: NxosReading) -> bool:
    own = found.tables.setdefault(name, Table())
    for one in node.children:
        match one.words:
            case ["ip", "route", "0.0.0.0/0", gateway] if gateway.lower() != "null0":
                own.gateway = gateway
            case ["ip", "route", prefix, "Null0" | "null0"]:
                own.discards.append(prefix)
            case _:
                found.unread += one.paths()
    return True


def _vpc(node: Node, found: NxosReading) -> bool:
    for one in node.children:
        match one.words:
            case ["peer-gateway"]:
                found.peer_gateway = True
            case ["role", "priority", word] if number(word) is not None:
                pass
            case ["peer-keepalive", "destination", peer, "source", own, *vrf]:
                found.peer_management, found.peer_source = peer, own
                if vrf not in ([], ["vrf", MANAGEMENT]):
                    found.hazards.append("the pair asks for each other outside management")
            case ["peer-keepalive", "destination", peer]:
                found.peer_management = peer
            case _:
                found.unread += one.paths()
    return True


def _services(node: Node, found: NxosReading) -> bool:
    match node.words:
        case ["grpc", "port", port] if number(port) is not None:
            found.grpc_port = int(port)
        case ["ntp", "server", server, *vrf]:
            _once(found.ntp, server)
            _in_management(vrf, f"NTP server {server}", found)
        case ["logging", "server", server, level, *vrf] if number(level) is not None:
            _once(found.syslog, server)
            _in_management(vrf, f"log server {server}", found)
            if int(level) != 6:
                found.hazards.append(f"log server {server} hears level {level}, not 6")
        case ["tacacs-server", "host", server, "key", "0" | "6" | "7", _]:
            _once(found.tacacs, server)
        case ["aaa", "group", "server", "tacacs+", name]:
            return _group(name, node, found)
        case ["aaa", "authentication", "login", "default", "group", name, *more]:
            found.logins.append(name)
            return more in ([], ["local"])
        case ["snmp-server", "user", user, *rest]:
            found.snmp_users.append(user)
            return _snmp(user, rest, found)
        case ["line", "vty"]:
            return _vty(node, found)
        case ["lldp", "timer", seconds] if number(seconds) is not None:
            found.lldp_timer_s = int(seconds)
        case ["lldp", "holdtime", seconds] if number(seconds) is not None:
            found.lldp_hold_s = int(seconds)
        case _:
            return False
    return True


def _once(held: list[str], server: str) -> None:
    """A server that is said twice is asked once."""
    if server not in held:
        held.append(server)


def _vty(node: Node, found: NxosReading) -> bool:
    for one in node.children:
        match one.words:
            case ["access-class", name, "in"]:
                found.vty_acl = name
            case ["ipv6", "access-class", name, "in"]:
                found.vty_acl_ipv6 = name
            case ["exec-timeout" | "session-limit", word] if number(word) is not None:
                pass
            case _:
                found.unread += one.paths()
    return True


def _in_management(vrf: list[str], what: str, found: NxosReading) -> None:
    if vrf != ["use-vrf", MANAGEMENT]:
        found.hazards.append(f"{what} is not asked in the table of management")


def _group(name: str, node: Node, found: NxosReading) -> bool:
    own = found.aaa.setdefault(name, [])
    for one in node.children:
        match one.words:
            case ["server", server]:
                _once(own, server)
            case ["use-vrf", vrf]:
                found.aaa_vrfs[name] = vrf
            case _:
                found.unread += one.paths()
    return True


def _snmp(user: str, rest: list[str], found: NxosReading) -> bool:
    match rest:
        case ["network-operator", "auth", "sha" | "sha-256", _, "priv", "aes-128", _, *local]:
            return local in ([], ["localizedkey"], ["localizedV2key"])
        case [role, "auth", kind, *_]:
            found.hazards.append(f"SNMP user {user} is {role} with {kind}: not a safe reader")
            return False
    return False
