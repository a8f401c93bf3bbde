"""Random sites of every kind: what a person could write, small enough to build in a moment.

A site is plain mappings until `write` makes files of it, so that a test may grow, shrink and
reorder it.
"""

from __future__ import annotations

import json
import random
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.generated.sites import make_up_asbuilt

Mapping = dict[str, Any]
PORTS = 4 * 12 * 3 * 2  # uplinks of a spine at the largest maxima: pods, units, rails, each twice


@dataclass(frozen=True)
class Site:
    """The files of a site before they are text."""

    fabric: Mapping
    nodes: Mapping
    switches: Mapping

    def copy(self) -> Site:
        return deepcopy(self)


def write(
    site: Site, folder: Path, order: random.Random | None = None, built: bool = False
) -> Path:
    """Write a site; with `order`, whatever has no order in another one each time."""
    (folder / "profiles").mkdir(parents=True, exist_ok=True)
    files = {"fabric.yml": site.fabric, "profiles/nodes.yml": site.nodes}
    files["profiles/switches.yml"] = site.switches
    for name, value in files.items():
        text = json.dumps(shuffled(value, order) if order else value, indent=1)
        (folder / name).write_text(text)
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    if built:
        make_up_asbuilt(folder)
        if order:
            header, *rows = (folder / "asbuilt.csv").read_text().splitlines()
            order.shuffle(rows)
            (folder / "asbuilt.csv").write_text("\n".join([header, *rows, ""]))
    return folder


def shuffled(value: Any, order: random.Random, key: str = "") -> Any:
    """The same in another order: keys of every mapping, and lists whose order says nothing."""
    if isinstance(value, dict):
        keys = order.sample(sorted(value), len(value))
        return {one: shuffled(value[one], order, one) for one in keys}
    if isinstance(value, list):
        rest = [shuffled(one, order) for one in value]
        return order.sample(rest, len(rest)) if key in ("absent", "breakout") else rest
    return value


def switch_profile(units: int) -> Mapping:
    split = [{"ways": ways, "name": "swp{n}s{s}", "rate_gbps": 400 / ways} for ways in (2, 4)]
    ports = {"count": PORTS, "name": "swp{n}", "rate_gbps": 400, "lanes": 4, "breakout": split}
    return {
        "dialect": "cumulus", "management_port": "eth0", "release": "5.14.0", "ports": ports,
        "lossless": "marking-only", "rack_units": units, "power_w": 100, "source": "invented",
        "uplinks": {"count": 2, "name": "up{n}", "rate_gbps": 100},
    }  # fmt: skip


def nics(prefix: str, count: int) -> list[Mapping]:
    return [{"port": f"{prefix}{at}", "rate_gbps": 100} for at in range(count)]


def rail_nics(rails: int, planes: int) -> list[Mapping]:
    return [
        {"port": f"rail{rail}p{plane}", "rate_gbps": 100, "rail": rail, "nic_plane": plane}
        for rail in range(rails)
        for plane in range(planes)
    ]


def node_profile(rails: list[Mapping], storage: int, business: int) -> Mapping:
    return {
        "management_port": "eth0", "bmc": {"protocol": "redfish"}, "rails": rails, "power_w": 500,
        "storage": nics("sto", storage), "business": nics("bus", business),
        "rack_units": 1, "source": "invented",
    }  # fmt: skip


@st.composite
def sites(draw: st.DrawFn) -> Site:
    """A site of any kind, with every plane and section that may be there."""
    kind = draw(
        st.sampled_from(["two-tier", "rail-optimized-two-tier", "rail-optimized-three-tier"])
    )
    racked, storage = draw(st.booleans()), draw(st.sampled_from(["", "l3", "lacp"]))
    business = draw(st.sampled_from(["", "own", "storage"] if storage else ["", "own"]))
    homes = draw(st.integers(1, 2)) if kind == "two-tier" else 1
    rails = draw(st.integers(homes, 3))
    dual = kind != "two-tier" and draw(st.booleans())
    leaves = draw(st.integers(1, 2))
    numbered = draw(st.booleans())
    per_node = draw(st.integers(leaves, 3))
    nodes = {
        "gpu-box": node_profile(
            rail_nics(rails, 1 + dual), draw(st.sampled_from([leaves, per_node])), leaves
        )
    }
    nodes["disk-box"] = node_profile([], per_node, draw(st.sampled_from([0, leaves])))
    switches = {"leaf-box": switch_profile(1), "spine-box": switch_profile(2)}
    fabric: Mapping = {
        "site": "random",
        "engine": "pyinfra",
        "topology": draw(topologies(kind, homes, racked, numbered)),
        "compute": compute(kind),
        "servers": draw(groups()),
        "lossless": {
            "mode": "marking-only", "dscp": 26, "priority": 3, "cnp": {"dscp": 48, "priority": 6},
            "ip_mtu_bytes": {"hosts": 9000, "switches": 9216},
        },
        "oob": draw(oob(racked)),
        "credentials": {"ssh_key": "file:id", "bmc_password": "env:BMC"},
    }  # fmt: skip
    if racked:
        fabric["racks"] = {
            "units": 60, "power_w": 90000, "pdus": draw(st.integers(1, 3)),
            "pdu_power_w": 90000, "switches_per_rack": draw(st.sampled_from([4, 16])),
        }  # fmt: skip
    if storage:
        own = draw(access(0, leaves, per_node, numbered and business != "storage"))
        fabric["storage"] = {
            "transport": draw(st.sampled_from(["tcp"] if storage == "lacp" else ["tcp", "roce"])),
            "attach": storage, "addresses": "10.96.0.0/15",
            "ip_mtu_bytes": {"hosts": 9000, "switches": 9216}, "switches": own,
            **({"vlan": 50} if storage == "lacp" else {}),
        }  # fmt: skip
    if business:
        shared = business == "storage"
        switches_of_it = "storage" if shared else draw(access(1, leaves, per_node, False))
        fabric["business"] = draw(business_plane(switches_of_it, leaves, shared))
    fabric |= draw(exceptions(fabric["topology"]))
    return Site(fabric, nodes, switches)


