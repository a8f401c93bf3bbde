"""`show bgp sessions vrf all | json` of Cisco NX-OS.

It has the sessions of all address families once each, also those of interfaces: `neighbor-id` is
`fe80::1%Ethernet1/1` (CiscoTestAutomation/genieparser, tests of nxos ShowBgpSessions, which prints
text; names and nesting of the JSON: napalm-automation/napalm, show_bgp_sessions_vrf_all.json, up to
2018). A table counts its peers, so one that is cut or mixed is noticed.
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, needed, text_of
from switch_configs.answers.forms import Bgp, Peer
from switch_configs.answers.said import Said, asn, count

from .cli import port_name, rows, rows_if_any, shown


def sessions(said: Said) -> Bgp:
    """The sessions of all tables; its ASN is the default table's. Raises Unreadable."""
    own: int | None = None
    peers: dict[str, Peer] = {}
    for table in rows(shown(said), "vrf"):
        name = text_of(table, "vrf-name-out", "vrf")
        local = asn(needed(table, "local-as", name), name)
        own = local if name == "default" else own
        mine = [_peer(row, local) for row in rows_if_any(table, "neighbor")]
        _counted(table, name, mine)
        for peer in mine:
            if peer.key in peers:
                raise Unreadable(f"NX-OS tells the neighbour {peer.key} twice")
            peers[peer.key] = peer
    return Bgp(own, dict(sorted(peers.items())))


def _counted(table: dict[str, object], name: str, found: list[Peer]) -> None:
    told = count(table, "vrfpeers", name), count(table, "vrfestablishedpeers", name)
    seen = len(found), sum(peer.established for peer in found)
    if told != seen:
        raise Unreadable(
            f"{name}: NX-OS counts {told} peers and established ones, and shows {seen}"
        )


def _peer(row: dict[str, object], local: int) -> Peer:
    key = key_of(row)
    state = text_of(row, "state", key)
    if state.isdecimal():
        raise Unreadable(f"{key}: state {state} is a number, and nobody says of what")
    return Peer(key, state, asn(needed(row, "remoteas", key), key), local)


def key_of(row: dict[str, object]) -> str:
    """A neighbour's address, or its port where the session is the interface's."""
    key = text_of(row, "neighbor-id", "neighbour").strip()
    address, link_local, port = key.partition("%")
    if address.lower().startswith("fe80:") and not link_local:
        raise Unreadable(f"NX-OS does not say at which port {key} is")
    return port_name(port if link_local else key)
