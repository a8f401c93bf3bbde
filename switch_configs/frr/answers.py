"""FRR's `show ... json`, as printed by 8.4 (docs.frrouting.org, "BGP" and "Zebra")."""

from __future__ import annotations

from ipaddress import IPv4Network

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from inventory.reading.numbers import Whole
from switch_configs.answers.forms import Bgp, Peer, Rib, RibRoute

NOT_RUNNING = ("is not running", "failed to connect to any daemons.")
_ASN = Whole("ASN", "1", 0, (1 << 32) - 1)


def daemon_down(text: str) -> bool:
    """Whether vtysh says that the daemon asked does not run, or none of them."""
    return text.strip().endswith(NOT_RUNNING)


def bgp_summary(text: str) -> Bgp:
    """`show bgp summary json`. Raises Unreadable."""
    if daemon_down(text):
        return Bgp(None, {})
    root = mapping(document(text, "vtysh"), "BGP summary")
    if not root or "ipv4Unicast" not in root:
        return Bgp(None, {})
    unicast = mapping(root["ipv4Unicast"], "ipv4Unicast")
    peers = mapping(unicast.get("peers", {}), "peers")
    made = {key: _peer(key, mapping(one, key)) for key, one in sorted(peers.items())}
    return Bgp(_ASN.of(unicast, "as", "ipv4Unicast"), made)


def _peer(key: str, fields: dict[str, object]) -> Peer:
    remote, local = (_ASN.of(fields, name, key) for name in ("remoteAs", "localAs"))
    return Peer(key, text_of(fields, "state", key), remote, local)


def ip_route(text: str) -> Rib:
    """`show ip route json`: the selected route of every prefix. Raises Unreadable."""
    root = mapping(document(text, "vtysh"), "routes")
    found: Rib = {}
    for prefix, entries in sorted(root.items()):
        for entry in sequence(entries, prefix):
            fields = mapping(entry, prefix)
            if fields.get("selected") is True:
                found[_network(prefix)] = _rib_route(fields, prefix)
    return found


def _network(text: str) -> IPv4Network:
    try:
        return IPv4Network(text)
    except ValueError:
        raise Unreadable(f"{text!r} is not an IPv4 prefix") from None


def _rib_route(fields: dict[str, object], prefix: str) -> RibRoute:
    ports = set()
    for hop in sequence(fields.get("nexthops", []), f"{prefix}: nexthops"):
        one = mapping(hop, f"{prefix}: next hop")
        if one.get("fib") is True and "interfaceName" in one:
            ports.add(text_of(one, "interfaceName", prefix))
    return RibRoute(text_of(fields, "protocol", prefix), tuple(sorted(ports)))
