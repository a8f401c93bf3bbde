"""`check`: a site in a screen, or everything that is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from inventory.nodes.left_out import left_out, not_locked
from inventory.plan import Assumption, Node, Plan, Plane, Rack
from inventory.plan.boundary import Boundary
from inventory.problems import InventoryError
from inventory.topology.domains import pdus_to_spare
from validation.ladder import open_ends

from .words import counted, first_of, kilowatts, plain_table, print_line

# As many as a screen bears beside the rest.
_FEW = 10
# Part of an assumption's name, and what it is about; the first that fits.
_ABOUT = (
    ("cable", "cables"),
    ("ASIC ", "ASICs"),
    ("package", "packages"),
    ("version", "versions"),
    ("profile", "profiles"),
    ("time of", "the site's clock"),
)


def problems_json(error: InventoryError) -> dict[str, Any]:
    """Every problem of a site, for machines."""
    return {"ok": False, "problems": [asdict(problem) for problem in error.problems]}


def check_json(plan: Plan) -> dict[str, Any]:
    """A site without problems, in numbers; its assumptions and what is not deployable in full."""
    return {
        "ok": True,
        "problems": [],
        "site": plan.site,
        "digest": plan.digest,
        "switches": dict(Counter(switch.tier for switch in plan.switches)),
        "oob_switches": dict(Counter(switch.tier for switch in plan.oob_switches)),
        "nodes": len(plan.nodes),
        "cables": len(plan.cables),
        "racks": len(plan.racks),
        "flows": len(plan.boundary.flows) if plan.boundary else 0,
        "capacities": [asdict(capacity) for capacity in plan.capacities],
        "undeployable": list(plan.undeployable),
        "assumptions_unmeasured": sum(not assumption.measured for assumption in plan.assumptions),
        "assumptions": [asdict(assumption) for assumption in plan.assumptions],
        "ladder_open": list(open_ends(plan)),
        "left_out": list(left_out(plan)),
        "not_locked": list(not_locked(plan)),
    }


def check_text(plan: Plan, out: Console, *, everything: bool = False) -> None:
    """The same in a screen; `everything` also names each assumption and each device."""
    switches, rails = counted(switch.tier for switch in plan.switches), _rail_nics(plan)
    said = f": no problems. plan {plan.digest[:12]}, {_engines(plan)}"
    print_line(out, (plan.site, "bold"), said)
    print_line(
        out,
        f"  {switches} switches{_and_oob(plan)}, {len(plan.nodes):,} nodes with "
        f"{rails:,} rail NICs, {len(plan.cables):,} cables",
    )
    out.print(Padding(_capacity_table(plan), (0, 0, 0, 2), expand=False))
    for line in (_lossless(plan), *_oob(plan), *_racks(plan), *_boundary(plan.boundary)):
        print_line(out, f"  {line}")
    _print_listed(out, "what the validation ladder cannot show on this site:", open_ends(plan))
    _print_listed(out, "not requested by node profiles:", left_out(plan))
    _print_listed(out, "requested by node profiles, not locked yet:", not_locked(plan))
    _print_assumptions(plan, out, everything=everything)
    _print_undeployable(plan, out, everything=everything)


def _and_oob(plan: Plan) -> str:
    """The OOB plane's switches and the sum, which is what `render` counts."""
    own = len(plan.oob_switches)
    return f" and {own:,} OOB switches, {len(plan.switches) + own:,} in all" if own else ""


def _rail_nics(plan: Plan) -> int:
    return sum(len(node.rails) for node in plan.nodes)


def _engines(plan: Plan) -> str:
    """Who changes the nodes: `engine pyinfra`, or `pyinfra 2 nodes, ansible 2 nodes`."""
    count = Counter(node.engine for node in plan.nodes)
    if len(count) < 2:
        return f"engine {next(iter(count), plan.engine)}"
    return "engines: " + ", ".join(f"{name} {nodes} nodes" for name, nodes in sorted(count.items()))


def _capacity_table(plan: Plan) -> Table:
    """The fullest switch of each tier of each plane; nodes and links at the leaves."""
    # The unit stands once, in the heading, and no cell has a blank: a row fits 80 columns.
    is_large = any(capacity.down_gbps >= 1000 for capacity in plan.capacities)
    unit, gbps = ("Tb/s", 1000) if is_large else ("Gb/s", 1)
    rates = f"{unit} below", f"{unit} above"
    words = ("tier", "switches", *rates, "ratio / limit", "cages used")
    table = plain_table("", ("plane", "nodes", "links", *words))
    table.title = None
    for one in plan.capacities:
        count = sum((one.plane, one.tier) == (each.plane, each.tier) for each in plan.switches)
        limit = f"/{one.limit:g}" if one.limit is not None else ""
        table.add_row(
            *_carried(plan, one.plane, one.tier),
            one.tier,
            f"{count:,}",
            f"{one.down_gbps / gbps:g}",
            f"{one.up_gbps / gbps:g}" if one.up_gbps else "-",
            f"{one.ratio:.2f}{limit}" if one.up_gbps else "-",
            f"{one.cages_used}/{one.cages_used + one.cages_free}",
        )
    return table


