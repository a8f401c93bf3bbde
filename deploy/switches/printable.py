"""Whether the switch systems can print a plan: one switch of each kind, rendered and proved.

`check` and `init` ask this, so that a site that they accept is one that `render` prints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

from deploy.errors import RailbedError
from inventory.plan import OobSwitch, Plan, Switch
from switch_configs import DialectError

from .render_run import judged

_SHOWN = 5


def must_print(plan: Plan) -> None:
    """RailbedError (exit 2) that names what a kind of switch cannot be told, and how many it is."""
    wrong = list(unprintable(plan))
    if wrong:
        more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
        lines = "\n  ".join((*wrong[:_SHOWN], *more))
        found = f"{plan.site}: found switches that nothing can be rendered for:\n  {lines}"
        raise RailbedError(found, "`railbed render --device NAME` shows one; change what it names")


def unprintable(plan: Plan) -> Iterator[str]:
    """A sentence for each kind of switch that is refused or printed wrongly."""
    for names in kinds(plan):
        said = _said(plan, names[0])
        if said:
            alike = f" and {len(names) - 1:,} like it" if len(names) > 1 else ""
            yield f"{said}{alike}"


def kinds(plan: Plan) -> list[list[str]]:
    """Names of switches by kind: they differ in numbers and names alone, never in words."""
    alike: dict[Hashable, list[str]] = defaultdict(list)
    every: tuple[Switch | OobSwitch, ...] = (*plan.switches, *plan.oob_switches)
    for one in every:
        alike[_kind(one)].append(one.name)
    return list(alike.values())


def _kind(one: Switch | OobSwitch) -> Hashable:
    raw = tuple((each.section, each.lines) for each in one.raw)
    if isinstance(one, OobSwitch):
        zones = {(port.zones, port.isolated, port.rate_gbps) for port in one.ports}
        return ("oob", one.tier, one.profile, frozenset(zones), raw)
    cages: dict[int, set[float]] = defaultdict(set)
    for port in one.ports:
        cages[port.cage].add(port.rate_gbps)
    ports = {
        (port.direction, port.rate_gbps, port.ways, port.vlans, port.bond is None, port.cable_m)
        for port in one.ports
    }
    mixed = frozenset(map(frozenset, cages.values()))
    return (one.tier, one.plane, one.profile, frozenset(ports), mixed, raw)


def _said(plan: Plan, name: str) -> str:
    try:
        wrong = judged(plan, name).proof.wrong
    except DialectError as error:
        return "; ".join(filter(None, (error.message, error.hint)))
    return f"{name}: {wrong[0]}" if wrong else ""