@st.composite
def exceptions(draw: st.DrawFn, topology: Mapping) -> Mapping:
    """What differs from the formulas: a node that is not built, another engine, an override."""
    most = topology["maxima"]
    pod, last = "1".zfill(len(str(most["pods"]))), topology["nodes_per_pod"]
    names = [f"node-p{pod}-{str(at).zfill(len(str(most['nodes_per_pod'])))}" for at in (1, last)]
    if last > 1 and draw(st.booleans()):
        topology["absent"] = names[:1]
    out: Mapping = {}
    if draw(st.booleans()):
        out["engine_groups"] = {"pod_1": "ansible", "profile_gpu_box": "ansible"}
    if draw(st.booleans()):
        out["overrides"] = {names[1]: {"management_address": "172.17.255.9"}}
    return out


@st.composite
def topologies(draw: st.DrawFn, kind: str, homes: int, racked: bool, numbered: bool) -> Mapping:
    pods, spines, nodes = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    most = {
        "pods": draw(st.integers(pods, 4)),
        "spines": draw(st.integers(spines, 4)),
        "nodes_per_pod": draw(st.integers(nodes, 12)),
        "server_groups": 3,
        "servers_per_group": 5,
        "servers_per_rack": 2,
    }
    out = {
        "kind": kind,
        "pods": pods,
        "spines": spines,
        "nodes_per_pod": nodes,
        "uplinks_per_spine": draw(st.integers(1, 2)),
        "homes": homes,
        "fabric_links": "numbered" if numbered else "unnumbered",
        "breakout": {key: draw(st.sampled_from([1, 2, 4])) for key in ("nodes", "fabric", "top")},
        "maxima": most,
        "absent": [],
    }
    if racked or draw(st.booleans()):
        out["nodes_per_rack"] = draw(st.integers(1, 3))
    if kind != "two-tier" and draw(st.booleans()):
        most["nodes_per_unit"] = draw(st.integers(1, 4))
    if kind == "rail-optimized-three-tier":
        superspines = draw(st.integers(1, 2))
        out |= {"superspines": superspines, "uplinks_per_superspine": draw(st.integers(1, 2))}
        most["superspines"] = draw(st.integers(superspines, 3))
    return out


def compute(kind: str) -> Mapping:
    three = kind == "rail-optimized-three-tier"
    return {
        "node_profile": "gpu-box",
        "leaf_profile": "leaf-box",
        "spine_profile": "spine-box",
        **({"superspine_profile": "spine-box"} if three else {}),
        "pools": {"loopbacks": "10.64.0.0/16", "links": "10.65.0.0/16", "rails": "10.0.0.0/10"},
        "asn": {
            "spines": 4200000000,
            "leaves": 4200001000,
            **({"superspines": 4200000900} if three else {}),
        },
        "cable_m": {
            "node_leaf": 3,
            "leaf_spine": 30,
            **({"spine_superspine": 100} if three else {}),
        },
        "timers": TIMERS,
    }


TIMERS = {
    "bgp_keepalive_s": 3, "bgp_hold_s": 9, "bgp_connect_s": 1,
    "bfd_interval_ms": 300, "bfd_multiplier": 3,
}  # fmt: skip


@st.composite
def groups(draw: st.DrawFn) -> Mapping:
    ids = draw(st.lists(st.integers(1, 3), unique=True, max_size=2))
    words = ["disks", "login", "mgmt"]
    return {
        words[one - 1]: {"id": one, "profile": "disk-box", "count": draw(st.integers(1, 4))}
        for one in ids
    }


