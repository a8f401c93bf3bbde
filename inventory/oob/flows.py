"""Who may talk to whom: services, the flows that every site has, and who reaches whom by them.

Flows are directed and each is a service by name. Who holds a place by a service that can go
further (a login, a tunnel, a service that nobody knows) also has the flows of that place; the
jump host is the one place where that ends, because people are checked there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from inventory.plan.boundary import Flow

PLANES = ("compute", "storage", "business")
ZONES = ("bmc", "collectors", "hostmgmt", "netmgmt", "power")
HOSTS = ("controller", "dmz", "jump_host", "oob_server", "outside")
WORDS = tuple(sorted((*PLANES, *ZONES, *HOSTS)))

PROTOCOLS = ("tcp", "udp")
ANY = "any"
GUARDS = frozenset({"jump_host"})
PACKAGES = "packages"
NTP = "ntp"

# Protocol and ports of what flows may name. Numbers: IANA's registry of service names and ports,
# where no other source stands beside them.
SERVICES: Mapping[str, tuple[tuple[str, int], ...]] = {
    ANY: ((ANY, 0),),
    "bgp": (("tcp", 179),),
    "dcgm-exporter": (("tcp", 9400),),  # docs.nvidia.com/datacenter/dcgm, dcgm-exporter(1)
    "dhcp": (("udp", 67),),
    "dns": (("tcp", 53), ("udp", 53)),
    "gnmi": (("tcp", 9339),),  # Cumulus Linux 5.14, gNMI streaming: its default too
    "http": (("tcp", 80),),
    "https": (("tcp", 443),),  # Redfish too (DMTF DSP0266)
    "ipmi": (("udp", 623),),
    "ldaps": (("tcp", 636),),
    "nfs": (("tcp", 2049),),
    "node-exporter": (("tcp", 9100),),  # Prometheus' wiki, default port allocations
    NTP: (("udp", 123),),
    "otlp": (("tcp", 4317),),  # OpenTelemetry Protocol Specification, OTLP/gRPC
    "proxy": (("tcp", 3128),),
    "snmp": (("udp", 161),),
    "ssh": (("tcp", 22),),
    "syslog": (("udp", 514),),
    "syslog-tls": (("tcp", 6514),),
    "tftp": (("udp", 69),),
    "wireguard": (("udp", 51820),),  # wireguard.com, quick start
}
# Who has one of these can go on from there. `any` holds them all.
GOES_ON = frozenset({ANY, "proxy", "ssh", "wireguard"})
ENDS_THERE = frozenset({*SERVICES, PACKAGES}) - GOES_ON

# The flows that every site has, where both ends exist: source, target, service, reason.
# DGX H100/H200 User Guide, "Securing the BMC Port": a network of its own behind a firewall.
_EVERY_SITE = (
    ("collectors", "bmc", "https", "sensors and event logs by Redfish"),
    ("collectors", "hostmgmt", "dcgm-exporter", "metrics of GPUs"),
    ("collectors", "hostmgmt", "node-exporter", "metrics of nodes"),
    ("collectors", "netmgmt", "gnmi", "counters of switches"),
    ("collectors", "power", "snmp", "load of PDUs"),
    ("controller", "jump_host", "ssh", "people and railbed come in here"),
    ("controller", "oob_server", "ssh", "railbed changes it, and devices through it"),
    ("hostmgmt", "oob_server", PACKAGES, "nodes have no way out: a mirror of the version lock"),
    ("hostmgmt", "oob_server", "http", "UEFI HTTP boot"),
    ("hostmgmt", "oob_server", "tftp", "PXE boot"),
    ("jump_host", "hostmgmt", "ssh", "people log in to nodes"),
    ("jump_host", "netmgmt", "ssh", "people log in to switches"),
    ("jump_host", "oob_server", "ssh", "the way to BMCs and PDUs"),
    ("netmgmt", "oob_server", "http", "zero-touch provisioning: a bootstrap without secrets"),
    ("oob_server", "bmc", "https", "power, boot order and firmware by Redfish"),
    ("oob_server", "bmc", "ipmi", "serial consoles, and boards without Redfish"),
    ("oob_server", "hostmgmt", "ssh", "the controller's way to nodes"),
    ("oob_server", "netmgmt", "ssh", "the controller's way to switches"),
    ("oob_server", "power", "https", "outlets of PDUs"),
    ("oob_server", "power", "snmp", "outlets of PDUs"),
)
_EVERY_ZONE = (
    ("dhcp", "leases by as-built MAC"),
    ("dns", "names of the site"),
    (NTP, "one clock for logs and certificates"),
    ("syslog", "logs survive the device"),
)
_BY_NAT = ("business", "outside", "https", "users fetch what they need, by NAT")


def ports_of(service: str, packages_port: int) -> tuple[tuple[str, int], ...]:
    """Return protocol and port of each part of a known service; KeyError for another."""
    return (("tcp", packages_port),) if service == PACKAGES else SERVICES[service]


def default_flows(
    present: Iterable[str], packages_port: int, nat: bool = False
) -> tuple[Flow, ...]:
    """Return what may pass at every site, sorted: the flows whose both ends are `present`.

    `nat` says whether the business plane leaves the site by NAT.
    """
    there = frozenset(present)
    rows = [*_EVERY_SITE, *((zone, "oob_server", *row) for zone in ZONES for row in _EVERY_ZONE)]
    rows += [_BY_NAT] if nat else []
    return tuple(
        sorted(
            Flow(source, target, protocol, port, service, why)
            for source, target, service, why in rows
            if {source, target} <= there
            for protocol, port in ports_of(service, packages_port)
        )
    )


def neighbours(groups: Mapping[str, str]) -> tuple[Flow, ...]:
    """Return what no firewall sees: hosts of one network reach each other by anything.

    `groups` maps each group of servers to the plane it is reached on.
    """
    pairs = {("jump_host", "dmz"), *groups.items()}
    both = pairs | {(other, one) for one, other in pairs}
    return tuple(Flow(*ends, ANY, 0, ANY, "the same network") for ends in sorted(both))


def goes_on(flow: Flow) -> bool:
    """Whether who uses this flow can go on from its target.

    A service of the site's own may be a shell on another port, so it is taken for one.
    """
    return flow.service not in ENDS_THERE


def ways(
    flows: Iterable[Flow], source: str, guards: frozenset[str] = GUARDS
) -> dict[str, tuple[Flow, ...]]:
    """Return each place that `source` reaches, with the shortest chain of flows to it."""
    out: dict[str, list[Flow]] = {}
    for flow in sorted(flows):
        out.setdefault(flow.source, []).append(flow)
    found: dict[str, tuple[Flow, ...]] = {}
    held: dict[str, tuple[Flow, ...]] = {source: ()}
    queue = deque([source])
    while queue:
        here = queue.popleft()
        for flow in out.get(here, ()):
            way = (*held[here], flow)
            found.setdefault(flow.target, way)
            if goes_on(flow) and flow.target not in held and flow.target not in guards:
                held[flow.target] = way
                queue.append(flow.target)
    found.pop(source, None)
    return found


def spoken(flow: Flow) -> str:
    """Return a flow's service as people write it: `ssh tcp/22`."""
    return flow.service if flow.protocol == ANY else f"{flow.service} {flow.protocol}/{flow.port}"
