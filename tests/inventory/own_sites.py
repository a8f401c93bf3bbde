"""A few sites that nobody ships: pod-256 changed by hand, each in one way that is easy to break."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inventory.load.site import SITES
from tests.generated.sites import make_up_asbuilt
from tests.shipped import loaded

Mapping = dict[str, Any]


def pod() -> Mapping:
    """pod-256 with few nodes, so that each site is planned in a moment."""
    site: Mapping = loaded(SITES / "pod-256" / "fabric.yml")
    site["topology"] |= {"pods": 2, "nodes_per_pod": 6}
    return site


def dual_plane() -> Mapping:
    """NICs of two ports in two planes of leaves and spines; no oversubscription."""
    site = pod()
    site["compute"]["node_profile"] = "hgx-b300-dual-plane"
    site["topology"]["nodes_per_rack"] = 2
    return site


def two_homes() -> Mapping:
    """Two tiers without rails: four NICs of a node on each of two leaves."""
    site = pod()
    site["topology"] |= {"kind": "two-tier", "homes": 2, "uplinks_per_spine": 2}
    site["topology"]["oversubscription"] = {"leaf": 4.0}
    site["topology"]["maxima"] |= {"nodes_per_pod": 16}
    return site


def three_tiers(units: int = 4) -> Mapping:
    """Three tiers, pods of several units, numbered links; an overridden superspine and leaf."""
    site = pod()
    topology = site["topology"]
    topology |= {
        "kind": "rail-optimized-three-tier", "spines": 3, "superspines": 2, "nodes_per_pod": 6,
        "uplinks_per_spine": 2, "uplinks_per_superspine": 2, "fabric_links": "numbered",
        "breakout": {"nodes": 2, "fabric": 2, "top": 1}, "oversubscription": {},
    }  # fmt: skip
    topology["maxima"] |= {"pods": 3, "spines": 4, "superspines": 3, "nodes_per_pod": 12}
    topology["maxima"]["nodes_per_unit"] = units
    site["compute"] |= {"superspine_profile": "sn5600-cumulus", "spine_profile": "sn5600-cumulus"}
    site["compute"]["asn"] = {
        "superspines": 4200000000, "spines": 4200000010, "leaves": 4200000100,
    }  # fmt: skip
    site["compute"]["cable_m"]["spine_superspine"] = 100
    site["overrides"] = {
        "superspine-g1-1": {"loopback": "10.255.15.200"},
        "storage-leaf-b1-1": {"asn": 4200019999, "management_address": "10.88.3.250"},
        "node-p1-01": {"management_address": "10.88.11.250"},
    }
    return site


def gaps() -> Mapping:
    """Spines and nodes of the middle are not built."""
    site = three_tiers()
    site["topology"]["absent"] = [
        "spine-p1-2", "superspine-g3-1", "node-p2-03", "store-02", "storage-spine1",
    ]  # fmt: skip
    return site


def bonded_storage() -> Mapping:
    """Storage by TCP over bonds; two VLANs of users, each in a table of its own, share it."""
    site = pod()
    site["storage"] |= {"transport": "tcp", "attach": "lacp", "vlan": 50}
    site["storage"]["switches"] |= {"fabric_links": "unnumbered", "oversubscription": {"leaf": 4}}
    users = site["business"]["vlans"][0]
    admins = users | {"id": 301, "name": "admins", "vrf": "admins", "addresses": "10.96.64.0/18"}
    site["business"] |= {"switches": "storage", "vlans": [users, admins]}
    site["business"]["ip_mtu_bytes"] = {"hosts": 1500, "switches": 9214}  # the most that EOS takes
    return site


def many_vlans() -> Mapping:
    """Business on switches of its own: three VLANs in one table, two in the default one."""
    site = pod()
    (users,) = site["business"]["vlans"]
    site["business"]["vlans"] = [
        users | {"id": 300 + at, "name": f"v{at}", "vrf": vrf, "addresses": f"10.{100 + at}.0.0/18"}
        for at, vrf in enumerate(("users", "users", "default", "users", "default"))
    ]
    return site


def full_tables() -> Mapping:
    """As many pods as may be, and five VLANs of users in one table."""
    site = many_vlans()
    site["topology"] |= {"pods": 4, "nodes_per_pod": 2}
    for vlan in site["business"]["vlans"]:
        vlan["vrf"] = "users"
    site["oob"]["switches"]["breakout"] = 1  # more racks than one aggregation switch takes
    return site


def single_home() -> Mapping:
    """Business by one NIC on one leaf a block."""
    site = pod()
    site["business"] |= {"attach": "single"}
    site["business"]["switches"] |= {"leaves_per_block": 1, "oversubscription": {}}
    return site


def shared_blocks() -> Mapping:
    """Two pods on one set of storage leaves, and servers that have no NIC in a plane."""
    site = pod()
    site["storage"]["switches"] |= {"pods_per_block": 2, "uplinks_per_spine": 4}
    site["storage"]["switches"]["oversubscription"] = {"leaf": 8}
    return site


SITES_OF_OUR_OWN: dict[str, Callable[[], Mapping]] = {
    one.__name__: one
    for one in (
        pod, dual_plane, two_homes, three_tiers, gaps, bonded_storage, many_vlans, full_tables,
        single_home, shared_blocks,
    )
}  # fmt: skip


def write(site: Mapping, folder: Path) -> Path:
    """The files of a site, every device with made-up MACs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.yml").write_text(json.dumps(site, indent=1))
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    make_up_asbuilt(folder)
    return folder
