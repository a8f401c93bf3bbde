"""Growth inside the maxima changes nobody else; nothing is ever given twice."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory import InventoryError, open_site
from inventory.plan import Plan
from tests.generated.sites import Size, generated_site
from tests.plugins.tiers import examples


@st.composite
def sizes(draw: st.DrawFn) -> Size:
    pods, spines, nodes = (draw(st.integers(1, 4)) for _ in range(3))
    return Size(
        pods=pods,
        spines=spines,
        rails=draw(st.integers(1, 3)),
        nodes_per_pod=nodes,
        uplinks=draw(st.integers(1, 2)),
        max_pods=draw(st.integers(pods, 12)),
        max_spines=draw(st.integers(spines, 11)),
        max_nodes_per_pod=draw(st.integers(nodes, 12)),
        numbered=draw(st.booleans()),
    )


@st.composite
def growths(draw: st.DrawFn) -> tuple[Size, Size]:
    small = draw(sizes())
    larger = replace(
        small,
        pods=draw(st.integers(small.pods, small.max_pods)),
        spines=draw(st.integers(small.spines, small.max_spines)),
        nodes_per_pod=draw(st.integers(small.nodes_per_pod, small.max_nodes_per_pod)),
    )
    return small, larger


def plan_of(folder: Path, size: Size) -> Plan:
    return open_site(generated_site(folder, size))


def given_out(plan: Plan) -> dict[object, object]:
    """Everything a device was given: what growth must leave as it is."""
    out: dict[object, object] = {}
    for switch in plan.switches:
        out[switch.name] = (switch.asn, switch.loopback, switch.aggregates)
        out[switch.name, "oob"] = (switch.management.address, switch.management.port)
        for port in switch.ports:
            out[switch.name, port.name] = (port.peer, port.address)
        for session in switch.sessions:
            out[switch.name, "bgp", session.port] = (session.peer_asn, session.peer_address)
    for node in plan.nodes:
        out[node.name] = node.management.address
        for nic in node.rails:
            out[node.name, nic.port] = (nic.address, nic.gateway, nic.leaf, nic.rail_prefix)
    for cable in plan.cables:
        out[cable.a] = cable.b
    return out


@settings(
    max_examples=examples(12, full=60), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(growths())
def test_growth_changes_nobody_else(tmp_path_factory, sizes):
    base = tmp_path_factory.getbasetemp()
    small, larger = (given_out(plan_of(base / "growth", size)) for size in sizes)
    assert small.items() <= larger.items()


def addresses(plan: Plan) -> list[object]:
    """Every address of the site, once for each owner."""
    ports = [port.address.ip for one in plan.switches for port in one.ports if port.address]
    nics = [nic.address.ip for one in plan.nodes for nic in one.rails]
    managed = [one.management.address.ip for one in plan.switches]
    managed += [one.management.address.ip for one in plan.nodes]
    servers = [zone.server_address.ip for zone in plan.oob.zones]
    loopbacks = [one.loopback for one in plan.switches]
    return [*ports, *nics, *managed, *servers, *loopbacks, plan.oob.access]


@settings(
    max_examples=examples(12, full=60), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(sizes())
def test_nothing_is_given_twice(tmp_path_factory, size):
    plan = plan_of(tmp_path_factory.getbasetemp() / "unique", size)
    every = addresses(plan)
    assert len(every) == len(set(every))
    asns = [one.asn for one in plan.switches if one.tier == "leaf"]
    assert len(asns) == len(set(asns))
    assert not set(asns) & {one.asn for one in plan.switches if one.tier == "spine"}
    plugged = list(chain.from_iterable((one.a, one.b) for one in plan.cables))
    assert len(plugged) == len(set(plugged))
    assert len(plan.devices) == 1 + len(plan.switches) + len(plan.nodes)
    assert [one.name for one in plan.nodes] == sorted(one.name for one in plan.nodes)
    positions = [(one.pod, one.position) for one in plan.nodes]
    assert positions == sorted(positions)


@settings(
    max_examples=examples(10, full=40), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(sizes())
def test_both_ends_agree(tmp_path_factory, size):
    plan = plan_of(tmp_path_factory.getbasetemp() / "ends", size)
    for node in plan.nodes:
        for nic in node.rails:
            leaf = plan.switch[nic.leaf.device]
            port = next(one for one in leaf.ports if one.name == nic.leaf.port)
            assert port.address
            assert (port.address.ip, port.peer.device) == (nic.gateway, node.name)
            assert port.address.network == nic.address.network
            assert len(leaf.aggregates) == 1
            assert nic.address.ip in leaf.aggregates[0]
            assert leaf.aggregates[0].subnet_of(nic.rail_prefix)
            assert nic.rail_prefix.subnet_of(nic.fabric_prefix)
            assert leaf.rail == nic.rail
    for switch in plan.switches:
        for session in switch.sessions:
            peer = plan.switch[session.peer.device]
            own = next(one for one in switch.ports if one.name == session.port)
            back = next(one for one in peer.sessions if one.port == session.peer.port)
            assert back.peer_asn == switch.asn
            assert back.peer_address == (own.address.ip if own.address else None)
            assert (own.address is not None) == size.numbered


def test_beyond_the_maxima_is_refused_with_the_recabling(tmp_path):
    size = Size(pods=3, spines=2, rails=2, nodes_per_pod=2, max_pods=2)
    with pytest.raises(InventoryError) as raised:
        plan_of(tmp_path, size)
    assert "moves the spines' management cables" in str(raised.value)


def test_the_same_bytes_give_the_same_digest(tmp_path):
    size = Size(pods=2, spines=2, rails=2, nodes_per_pod=2)
    plans = [plan_of(tmp_path / name, size) for name in ("one", "two")]
    assert plans[0] == plans[1]
    assert plans[0].digest == plans[1].digest
    assert len(plans[0].digest) == 64
    other = plan_of(tmp_path / "three", replace(size, numbered=True))
    assert other.digest != plans[0].digest


def test_every_field_reaches_the_digest(tmp_path):
    """A field that the digest forgot could change without a word."""
    from dataclasses import fields

    from inventory.digest import canonical_text, digest_of

    plan = plan_of(tmp_path, Size(pods=1, spines=1, rails=1, nodes_per_pod=1))
    text = canonical_text(plan)
    assert all(f'"{one.name}":' in text for one in fields(plan))
    port = plan.switches[0].ports[0]
    shapes = json.loads(text.splitlines()[1])
    assert shapes["SwitchPort"] == sorted(one.name for one in fields(port))
    for one in fields(port):
        other: dict[str, Any] = {one.name: "changed"}
        ports = (replace(port, **other), *plan.switches[0].ports[1:])
        switches = (replace(plan.switches[0], ports=ports), *plan.switches[1:])
        assert digest_of(replace(plan, switches=switches)) != plan.digest
    changed = replace(plan, nodes=(replace(plan.nodes[0], position=7),))
    assert digest_of(changed) != plan.digest
    assert digest_of(replace(plan, digest="x")) == plan.digest


def test_large_lab_has_its_shape(tmp_path):
    from tests.generated.sites import LARGE_LAB

    plan = plan_of(tmp_path, LARGE_LAB)
    tiers = [one.tier for one in plan.switches]
    assert (tiers.count("spine"), tiers.count("leaf"), len(plan.nodes)) == (4, 16, 64)
    assert sum(len(one.rails) for one in plan.nodes) == 128
    assert {one.ecmp_width for one in plan.switches if one.tier == "leaf"} == {4}
    assert plan.undeployable == ()
