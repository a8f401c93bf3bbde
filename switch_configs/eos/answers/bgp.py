"""`show bgp summary vrf all | json` of Arista EOS.

Form: ANTA's recorded data (aristanetworks/anta, tests/units/anta_tests/routing/test_bgp.py): peers
by address, those of `neighbor interface` as `fe80::2%Et1`. ASNs are text, also as asdot (napalm,
test/eos/mocked_data/test_get_bgp_neighbors/issue1759). Without BGP there is no table (`nobgp`
there).
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, mapping, needed, text_of
from switch_configs.answers.forms import Bgp, Peer
from switch_configs.answers.said import Said, asn

from .cli import port_name, shown


def sessions(said: Said) -> Bgp:
    """The sessions of all tables; its ASN is the default table's. Raises Unreadable."""
    tables = mapping(needed(shown(said), "vrfs", "BGP summary"), "vrfs")
    own: int | None = None
    peers: dict[str, Peer] = {}
    for name, entry in sorted(tables.items()):
        table = mapping(entry, name)
        local = asn(needed(table, "asn", name), name)
        own = local if name == "default" else own
        for key, row in sorted(mapping(needed(table, "peers", name), name).items()):
            one = _peer(_key(key), mapping(row, key), local)
            if one.key in peers:
                raise Unreadable(f"EOS tells the neighbour {one.key} twice")
            peers[one.key] = one
    return Bgp(own, peers)


def _key(key: str) -> str:
    """A neighbour's address, or its port where the session is the interface's."""
    address, link_local, port = key.partition("%")
    if address.lower().startswith("fe80:") and not link_local:
        raise Unreadable(f"EOS does not say at which port {key} is")
    return port_name(port) if link_local else key


def _peer(key: str, row: dict[str, object], local: int) -> Peer:
    return Peer(key, text_of(row, "peerState", key), asn(needed(row, "peerAsn", key), key), local)