@st.composite
def oob(draw: st.DrawFn, racked: bool) -> Mapping:
    zones = {
        name: f"172.{16 + at}.0.0/16"
        for at, name in enumerate(("netmgmt", "hostmgmt", "bmc", "power", "collectors"))
    }
    out: Mapping = {
        "server": "oob1",
        "access": "100.64.0.2",
        "domain": "random.internal",
        "zones": zones,
    }
    if racked and draw(st.booleans()):
        out["switches"] = {
            "access_profile": "leaf-box",
            "aggregation_profile": "spine-box",
            "breakout": draw(st.sampled_from([1, 4])),
        }
    return out


@st.composite
def access(draw: st.DrawFn, number: int, leaves: int, nics: int, numbered: bool) -> Mapping:
    spines = draw(st.integers(1, 2))
    base = 4200010000 + number * 1000
    return {
        "leaf_profile": "leaf-box",
        "spine_profile": draw(st.sampled_from(["leaf-box", "spine-box"])),
        "spines": spines,
        "uplinks_per_spine": draw(st.integers(1, 2)),
        "leaves_per_block": leaves,
        "pods_per_block": draw(st.integers(1, 2)),
        "fabric_links": "numbered" if numbered else "unnumbered",
        "pools": {"loopbacks": f"10.{66 + number}.0.0/16", "links": f"10.{68 + number}.0.0/16"},
        "asn": {"spines": base, "leaves": base + 100},
        "cable_m": {"node_leaf": 3, "leaf_spine": 30},
        "timers": TIMERS,
        "breakout": {
            "nodes": draw(st.sampled_from([1, 4])),
            "fabric": draw(st.sampled_from([1, 2])),
        },
        "maxima": {"spines": draw(st.integers(spines, 3)), "nics_per_node": max(nics, leaves)},
    }


# Compute, storage and the OOB zones.
CLOSED = [
    {"action": "deny", "protocol": "ip", "source": "any", "destination": pool}
    for pool in ("10.0.0.0/10", "10.96.0.0/15", "172.16.0.0/12")
]


@st.composite
def business_plane(draw: st.DrawFn, own: object, leaves: int, shared: bool) -> Mapping:
    tables = ["users", "admins"] if shared else ["users", "admins", "default"]
    vlans = [
        {
            "id": 100 + at, "name": f"vlan{at}", "vrf": draw(st.sampled_from(tables)),
            "addresses": f"10.{100 + at}.0.0/16",
            "acl": [*CLOSED, {"action": "permit", "protocol": "tcp", "source": "any",
                              "destination": "any", "port": 22}],
        }
        for at in range(draw(st.integers(1, 3)))
    ]  # fmt: skip
    return {
        "attach": draw(st.sampled_from(["lacp", "single"])) if leaves == 1 else "lacp",
        "vlans": vlans,
        "ip_mtu_bytes": {"hosts": 1500, "switches": 9000},
        "switches": own,
    }


def grown_full(site: Site) -> Site:
    """The site with everything built that its maxima allow, but no new groups."""
    larger = site.copy()
    topology = larger.fabric["topology"]
    for key in ("nodes_per_pod", "pods", "spines", "superspines"):
        if key in topology:
            topology[key] = topology["maxima"][key]
    for group in larger.fabric["servers"].values():
        group["count"] = topology["maxima"]["servers_per_group"]
    for plane in ("storage", "business"):
        own = larger.fabric.get(plane, {}).get("switches")
        if isinstance(own, dict):
            own["spines"] = own["maxima"]["spines"]
    return larger


def growths(site: Site) -> dict[str, Site]:
    """The site, larger by one of each thing that its maxima leave room for."""
    topology = site.fabric["topology"]
    full = grown_full(site)
    out = {"everything": full} if full.fabric != site.fabric else {}
    for key in ("nodes_per_pod", "pods", "spines", "superspines"):
        if key in topology and topology[key] < topology["maxima"][key]:
            larger = site.copy()
            larger.fabric["topology"][key] += 1
            out[key] = larger
    for plane in ("storage", "business"):
        own = site.fabric.get(plane, {}).get("switches")
        if isinstance(own, dict) and own["spines"] < own["maxima"]["spines"]:
            larger = site.copy()
            larger.fabric[plane]["switches"]["spines"] += 1
            out[f"{plane} spines"] = larger
    for name, group in site.fabric["servers"].items():
        if group["count"] < topology["maxima"]["servers_per_group"]:
            larger = site.copy()
            larger.fabric["servers"][name]["count"] += 1
            out["servers"] = larger
    free = {1, 2, 3} - {one["id"] for one in site.fabric["servers"].values()}
    if free:
        larger = site.copy()
        larger.fabric["servers"]["later"] = {"id": min(free), "profile": "disk-box", "count": 2}
        out["groups"] = larger
    return out
