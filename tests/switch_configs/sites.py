"""Sites in one switch system: the shipped ones with other switches, and a small one of our own.

Nothing here knows how a dialect prints. Where a system cannot do what a shipped site asks, the
site is changed by its options, as its owner would: what it cannot is in
`inventory.switches.abilities`.
"""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from inventory import open_site
from inventory.load.site import PROFILES, SITES
from inventory.plan import Plan
from inventory.switches.abilities import cannot
from tests.generated.sites import make_up_asbuilt
from tests.shipped import loaded

Mapping = dict[str, Any]
DIALECTS = ("cumulus", "eos", "linux_frr", "nxos", "sonic")

# The profile of leaves and spines; the OOB plane's are found among the profiles.
DATA = {
    "cumulus": "sn5600-cumulus",
    "eos": "arista-7060x6-64pe-eos",
    "linux_frr": "whitebox-64x800-frr",
    "nxos": "nexus-9364e-sg2-nxos",
    "sonic": "sn5600-sonic",
}
SHIPPED = ("pod-256", "superpod-10k")
MOST_IP_MTU_BYTES = {"eos": 9214}
# Systems without MLAG, or without ports enough for both, have switches of their own for users.
_APART = ("linux_frr", "nxos", "sonic")


@cache
def profiles() -> Mapping:
    """The shipped switch profiles, by name."""
    return dict(loaded(PROFILES / "switches.yml"))


def oob_profiles(dialect: str) -> tuple[str, str] | None:
    """The access and the aggregation profile of a dialect; None where it has no such switch."""
    own = {name: one for name, one in profiles().items() if one["dialect"] == dialect}
    access = [name for name, one in sorted(own.items()) if "uplinks" in one]
    if not access or cannot("OOB switches", dialect):
        return None
    rates = {name: one["ports"]["rate_gbps"] for name, one in own.items() if name not in access}
    return access[0], min(rates, key=lambda name: (rates[name] < 100, rates[name], name))


# Plans of large sites are large: a few of them in memory slow every later test down.
@lru_cache(maxsize=1)
def shipped(name: str, dialect: str) -> Plan:
    """A shipped site with every switch of one dialect."""
    return _open(_shipped, name, dialect)


@cache
def small(dialect: str) -> Plan:
    """A site of every role: three tiers, storage, business with a table of users, OOB."""
    return _open(_small, "small", dialect)


def small_with(dialect: str, change: Callable[[Mapping], None]) -> Plan:
    """The small site with some of its options changed, as its owner would."""

    def make(name: str, dialect: str) -> Mapping:
        site = _small(name, dialect)
        change(site)
        return site

    return _open(make, "small", dialect)


def small_site(dialect: str) -> Mapping:
    """The text of that site: `fabric.yml`, and its node profiles under `profiles`."""
    return copy.deepcopy(_small("small", dialect))


def _open(make: Callable[[str, str], Mapping], name: str, dialect: str) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        site = make(name, dialect)
        path = Path(folder) / name
        path.mkdir()
        (path / "profiles").mkdir()
        for key, file in (("profiles", "nodes.yml"), ("switch_profiles", "switches.yml")):
            if key in site:
                (path / "profiles" / file).write_text(json.dumps(site.pop(key)))
        (path / "fabric.yml").write_text(json.dumps(site, indent=1))
        (path / "asbuilt.csv").write_text("device,port,mac,serial\n")
        if name == "small":
            make_up_asbuilt(path)
        return open_site(path)


def _shipped(name: str, dialect: str) -> Mapping:
    site: Mapping = loaded(SITES / name / "fabric.yml")
    return in_dialect(site, dialect)


