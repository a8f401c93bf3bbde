"""What each switch OS can do of what a site may ask, beside the lossless class.

A dialect that cannot is refused while the inventory is read, by the option that asks: a line
that is silently missing on one of a thousand switches is found by a lost training run. What it
says here of a dialect must be what its folder in `switch_configs` renders; a test holds both.
"""

from __future__ import annotations

from dataclasses import dataclass

FEATURES = (
    "numbered links",
    "unnumbered links",
    "three tiers",
    "routing tables",
    "VLANs",
    "bonds over two leaves",
    "bonds on one leaf",
    "access lists",
    "OOB switches",
    "NTP",
    "syslog",
    "TACACS+",
    "SNMPv3",
    "gNMI",
    "IPv6 servers",
    "local accounts",
    "copper autonegotiation",
)


@dataclass(frozen=True, slots=True)
class No:
    """Why a dialect does not do it, with a source, and what to do instead."""

    why: str
    instead: str = "choose another dialect"


@dataclass(frozen=True, slots=True)
class AdaptiveRouting:
    """Where a dialect has adaptive routing that we could check: ASIC, port rates, releases."""

    asics: tuple[str, ...]
    rates_gbps: tuple[float, ...]
    releases: tuple[str, ...]
    source: str


# By dialect: what it cannot do. What is not here, it can.
CANNOT: dict[str, dict[str, No]] = {
    "cumulus": {},
    "eos": {},
    "linux_frr": {
        "bonds over two leaves": No("Linux has no MLAG", "`leaves_per_block: 1`"),
        "TACACS+": No("Debian ships no maintained TACACS+ login", "leave it out: SSH keys"),
        "SNMPv3": No("this dialect configures no SNMP agent", "leave it out"),
        "gNMI": No("Linux has no gNMI server", "leave it out"),
        "local accounts": No(
            "its logins are those of Linux (/etc/passwd), which no file that is read here holds",
            "name the other switches under `devices`",
        ),
        "copper autonegotiation": No(
            "this dialect sets neither rate nor FEC of a port, which its driver does",
            "leave `copper_autoneg` out",
        ),
    },
    "nxos": {
        "copper autonegotiation": No(
            "Cisco's Interfaces guide has `negotiate auto`, and no list that we could read says on "
            "which ports of 100 Gb/s and more it holds: nobody could check it",
            "leave `copper_autoneg` out",
        ),
    },
    "sonic": {
        "bonds over two leaves": No(
            "community SONiC ships no MCLAG daemon in its images (sonic-buildimage, rules/config: "
            "INCLUDE_ICCPD = n)",
            "`leaves_per_block: 1`",
        ),
        "routing tables": No(
            "tables meet on tagged subinterfaces without addresses, and SONiC takes link-local "
            "next hops on ports, bonds and VLANs only (sonic-swss, neighsyncd/neighsync.cpp, "
            "isLinkLocalEnabled)",
            "`vrf: default` where business has switches of its own, or choose another dialect",
        ),
        "OOB switches": No(
            "CONFIG_DB has no port isolation (sonic-buildimage, src/sonic-yang-models), so devices "
            "of a zone would see each other",
            "choose another dialect for the OOB plane",
        ),
        "local accounts": No(
            "CONFIG_DB holds no logins (sonic-buildimage, src/sonic-yang-models): they are those "
            "of its Linux, which nobody reads here",
            "name the other switches under `devices`",
        ),
    },
}

# What keeps isolated ports of the OOB plane apart by private VLANs: their switches know the
# isolated VLANs of each other, which switches of other dialects do not (RFC 5517).
PRIVATE_VLANS = frozenset({"eos", "nxos"})

# By dialect; one that is missing has no adaptive routing that anybody could check.
ADAPTIVE_ROUTING: dict[str, AdaptiveRouting] = {
    "cumulus": AdaptiveRouting(
        ("spectrum4",),
        (200, 400),
        ("5.14.0",),
        "NVIDIA Cumulus Linux 5.14, Equal Cost Multipath: Spectrum-4 at 200 and 400 Gb/s only",
    ),
}


@dataclass(frozen=True, slots=True)
class Most:
    """The largest value that a dialect takes, with its source."""

    value: int
    source: str


