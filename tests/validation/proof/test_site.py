"""A site's own render is proved as a whole, and each failure says what it takes away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from inventory import open_site
from switch_configs import dialect, render
from switch_configs.intent import Rendered
from switch_configs.readback.facts import SwitchFacts
from validation.audit.audit import judged
from validation.audit.network import Network
from validation.proof.failures import SiteLoss, losses
from validation.proof.parts import parts
from validation.proof.site import site_network

Said = list[tuple[Rendered, SwitchFacts]]


@cache
def said(site: str) -> tuple[tuple[Rendered, SwitchFacts], ...]:
    plan = open_site(site)
    made = [render(plan, name) for name in sorted({**plan.switch, **plan.oob_switch})]
    return tuple((one, dialect(one.dialect).readback(one)) for one in made)


def network(site: str, change: Callable[[str, SwitchFacts], SwitchFacts] | None = None) -> Network:
    changed = [(one, change(one.device, facts) if change else facts) for one, facts in said(site)]
    return site_network(open_site(site), changed)


@pytest.mark.parametrize("site", ["lab", "pod-256"])
def test_a_shipped_site_has_nothing_wrong_with_its_switches_servers_and_cables(site):
    plan, seen = open_site(site), network(site)
    found = judged(seen)
    assert (found.problems, found.inconclusive) == ((), ())
    between = [
        one
        for one in plan.cables
        if one.plane != "oob" and {one.a.device, one.b.device} <= seen.box.keys()
    ]
    assert len(seen.links) >= len(between)
    assert {host.name for host in seen.hosts} == {
        node.name for node in plan.nodes if node.rails or node.nics or node.vlans
    }
    rails = sum(len(node.rails) for node in plan.nodes)
    assert sum(link.box.name.startswith("leaf-") for link in seen.nic_links) >= rails


def test_cables_are_those_of_the_plan_whatever_descriptions_say():
    def silent(_: str, facts: SwitchFacts) -> SwitchFacts:
        return replace(facts, ports=tuple(replace(one, description="") for one in facts.ports))

    assert [str(one.a) for one in network("lab", silent).links] == [
        str(one.a) for one in network("lab").links
    ]


def of_kind(found: tuple[SiteLoss, ...], kind: str) -> list[SiteLoss]:
    return [one for one in found if one.kind == kind]


def test_one_spine_of_eight_takes_an_eighth_and_no_way():
    found = losses(open_site("pod-256"), network("pod-256"))
    compute = next(one for one in of_kind(found, "spine") if one.name == "spine1")
    assert (compute.count, compute.loss.lost) == (8, 0)
    assert compute.loss.capacity_share == pytest.approx(7 / 8)
    assert not any(one.loss.looped or one.loss.valleys or one.loss.cycles for one in found)
    leaf = next(one for one in of_kind(found, "leaf") if one.name == "leaf-p1-r0")
    assert (leaf.count, leaf.nodes, leaf.loss.lost) == (8, 32, 0)


def test_each_part_is_asked_or_is_like_one_that_is():
    plan = open_site("pod-256")
    found = losses(plan, network("pod-256"))
    for kind in ("rack", "feed", "plane"):
        assert sum(one.count for one in of_kind(found, kind)) == sum(
            part.kind == kind for part in parts(plan)
        )
    switches = sum(one.count for one in found if one.kind in ("leaf", "spine", "superspine"))
    assert switches == len(plan.switches)


def test_a_rack_with_all_spines_of_a_plane_takes_its_ways():
    found = losses(open_site("pod-256"), network("pod-256"))
    worst = max(of_kind(found, "rack"), key=lambda one: one.loss.lost)
    plan = open_site("pod-256")
    held = next(part.devices for part in parts(plan) if part.name == worst.name)
    spines = {one.name for one in plan.switches if one.tier == "spine" and one.plane == "compute"}
    assert spines <= set(held)
    assert worst.loss.lost_pairs


def test_a_leaf_with_one_uplink_left_is_cut_by_it():
    """All but one session of a leaf are gone: that cable takes its ways with it."""

    def lonely(name: str, facts: SwitchFacts) -> SwitchFacts:
        if name != "leaf-p1-r0":
            return facts
        up = [one for one in facts.sessions if one.peer_asn]
        return replace(facts, sessions=tuple(up[:1]))

    seen = network("lab", lonely)
    found = losses(open_site("lab"), seen)
    assert max(one.loss.lost for one in found if one.kind.startswith("cable")) > 0
    assert (
        max(
            one.loss.lost for one in losses(open_site("lab"), network("lab")) if "cable" in one.kind
        )
        == 0
    )
