"""In which order switches of the OOB plane are changed, and what is reached through each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory import open_site
from inventory.load.site import SITES
from inventory.oob.paths import above, behind, cut_off, path_last, ways
from inventory.plan import Management, OobPort, OobSwitch, Plan, PortRef, Wave
from inventory.topology.waves import oob_switches
from tests.generated.sites import make_up_asbuilt

SERVER = "oob1"


@cache
def model() -> OobSwitch:
    return open_site(SITES / "pod-256").oob_switches[0]


def switch(name: str, peers: list[str], mac: str | None = "02:00:00:00:00:01") -> OobSwitch:
    ports = tuple(
        OobPort(f"swp{number}", PortRef(peer, "x"), ("netmgmt",), True, 1.0, False)
        for number, peer in enumerate(peers)
    )
    address = IPv4Interface("172.16.0.9/24")
    way = Management("vlan10", "netmgmt", address, IPv4Address("172.16.0.1"), mac, None)
    return replace(model(), name=name, management=way, ports=ports)


@st.composite
def planes(draw: st.DrawFn) -> tuple[OobSwitch, ...]:
    """A tree of switches, each below an earlier one or the server, and nodes on one or on two."""
    count = draw(st.integers(1, 12))
    names = draw(st.permutations([f"s{number:02}" for number in range(count)]))
    peers: dict[str, list[str]] = {name: [] for name in names}
    for at, name in enumerate(names):
        over = draw(st.sampled_from([SERVER, *names[:at]]))
        peers[name].append(over)
        if over != SERVER:
            peers[over].append(name)
    for node in range(draw(st.integers(0, 12))):
        for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)):
            peers[name].append(f"node{node}")
    bare = draw(st.sets(st.sampled_from(names), max_size=2))
    return tuple(switch(name, peers[name], None if name in bare else "02:00:00:00:00:01")
                 for name in names)  # fmt: skip


def reached(every: Mapping[str, OobSwitch], without: frozenset[str]) -> set[str]:
    """The switches that the server reaches while some change: worked out anew, by flooding."""
    found, before = {SERVER}, set[str]()
    while found != before:
        before = set(found)
        for one in every.values():
            peers = {port.peer.device for port in one.ports}
            if one.name not in without and peers & found:
                found.add(one.name)
    return found - {SERVER}


@given(planes(), st.integers(1, 4))
def test_each_is_changed_once_and_nothing_is_changed_through_what_is_changed(plane, most):
    every = {one.name: one for one in plane}
    made = list(oob_switches(SERVER, plane, (), most))
    order = [name for wave in made for name in wave.devices]
    assert sorted(order) == sorted(one.name for one in plane if one.management.mac)
    done = set[str]()
    for wave in made:
        part = frozenset(wave.devices)
        assert len(part) <= most
        left = reached(every, part)
        cut = set(every) - left - part
        if cut:
            assert len(part) == 1, "who cuts others off is changed alone"
        built = {name for name in cut if every[name].management.mac}
        assert built <= done, "what is cut off has been changed before"
        served = [port.peer.device for name in part for port in every[name].ports]
        nodes = [name for name in served if name.startswith("node")]
        assert len(nodes) == len(set(nodes)), "nothing is served by two of them"
        done |= part


@given(planes())
def test_the_nearest_come_first_and_only_ways_have_others_behind(plane):
    every = {one.name: one for one in plane}
    over = above(SERVER, plane)
    assert set(over) == set(every)
    seen = {SERVER}
    for name, there in over.items():
        assert there in seen
        seen.add(name)
    for name in every:
        assert (name in ways(over)) == (reached(every, frozenset({name})) != set(every) - {name})


@cache
def pod(folder: Path, name: str) -> Plan:
    (folder / "fabric.yml").write_text((SITES / name / "fabric.yml").read_text())
    make_up_asbuilt(folder)
    return open_site(folder)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return pod(tmp_path_factory.mktemp("large"), "superpod-10k")


def test_both_of_a_pair_are_not_cut_off_at_once(large):
    at = {port.peer.device: one.name for one in large.oob_switches for port in one.ports}
    pairs = [{one.name, one.pair.peer} for one in large.switches if one.pair]
    for wave in large.waves:
        if wave.step == "oob-switches" and len(wave.devices) > 1:
            for pair in pairs:
                mine = {at[name] for name in pair}
                assert len(mine) == 1 or not mine <= set(wave.devices), (wave.name, pair)


def test_the_order_of_a_large_site_is_found_at_once_and_ends_with_the_way_of_all(large):
    begun = time.process_time()
    waves = list(oob_switches(large.oob.name, large.oob_switches, large.switches, 8))
    found = behind(large)
    took_s = time.process_time() - begun
    assert len(large.oob_switches) > 300
    assert took_s < 2.0, "one pass over the ports, and one over the leases"
    core = "oob-core1"
    assert waves[-1] == Wave(core, "oob-switches", (core,), canary=False)
    assert cut_off(large, [core]) == set(large.devices) - {core, large.oob.name}
    names = {one.name for one in found[core]}
    assert {one.name for zone in large.oob.zones for one in zone.leases} <= names | {core}
    every = sorted(large.devices)
    last = path_last(large, every)
    assert sorted(last) == every
    assert last[-1] == core