def in_dialect(site: Mapping, dialect: str) -> Mapping:
    """A site with every switch of one dialect, its options changed where they must be."""
    site, data = copy.deepcopy(site), DATA[dialect]
    parts = [site["compute"]]
    for plane in ("storage", "business"):
        own = site.get(plane, {}).get("switches")
        parts += [own] if isinstance(own, dict) else []
    for part in parts:
        for key in ("leaf_profile", "spine_profile", "superspine_profile"):
            if key in part:
                part[key] = data
    if dialect in _APART and site.get("business", {}).get("switches") == "storage":
        site["business"]["switches"] = _switches_of_users(site)
    site["switch_services"] = _services(site, dialect)
    site["credentials"] = _read(site)
    _fit_ports(site, profiles()[data])
    _fit_mtu(site, MOST_IP_MTU_BYTES.get(dialect, 9216))
    if profiles()[data]["lossless"] != "full":
        site["lossless"]["mode"] = profiles()[data]["lossless"]
    if "power_w" not in profiles()[data] and "racks" in site:
        site["racks"].setdefault("power_of", {})[data] = 2400
    if cannot("bonds over two leaves", dialect):
        _one_leaf(site)
    if cannot("routing tables", dialect):
        for vlan in site.get("business", {}).get("vlans", ()):
            vlan["vrf"] = "default"
    oob = oob_profiles(dialect)
    if oob and "switches" in site["oob"]:
        _fit_oob(site["oob"]["switches"], *oob)
        if "power_w" not in profiles()[oob[0]] and "racks" in site:
            site["racks"].setdefault("power_of", {})[oob[0]] = 400
    return site


SERVICES = {
    "ntp": "NTP", "syslog": "syslog", "tacacs": "TACACS+", "snmp": "SNMPv3", "gnmi_port": "gNMI",
}  # fmt: skip


def _services(site: Mapping, dialect: str) -> Mapping:
    """Those that every switch of the site has: OOB switches may stay as they are."""
    own = [] if oob_profiles(dialect) else site["oob"].get("switches", {}).values()
    systems = {dialect, *(profiles()[one]["dialect"] for one in own if one in profiles())}
    return {
        key: value
        for key, value in site.get("switch_services", {}).items()
        if not any(cannot(SERVICES[key], one) for one in systems)
    }


def _read(site: Mapping) -> Mapping:
    """The credentials that something still reads."""
    said = site["switch_services"]
    named = {"ssh_key", said.get("tacacs", {}).get("key")}
    named |= {value for key, value in said.get("snmp", {}).items() if key != "user"}
    return {name: one for name, one in site["credentials"].items() if name in named}


def _fit_ports(site: Mapping, profile: Mapping) -> None:
    """Links of a rate that the profile has, and whose headroom somebody published."""
    ways = {one["ways"] for one in profile["ports"]["breakout"]} | {1}
    slow = profile.get("asic", "").startswith("tomahawk5")
    topology = site["topology"]
    for one, keys in _topologies(site):
        use = one.setdefault("breakout", {})
        if use.get("nodes", 1) not in ways:
            use["nodes"] = max(way for way in ways if way <= use["nodes"])
        if slow and use.get("fabric", 1) == 1:
            use["fabric"] = 2
            one[keys] = one[keys] * 2
        elif use.get("fabric", 1) not in ways:
            use["fabric"] = 1
    if slow and topology["kind"].endswith("three-tier"):
        topology["breakout"]["top"] = 2
        topology["uplinks_per_superspine"] = 2 * topology.get("uplinks_per_superspine", 1)


def _topologies(site: Mapping) -> list[tuple[Mapping, str]]:
    out = [(site["topology"], "uplinks_per_spine")]
    for plane in ("storage", "business"):
        own = site.get(plane, {}).get("switches")
        out += [(own, "uplinks_per_spine")] if isinstance(own, dict) else []
    return out


def _fit_mtu(site: Mapping, most: int) -> None:
    for part in (site["lossless"], site.get("storage"), site.get("business")):
        if part:
            mtu = part["ip_mtu_bytes"]
            mtu["switches"] = min(mtu["switches"], most)


