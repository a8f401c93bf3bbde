"""Tables of a plan: each row where they are few, else one row for what is alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from rich.table import Table
from rich.text import Text

from inventory.plan import Node, OobSwitch, Plan, Plane, Switch, Wave

from .words import MOST_ROWS, named_span, plain_table, span

_PLANES: dict[Plane, int] = {"compute": 0, "storage": 1, "business": 2, "oob": 3}
# More pods and groups than this are folded once more where all planes are shown.
_MOST_KINDS = 8
One = TypeVar("One")
Key = TypeVar("Key", bound=Hashable)


def grouped(values: Iterable[One], key: Callable[[One], Key]) -> dict[Key, list[One]]:
    """Values by a key, in the order in which they come."""
    out: dict[Key, list[One]] = defaultdict(list)
    for value in values:
        out[key(value)].append(value)
    return out


def switch_table(plan: Plan, plane: Plane | None, *, everything: bool) -> Table:
    """Switches of a plane, or of all data planes."""
    found = [switch for switch in plan.switches if plane is None or plane in switch.planes]
    if everything or len(found) <= MOST_ROWS:
        return _each_switch(found)
    return _switches_by_tier(found) if plane is None else _switches_by_pod(found)


def _each_switch(found: list[Switch]) -> Table:
    columns = ("name", "tier", "ASN", "loopback", "aggregate", "management", "ECMP", "ports")
    table = plain_table("Switches", columns)
    for switch in found:
        table.add_row(
            switch.name,
            switch.tier,
            str(switch.asn),
            str(switch.loopback),
            ", ".join(map(str, switch.aggregates)) or "-",
            str(switch.management.address),
            str(switch.ecmp_width),
            str(len(switch.ports)),
        )
    return table


def _switches_by_tier(found: list[Switch]) -> Table:
    columns = ("plane", "tier", "count", "switches", "ASN from", "loopback from")
    table = plain_table("Switches by tier", columns)
    ordered = sorted(found, key=lambda one: (_PLANES[one.plane], one.tier))
    for (plane, tier), some in grouped(ordered, lambda one: (one.plane, one.tier)).items():
        cells = (str(len(some)), _names(some), _asns(some), _loopbacks(some))
        table.add_row(plane, tier, *cells)
    return table


def _switches_by_pod(found: list[Switch]) -> Table:
    columns = ("tier", "pod or block", "count", "switches", "ASN from", "loopback from")
    table = plain_table("Switches by pod", columns)
    for (tier, pod), some in grouped(found, lambda one: (one.tier, one.pod)).items():
        cells = (str(len(some)), _names(some), _asns(some), _loopbacks(some))
        table.add_row(tier, str(pod or "-"), *cells)
    return table


def _names(found: list[Switch]) -> str:
    return named_span([switch.name for switch in found])


def _asns(found: list[Switch]) -> str:
    return str(min(switch.asn for switch in found))


def _loopbacks(found: list[Switch]) -> str:
    return str(min(switch.loopback for switch in found))


def node_tables(plan: Plan, plane: Plane | None, *, everything: bool) -> list[Table]:
    """NICs of a plane, or of all data planes."""
    tables = []
    if plane in (None, "compute"):
        tables.append(_rails(plan, everything=everything))
    found = [access for access in _access(plan) if plane in (None, access.plane)]
    if found:
        tables.append(_access_table(found, plane is None, everything=everything))
    return tables


def _rails(plan: Plan, *, everything: bool) -> Table:
    nodes = [one for one in plan.nodes if one.rails]
    if not everything and sum(len(one.rails) for one in nodes) > MOST_ROWS:
        return _rails_by_pod(nodes)
    columns = ("name", "management", "NIC", "address", "leaf port", "MTU", "table")
    table = plain_table("Nodes", columns)
    for node in nodes:
        for index, nic in enumerate(node.rails):
            first = (node.name, str(node.management.address)) if index == 0 else ("", "")
            mtu, number = str(nic.ip_mtu_bytes), str(nic.table)
            table.add_row(*first, nic.port, str(nic.address), str(nic.leaf), mtu, number)
    return table


def _rails_by_pod(nodes: list[Node]) -> Table:
    columns = ("pod", "nodes", "names", "management from", "rail addresses", "rail NICs")
    table = plain_table("Nodes by pod", columns)
    for pod, some in grouped(nodes, lambda one: one.pod).items():
        rails = sorted(nic.address.ip for node in some for nic in node.rails)
        first = min(node.management.address for node in some)
        names = named_span([node.name for node in some])
        table.add_row(str(pod), str(len(some)), names, str(first), span(rails), str(len(rails)))
    return table


class _Access:
    """A NIC or bond of the storage and business planes, with what a row says of it."""

    __slots__ = ("address", "folded", "kind", "leaf", "mtu", "node", "plane", "port")

    def __init__(
        self, node: Node, plane: Plane, port: str, row: tuple[str, tuple[str, ...], int]
    ) -> None:
        self.node, self.plane, self.port = node.name, plane, port
        self.kind = f"pod {node.pod}" if node.pod else node.kind
        self.folded = "all pods" if node.pod else node.kind
        self.address, self.leaf, self.mtu = row


def _access(plan: Plan) -> list[_Access]:
    out = []
    for node in plan.nodes:
        for nic in node.nics:
            if nic.address is not None:
                at = (str(nic.address), (str(nic.leaf),), nic.ip_mtu_bytes)
                out.append(_Access(node, nic.plane, nic.port, at))
        for vlan in node.vlans:
            ends = tuple(str(nic.leaf) for nic in node.nics if nic.plane == vlan.plane)
            where = f"{vlan.interface}.{vlan.vlan}" if vlan.tagged else vlan.interface
            row = (str(vlan.address), ends, vlan.ip_mtu_bytes)
            out.append(_Access(node, vlan.plane, where, row))
    return out


def _access_table(found: list[_Access], all_planes: bool, *, everything: bool) -> Table:
    if not everything and len(found) > MOST_ROWS:
        return _access_by_pod(found, all_planes=all_planes)
    columns = ("name", "plane", "NIC", "address", "leaf ports", "MTU")
    table = plain_table("NICs of storage and business", columns)
    for access in found:
        cells = (access.port, access.address, Text("\n".join(access.leaf)), str(access.mtu))
        table.add_row(access.node, access.plane, *cells)
    return table


def _access_by_pod(found: list[_Access], *, all_planes: bool) -> Table:
    columns = ("plane", "where", "nodes", "NICs", "first address", "last address", "MTU")
    table = plain_table("NICs of storage and business by pod and group", columns)
    many = all_planes and len({access.kind for access in found}) > _MOST_KINDS
    ordered = sorted(found, key=lambda one: _PLANES[one.plane])
    groups = grouped(ordered, lambda one: (one.plane, one.folded if many else one.kind))
    for (plane, kind), some in groups.items():
        nodes = str(len({access.node for access in some}))
        ports = ", ".join(dict.fromkeys(access.port for access in some))
        ends = (some[0].address, some[-1].address)
        table.add_row(plane, kind, nodes, ports, *ends, str(some[0].mtu))
    return table


def wave_table(plan: Plan, *, everything: bool) -> Table:
    """The order in which devices are changed."""
    shown = [one for one in plan.waves if one.devices]
    if not everything and (len(shown) > MOST_ROWS or any(len(one.devices) > 8 for one in shown)):
        return _waves_by_step(shown)
    table = plain_table("Waves", ("#", "step", "wave", "devices"))
    for index, wave in enumerate(plan.waves, 1):
        name = f"{wave.name} (canary)" if wave.canary else wave.name
        table.add_row(str(index), wave.step, name, ", ".join(wave.devices))
    return table


def _waves_by_step(waves: list[Wave]) -> Table:
    table = plain_table("Waves by step", ("step", "waves", "devices", "largest wave"))
    for step, some in grouped(waves, lambda one: one.step).items():
        largest = max(some, key=lambda one: len(one.devices))
        devices = sum(len(wave.devices) for wave in some)
        canaries = sum(wave.canary for wave in some)
        told = f"{len(some):,}, {canaries} of them canaries"
        table.add_row(step, told, f"{devices:,}", f"{largest.name}, {len(largest.devices)}")
    return table


def oob_tables(plan: Plan, *, everything: bool) -> list[Table]:
    """Zones, and the switches of the OOB plane."""
    zones = plain_table("Zones", ("zone", "VLAN", "network", "server", "leases known", "offers"))
    for zone in plan.oob.zones:
        offers = ", ".join(
            f"{service.name} {service.protocol}/{service.port}" for service in zone.services
        )
        cells = (str(zone.vlan), str(zone.prefix), str(zone.server_address.ip))
        zones.add_row(zone.name, *cells, f"{len(zone.leases):,}", offers or "DHCP, DNS")
    if not plan.oob_switches:
        return [zones]
    few = everything or len(plan.oob_switches) <= MOST_ROWS
    own = _each_oob_switch(plan.oob_switches) if few else _oob_by_tier(plan.oob_switches)
    return [zones, own]


def _each_oob_switch(found: Iterable[OobSwitch]) -> Table:
    columns = ("name", "tier", "rack", "profile", "management", "ports")
    table = plain_table("OOB switches", columns)
    for switch in found:
        cells = (
            switch.rack or "-",
            switch.profile,
            str(switch.management.address),
            str(len(switch.ports)),
        )
        table.add_row(switch.name, switch.tier, *cells)
    return table


def _oob_by_tier(found: Iterable[OobSwitch]) -> Table:
    table = plain_table(
        "OOB switches by tier", ("tier", "count", "switches", "profile", "ports used")
    )
    for tier, some in grouped(found, lambda one: one.tier).items():
        ports = sum(len(switch.ports) for switch in some)
        names, profiles = (
            named_span([switch.name for switch in some]),
            {switch.profile for switch in some},
        )
        table.add_row(tier, str(len(some)), names, ", ".join(sorted(profiles)), f"{ports:,}")
    return table
