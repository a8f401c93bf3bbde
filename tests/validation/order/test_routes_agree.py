"""In mixed states of an AS migration, paths are those that BGP has (`validation/fabric`)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from inventory.plan import Plan
from switch_configs import intent
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import wanted
from validation.audit.box import Box
from validation.audit.network import network
from validation.fabric.solve import solve
from validation.order.between import expanded
from validation.order.judge import Ground
from validation.order.model import Side, Version
from validation.order.plans import fabric_of

from .plans import TIERS, changed, plan
from .test_order import asn

CHANGES = (
    {"leaves": 4200010001},
    {"spines": 4200001001},
    {"leaves": 4200010700, "spines": 4200005000},
)
STATES = 5


def facts(made: Plan) -> dict[str, SwitchFacts]:
    return {
        one.name: wanted(intent(made, one.name)) for one in made.switches if one.plane == "compute"
    }


def as_said(was: SwitchFacts, will: SwitchFacts, made: Plan, version: Version) -> Box:
    """The facts of a version: of old or new, and between with sessions that take any AS."""
    said = will if version.word in ("moved", "new") else was
    ports = {
        place.split()[0]
        for place, end in version.ends.items()
        if isinstance(end, Side) and end.peer_asn == "external"
    }
    name = str(said.hostname)
    keys = {one.key for one in made.switch[name].sessions if one.port in ports}
    sessions = tuple(
        replace(one, peer_asn="external") if one.key in keys else one for one in said.sessions
    )
    return Box(name, "cumulus", replace(said, sessions=sessions), {})


@pytest.mark.parametrize("tiers", TIERS)
@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_paths_are_those_of_bgp(tiers, change):
    old, new = plan(tiers), changed(tiers, asn(**change))
    fabric = expanded(fabric_of(old, new))
    ground, was, will = Ground(fabric), facts(old), facts(new)
    chance = random.Random(str(change))
    for _ in range(STATES):
        at = {
            name: chance.randrange(len(one.versions)) * (chance.random() < 0.5)
            for name, one in fabric.devices.items()
        }
        out = frozenset(chance.sample(sorted(was), chance.choice((0, 1))))
        ways = ground.ways({name: (one,) for name, one in at.items()}, out)
        boxes = [
            as_said(was[name], will[name], old, fabric.devices[name].versions[at[name]])
            for name in was
        ]
        routes = solve(network(boxes), out)
        leaves = [name for name in fabric.leaves if name in was and name not in out]
        for a in leaves:
            for b in leaves:
                prefixes = [str(one) for one in old.switch[b].aggregates]
                hops = [routes.next_hops(a, prefix) for prefix in prefixes]
                if a != b:
                    assert all(hops) == (ways.tier(a, b) is not None)
                if a != b and all(hops):
                    up = {cable.above for cable in ways.cone(a, b) if cable.below == a}
                    assert {hop.far.split(":")[0] for hop in hops[0]} == up