# By dialect: the largest IP MTU of a port, bytes; one that is missing takes what the schema does.
MOST_IP_MTU_BYTES: dict[str, Most] = {
    "eos": Most(9214, "Arista EOS User Manual, Ethernet Ports: `mtu` takes 68 to 9214 bytes"),
}


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates that a dialect has words for, Gb/s, with their source."""

    rates_gbps: tuple[float, ...]
    source: str


# By dialect: one that is missing takes any whole number of Mb/s.
RATES_GBPS: dict[str, Rates] = {
    "cumulus": Rates(
        (0.01, 0.1, 1, 10, 25, 40, 50, 100, 200, 400, 800),
        "NVIDIA Cumulus Linux 5.14, Switch Port Attributes: `link speed`",
    ),
    "eos": Rates(
        (1, 10, 25, 40, 50, 100, 200, 400, 800),
        "Arista EOS User Manual, Layer 1 Profiles: `speed`",
    ),
    "nxos": Rates(
        (0.1, 1, 10, 25, 40, 50, 100, 200, 400, 800),
        "Cisco Nexus 9000 NX-OS Interfaces guide: `speed`",
    ),
}


@dataclass(frozen=True, slots=True)
class Negotiated:
    """The ports that a dialect has words for to negotiate: rate in Gb/s and lanes."""

    ports: frozenset[tuple[float, int]]
    source: str


# By dialect: one that is missing negotiates any rate that it has, and can be told not to.
NEGOTIATED: dict[str, Negotiated] = {
    "eos": Negotiated(
        frozenset(
            {
                (10, 1), (25, 1), (40, 4), (50, 1), (50, 2), (100, 1), (100, 2), (100, 4),
                (200, 1), (200, 2), (200, 4), (400, 2), (400, 4), (400, 8), (800, 4), (800, 8),
            }
        ),
        "values of `ethernet_interfaces.speed` in the schema of aristanetworks/avd; without `auto` "
        "a port of EOS does not negotiate",
    ),
}  # fmt: skip

# By dialect: why the ports of a split cage all run at one rate.
ONE_RATE_PER_CAGE: dict[str, str] = {
    "nxos": "Cisco Nexus 9000 NX-OS Interfaces guide: `interface breakout` has one map a port",
}


@dataclass(frozen=True, slots=True)
class Taken:
    """PFC priorities that a dialect needs for itself: for what, by priority."""

    priorities: dict[int, str]
    source: str


TAKEN_PRIORITIES: dict[str, Taken] = {
    "eos": Taken(
        {1: "packets that it does not trust", 7: "its own packets"},
        "Arista EOS User Manual, Quality of Service: default maps, traffic class 7",
    ),
}


def cannot(feature: str, dialect: str) -> No | None:
    """Return why a dialect does not do one of FEATURES; None where it does."""
    return CANNOT.get(dialect, {}).get(feature)


# By dialect: the sections that raw lines may stand in, as `switch_configs/<dialect>` prints them.
RAW_SECTIONS: dict[str, tuple[str, ...]] = {
    "cumulus": (
        "acl",
        "bridge",
        "interface",
        "mlag",
        "qos",
        "router",
        "service",
        "system",
        "vrf",
    ),
    "eos": (
        "system",
        "logging",
        "link_tracking",
        "hostname",
        "qos_profiles",
        "snmp",
        "spanning_tree",
        "vlans",
        "vrfs",
        "gnmi",
        "tacacs",
        "port_channels",
        "ethernet",
        "loopback",
        "management",
        "vlan_interfaces",
        "access_lists",
        "routing",
        "community_lists",
        "prefix_lists",
        "ipv6_routing",
        "mlag",
        "static_routes",
        "ntp",
        "qos",
        "pfc",
        "route_maps",
        "bgp",
        "ssh",
    ),
    "linux_frr": (
        "interfaces",
        "nftables",
        "sysctl",
        "lldpd",
        "daemons",
        "queues",
        "timesyncd",
        "rsyslog",
        "frr_system",
        "frr_discards",
        "frr_bgp",
        "frr_prefix_lists",
        "frr_communities",
        "frr_policies",
        "frr_bfd",
    ),
    "nxos": (
        "system",
        "features",
        "tacacs",
        "access-lists",
        "qos",
        "services",
        "vlans",
        "policies",
        "vrfs",
        "hardware",
        "interfaces",
        "lines",
        "bgp",
        "logging",
    ),
    "sonic": (
        "device",
        "management",
        "servers",
        "ports",
        "vlans",
        "access-lists",
        "maps",
        "queues",
        "watchdog",
        "buffers",
        "hash",
        "other",
        "frr-system",
        "frr-discards",
        "frr-bgp",
        "frr-prefix_lists",
        "frr-communities",
        "frr-policies",
        "frr-bfd",
    ),
}