def _carried(plan: Plan, plane: Plane, tier: str) -> tuple[str, str, str]:
    """A plane, its nodes and its links, and below it who shares its switches."""
    found = {each for switch in plan.switches if switch.plane == plane for each in switch.planes}
    if tier != "leaf":
        others = ", ".join(sorted(found - {plane})) if tier == "spine" else ""
        return (f"+ {others}" if others else ""), "", ""
    nodes = sum(_is_in(node, found) for node in plan.nodes)
    links = sum(cable.plane in found for cable in plan.cables)
    return plane, f"{nodes:,}", f"{links:,}"


def _is_in(node: Node, planes: set[Plane]) -> bool:
    return ("compute" in planes and bool(node.rails)) or any(
        nic.plane in planes for nic in node.nics
    )


def _lossless(plan: Plan) -> str:
    lossless = plan.lossless
    return (
        f"lossless class: DSCP {lossless.dscp} -> priority {lossless.priority}, "
        f"CNP DSCP {lossless.cnp_dscp} -> priority {lossless.cnp_priority}, mode {lossless.mode}"
    )


def _oob(plan: Plan) -> Iterator[str]:
    zones = ", ".join(zone.name for zone in plan.oob.zones)
    if plan.oob_switches:
        tiers = counted(switch.tier for switch in plan.oob_switches)
        yield f"OOB: {tiers} switches, zones {zones}"
    else:
        yield f"OOB: each device on a port of {plan.oob.name}, zones {zones}"


def _units(rack: Rack) -> int:
    return sum(device.rack_units for device in rack.devices)


def _racks(plan: Plan) -> Iterator[str]:
    if not plan.racks:
        return
    hot = max(plan.racks, key=lambda one: one.power_w / one.limit_w)
    full = max(plan.racks, key=_units)
    yield (
        f"racks: {len(plan.racks):,}; most power {hot.name}, {kilowatts(hot.power_w)} of "
        f"{kilowatts(hot.limit_w)}; fullest {full.name}, {_units(full)} of {full.units} units"
    )
    short = [rack.name for rack in plan.racks if not pdus_to_spare(rack)]
    spare = f"not with one less in {first_of(short)}" if short else "with one less they carry it"
    yield f"PDUs: {len(hot.pdus)} a rack, {kilowatts(hot.pdu_limit_w)} each; {spare}"


def _boundary(boundary: Boundary | None) -> Iterator[str]:
    if boundary is None:
        return
    edge = " and ".join(router.name for router in boundary.edge_routers)
    walls = " and ".join(firewall.name for firewall in boundary.firewalls)
    nat = f", NAT for {' and '.join(boundary.nat.planes)}" if boundary.nat else ""
    flows = len(boundary.flows)
    yield f"boundary: {edge}, {walls}{nat}; {flows} flows allowed, all else denied"


def _print_assumptions(plan: Plan, out: Console, *, everything: bool) -> None:
    unmeasured = [assumption for assumption in plan.assumptions if not assumption.measured]
    if not unmeasured:
        return
    if len(unmeasured) > _FEW and not everything:
        kinds = Counter(map(_about, unmeasured)).most_common()
        told = ", ".join(f"{count} of {what}" for what, count in kinds)
        print_line(
            out,
            f"  {len(unmeasured)} assumptions not measured on this site ({told}): "
            "`railbed check --all` names each with its source",
        )
        return
    print_line(out, f"  {len(unmeasured)} assumptions not measured on this site:")
    for one in unmeasured:
        print_line(out, f"    {one.name}: {one.value} ({one.source})")


def _print_listed(out: Console, head: str, found: tuple[str, ...]) -> None:
    """What a site is not told to be, nor will be shown, said on the first day."""
    if found:
        print_line(out, f"  {head}")
    for one in found:
        print_line(out, f"    {one}")


def _about(assumption: Assumption) -> str:
    """What an assumption is about, by its name."""
    found = (word for start, word in _ABOUT if start in assumption.name)
    return next(found, "other things")


def _print_undeployable(plan: Plan, out: Console, *, everything: bool) -> None:
    names = plan.undeployable
    if names and (everything or len(names) <= 1):
        for name in names:
            print_line(out, f"  {name}: planned but not deployable yet (no as-built row)")
    elif names:
        print_line(
            out,
            f"  {len(names):,} devices are planned but not deployable yet (no as-built row); "
            f"first: {first_of(names)}",
        )