def _one_leaf(site: Mapping) -> None:
    """Without MLAG a node's bond ends on one leaf."""
    business = site.get("business")
    if business:
        business["switches"] |= {"leaves_per_block": 1, "oversubscription": {}}


def _switches_of_users(site: Mapping) -> Mapping:
    """Like storage's, with pools and ASNs of their own."""
    own: Mapping = copy.deepcopy(site["storage"]["switches"])
    return own | {
        "spines": 2,
        "uplinks_per_spine": 1,
        "maxima": {"spines": 2},
        "breakout": {"nodes": 8 if own["leaf_profile"] == DATA["nxos"] else 4, "fabric": 2},
        "oversubscription": {},
        "pools": {"loopbacks": "10.255.20.0/22", "links": "10.249.0.0/16"},
        "asn": {"spines": 4200030000, "leaves": 4200030100},
    }


def _fit_oob(said: Mapping, access: str, aggregation: str) -> None:
    ways = {one["ways"] for one in profiles()[aggregation]["ports"].get("breakout", [])} | {1}
    said |= {"access_profile": access, "aggregation_profile": aggregation}
    if "core_profile" in said:
        said["core_profile"] = aggregation
    if said.get("breakout", 1) not in ways:
        said["breakout"] = max(ways)


TINY_NODE: Mapping = {
    "management_port": "eth0",
    "bmc": {"protocol": "redfish"},
    "gpus": [{"numa": 0}, {"numa": 0}],
    "rails": [
        {"port": "rail0", "rate_gbps": 400, "gpu": 0},
        {"port": "rail1", "rate_gbps": 400, "gpu": 1},
    ],
    "storage": [{"port": f"sto{n}", "rate_gbps": 200} for n in range(2)],
    "business": [{"port": f"biz{n}", "rate_gbps": 100} for n in range(2)],
    "rack_units": 8,
    "power_w": 10000,
    "source": "made up for tests",
}


def _small(_name: str, dialect: str) -> Mapping:
    site: Mapping = loaded(SITES / "superpod-10k" / "fabric.yml")
    site |= {"site": "small", "profiles": {"tiny-node": TINY_NODE}, "servers": {}}
    for key in ("rollout", "boundary", "versions"):
        del site[key]
    del site["business"]["default_route"]
    site["topology"] |= {
        "pods": 2, "nodes_per_pod": 2, "spines": 2, "superspines": 2, "uplinks_per_spine": 2,
        "uplinks_per_superspine": 2, "nodes_per_rack": 2, "oversubscription": {},
        "maxima": {"pods": 3, "nodes_per_pod": 4, "spines": 2, "superspines": 2},
    }  # fmt: skip
    site["compute"]["node_profile"] = "tiny-node"
    storage, business = site["storage"]["switches"], site["business"]
    storage |= {
        "spines": 2,
        "maxima": {"spines": 2},
        "oversubscription": {},
        "uplinks_per_spine": 1,
    }
    (users,) = business["vlans"]
    users["addresses"] = "10.96.0.0/20"
    business["vlans"] = [
        users,
        {"id": 301, "name": "admins", "vrf": "admins", "addresses": "10.96.16.0/20"},
    ]
    site["racks"] = {"units": 48, "power_w": 80000, "pdus": 2, "pdu_power_w": 80000}
    site["credentials"] |= {
        "tacacs_key": "env:TACACS", "snmp_auth": "env:SNMP_A", "snmp_priv": "env:SNMP_P",
    }  # fmt: skip
    site["switch_services"] = {
        "ntp": ["172.16.64.5"],
        "syslog": ["172.16.64.6"],
        "tacacs": {"servers": ["172.16.64.8", "172.16.64.9"], "key": "tacacs_key"},
        "snmp": {"user": "reader", "auth": "snmp_auth", "priv": "snmp_priv"},
        "gnmi_port": 9339,
    }
    return in_dialect(site, dialect)
