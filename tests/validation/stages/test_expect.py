"""Expectations: what counts when, ids that stay, and paths found by another road."""

from __future__ import annotations

import itertools
from dataclasses import replace
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.plan import Plan, PortRef
from tests.plugins.tiers import examples
from tests.switch_configs.sites import DIALECTS, small
from tests.validation.recorded import lab
from validation.expect import expectations
from validation.probes.planned import LEAST_SOURCE_PORTS, probes, source_ports_for
from validation.routing.paths import ports_towards
from validation.stages.s20_cabling_routing.expect import (
    BgpExpected,
    LldpExpected,
    NoMoreRoutesExpected,
    RouteExpected,
)
from validation.stages.s40_lossless_mtu.expect import DfExpected, MtuExpected

DEVICES = sorted(lab().devices)
SWITCHES = sorted(lab().switch)


def ids(configured: frozenset[str]) -> set[str]:
    return {one.id for one in expectations(lab(), configured)}


def brute_force(plan: Plan, origin: str, configured: frozenset[str]) -> dict[str, set[str]]:
    """Every simple path that goes up, then down, kept where it is shortest: no shared code."""
    level = {"leaf": 0, "spine": 1, "superspine": 2}
    shortest: dict[str, tuple[int, set[str]]] = {}

    def walk(path: list[str], port_back: str | None, went_down: bool) -> None:
        here = plan.switch[path[-1]]
        if port_back:
            best, ports = shortest.get(here.name, (len(path), set[str]()))
            if len(path) < best:
                ports = set()
            if len(path) <= best:
                shortest[here.name] = (len(path), ports | {port_back})
        for port in here.ports:
            peer = plan.switch.get(port.peer.device)
            if peer is None or peer.name in path or peer.name not in configured:
                continue
            down = level[peer.tier] < level[here.tier]
            own_asn = {plan.switch[name].asn for name in path}
            if (went_down and not down) or peer.asn in own_asn:
                continue
            walk([*path, peer.name], port.peer.port, went_down or down)

    if origin in configured:
        walk([origin], None, False)
    return {name: ports for name, (_, ports) in shortest.items()}


@settings(max_examples=examples(12, full=60), deadline=None)
@given(st.sampled_from(SWITCHES), st.sets(st.sampled_from(SWITCHES)))
def test_paths_are_those_of_a_search_through_all(origin, some):
    configured = frozenset(some)
    found = ports_towards(lab(), origin, configured)
    assert {name: set(ports) for name, ports in found.items()} == brute_force(
        lab(), origin, configured
    )


def test_nothing_configured_expects_nothing():
    assert expectations(lab(), frozenset()) == ()


@settings(max_examples=examples(12, full=60), deadline=None)
@given(st.sets(st.sampled_from(DEVICES)), st.sets(st.sampled_from(DEVICES)))
def test_more_devices_never_take_an_expectation_away(some, more):
    assert ids(frozenset(some)) <= ids(frozenset(some | more))


def test_ids_are_unique_and_sorted():
    found = expectations(lab(), frozenset(DEVICES))
    assert len({one.id for one in found}) == len(found)
    assert [(one.stage, one.id) for one in found] == sorted((one.stage, one.id) for one in found)


def test_a_link_counts_once_both_ends_are_configured():
    one, both = frozenset({"leaf-p1-r0"}), frozenset({"leaf-p1-r0", "spine1"})
    for name in ("up:leaf-p1-r0:swp5", "lldp:spine1:swp1", "bgp:leaf-p1-r0:swp5"):
        assert name not in ids(one)
        assert name in ids(both)
    assert "mtu:leaf-p1-r0:swp5" in ids(one)


def test_widths_count_configured_paths_only():
    def route(configured: set[str]) -> RouteExpected | None:
        found = expectations(lab(), frozenset(configured))
        mine = [one for one in found if one.id == "route:leaf-p1-r0:10.16.32.0/19"]
        return mine[0] if mine and isinstance(mine[0], RouteExpected) else None

    leaves = {"leaf-p1-r0", "leaf-p2-r0"}
    assert route(leaves) is None
    half = route(leaves | {"spine1"})
    assert half is not None
    assert (half.ports, half.may) == (("swp5",), ("swp5", "swp6"))
    whole = route(leaves | {"spine1", "spine2"})
    assert whole is not None
    assert whole.ports == ("swp5", "swp6")


