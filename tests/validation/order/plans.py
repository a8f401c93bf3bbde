"""A site of two and of three tiers, as it is and changed in one thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from inventory.plan import Plan
from tests.switch_configs.sites import small, small_with

DIALECT = "cumulus"
TIERS = ("two", "three")
Change = Callable[[dict[str, Any]], None]


@cache
def plan(tiers: str) -> Plan:
    """The site as it is."""
    return small(DIALECT) if tiers == "three" else small_with(DIALECT, _two_tiers)


def changed(tiers: str, change: Change) -> Plan:
    """The site with some of its options changed."""

    def both(site: dict[str, Any]) -> None:
        if tiers == "two":
            _two_tiers(site)
        change(site)

    return small_with(DIALECT, both)


def _two_tiers(site: dict[str, Any]) -> None:
    topology, compute = site["topology"], site["compute"]
    topology["kind"] = "rail-optimized-two-tier"
    gone = (
        (topology, "superspines"),
        (topology, "uplinks_per_superspine"),
        (compute, "superspine_profile"),
    )
    more = (topology["maxima"], "superspines"), (compute["asn"], "superspines")
    for part, key in (*gone, *more, (compute["cable_m"], "spine_superspine")):
        del part[key]
    topology["breakout"].pop("top", None)


def adaptive(made: Plan, *, switches: bool, nics: bool) -> Plan:
    """The plan with adaptive routing or without, and NICs that take packets in any order or not."""
    return replace(
        made,
        switches=tuple(
            replace(one, adaptive_routing=switches and one.plane == "compute")
            for one in made.switches
        ),
        nodes=tuple(
            replace(one, rails=tuple(replace(nic, out_of_order=nics) for nic in one.rails))
            for one in made.nodes
        ),
    )