def test_probes_wait_for_nodes_and_the_switches_between():
    nodes = {"node-p1-1", "node-p2-1"}
    leaves = {"leaf-p1-r0", "leaf-p2-r0"}
    name = "df:rail0:leaf-p1-r0>leaf-p2-r0"
    assert name not in ids(frozenset(nodes | leaves))
    assert name not in ids(frozenset(leaves | {"spine1"}))
    assert name in ids(frozenset(nodes | leaves | {"spine1"}))


def test_values_of_one_link():
    found = {one.id: one for one in expectations(lab(), frozenset(DEVICES))}
    lldp, bgp = found["lldp:leaf-p1-r0:swp5"], found["bgp:leaf-p1-r0:swp5"]
    assert isinstance(lldp, LldpExpected)
    assert lldp.peer == PortRef("spine1", "swp1")
    assert isinstance(bgp, BgpExpected)
    assert (bgp.key, bgp.asn, bgp.peer_asn) == ("swp5", 4200000100, 4200000000)
    mtu = found["mtu:node-p1-1:rail0"]
    assert isinstance(mtu, MtuExpected)
    assert (mtu.ip_mtu_bytes, mtu.host_ip_mtu_bytes) == (9000, 9000)


def test_a_leaf_may_know_no_host_of_another():
    found = {one.id: one for one in expectations(lab(), frozenset(SWITCHES))}
    only = found["routes:leaf-p1-r0"]
    assert isinstance(only, NoMoreRoutesExpected)
    own = {port.address.network for port in lab().switch["leaf-p1-r0"].ports if port.address}
    theirs = {port.address.network for port in lab().switch["leaf-p2-r0"].ports if port.address}
    assert own <= only.allowed
    assert not theirs & only.allowed
    assert lab().switch["leaf-p2-r0"].aggregates[0] in only.allowed


def test_a_fabric_with_pfc_must_show_it_and_nothing_shows_it_yet():
    full = replace(lab(), lossless=replace(lab().lossless, mode="full"))
    asked = {one.id for one in expectations(full, frozenset(SWITCHES)) if one.check == "lossless"}
    assert asked == {f"lossless:{name}" for name in SWITCHES}
    assert not any(one.check == "lossless" for one in expectations(lab(), frozenset(SWITCHES)))
    told = [one.value for one in lab().assumptions if one.name.endswith("lossless class")]
    assert told == ["marking-only: PFC, ECN and buffers are not judged"]


def test_every_nic_sends_and_receives_and_every_leaf_pair_is_probed():
    found = probes(lab(), frozenset(DEVICES))
    nics = {(node.name, nic.port) for node in lab().nodes for nic in node.rails}
    assert {(one.sender, one.sender_port) for one in found} == nics
    assert {(one.receiver, one.receiver_port) for one in found} == nics
    for rail in (0, 1):
        leaves = [name for name in SWITCHES if lab().switch[name].rail == rail]
        pairs = {one.leaves for one in found if one.rail == rail and one.leaves[0] != one.leaves[1]}
        assert pairs == set(itertools.permutations(leaves, 2))
    assert {one.ip_bytes for one in found} == {9000}
    assert {one.tos for one in found} == {106}


@pytest.mark.parametrize("width", [1, 2, 4, 16, 64])
def test_enough_source_ports_to_hit_every_path(width):
    """Inclusion and exclusion, exactly: the chance that some path is missed."""
    count = source_ports_for(width)
    terms = range(1, width)

    missed = sum((-1) ** (k + 1) * comb(width, k) * (1 - k / width) ** count for k in terms)
    assert count >= LEAST_SOURCE_PORTS
    assert missed < 1e-4


def test_the_name_of_a_probe_holds_all_that_it_asks():
    one = next(one for one in probes(lab(), frozenset(DEVICES)))
    others = [replace(one, ip_bytes=1500), replace(one, tos=0), replace(one, source_ports=99)]
    assert len({one.command, *(other.command for other in others)}) == 4


def test_a_df_expectation_lies_with_its_sender():
    for one in expectations(lab(), frozenset(DEVICES)):
        if isinstance(one, DfExpected):
            assert one.device == one.probe.sender


@pytest.mark.parametrize("dialect", DIALECTS)
def test_routes_are_expected_over_sessions_alone(dialect):
    """Leaves of a pair are joined for their bonds: no session is there, and so no route."""
    plan = small(dialect)
    sessions = {
        (one.name, session.port)
        for one in plan.switches
        for session in one.sessions
        if not session.vrf
    }
    wanted = expectations(plan, frozenset(plan.devices), 20)
    routes = [one for one in wanted if isinstance(one, RouteExpected)]
    used = {(one.device, port) for one in routes for port in (*one.ports, *one.may)}
    assert used
    assert used <= sessions
