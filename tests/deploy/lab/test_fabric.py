"""A fabric of 4 spines, 16 leaves and 64 nodes: real FRR in namespaces, from the plan."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deploy import lab
from deploy.lab.fabric import netns_fabric
from deploy.lab.machines.netns_run import NetnsTransport
from inventory import Plan, open_site
from tests.generated.sites import LARGE_LAB, generated_site
from tests.labs import lab_name

from .traces import forget, traces

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="a fabric of many machines in namespaces"),
]
NAME = lab_name("large")
TRANSPORT = NetnsTransport(NAME)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plan]:
    found = open_site(generated_site(tmp_path_factory.mktemp("site") / "large", LARGE_LAB))
    forget(NAME)
    netns_fabric(found, NAME, lambda _: None)
    wait_for_sessions(found)
    wait_for_routes(found)  # a kernel has them some time after its sessions are up
    yield found
    forget(NAME)
    assert traces(NAME) == []


def ask(device: str, command: str) -> str:
    reply = TRANSPORT.run(device, command, 20)
    assert reply.exit_status == 0, f"{device}: {reply.error}"
    return reply.stdout.decode()


def ask_all(devices: list[str], command: str) -> dict[str, Any]:
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda device: json.loads(ask(device, command)), devices)
        return dict(zip(devices, answers, strict=True))


def established(found: Plan) -> dict[str, int]:
    """Sessions that are up, by switch."""
    answers = ask_all([one.name for one in found.switches], "vtysh -c 'show bgp summary json'")
    peers = {
        name: answer.get("ipv4Unicast", {}).get("peers", {}) for name, answer in answers.items()
    }
    return {
        name: sum(peer["state"] == "Established" for peer in of.values())
        for name, of in peers.items()
    }


def wait_for_sessions(found: Plan) -> None:
    give_up = time.monotonic() + 120
    wanted = {one.name: len(one.sessions) for one in found.switches}
    while established(found) != wanted and time.monotonic() < give_up:
        time.sleep(1)


def wait_for_routes(found: Plan) -> None:
    give_up = time.monotonic() + 60
    names, aggregates = leaves_of(found)
    while time.monotonic() < give_up:
        if all(set(of.values()) == {4} for of in widths(names, set(aggregates)).values()):
            return
        time.sleep(1)


def leaves_of(found: Plan) -> tuple[list[str], dict[str, str]]:
    """The leaves, and the owner of each aggregate."""
    leaves = [one for one in found.switches if one.tier == "leaf"]
    return [one.name for one in leaves], {str(one.aggregates[0]): one.name for one in leaves}


def test_the_fabric_is_as_large_as_it_is_said_to_be(plan: Plan) -> None:
    tiers = Counter(one.tier for one in plan.switches)
    assert (tiers["spine"], tiers["leaf"], len(plan.nodes)) == (4, 16, 64)


def test_all_sessions_are_up(plan: Plan) -> None:
    assert established(plan) == {one.name: len(one.sessions) for one in plan.switches}
    assert sum(established(plan).values()) == 2 * 4 * 16


def test_the_kernel_has_every_leafs_aggregate_over_all_spines(plan: Plan) -> None:
    leaves = [one for one in plan.switches if one.tier == "leaf"]
    names, aggregates = leaves_of(plan)
    found = widths(names, set(aggregates))
    for leaf in leaves:
        others = {prefix for prefix, owner in aggregates.items() if owner != leaf.name}
        assert found[leaf.name] == dict.fromkeys(others, leaf.ecmp_width)


def widths(leaves: list[str], prefixes: set[str]) -> dict[str, dict[str, int]]:
    """Next hops in the kernel, by leaf and learned prefix."""
    routes = ask_all(leaves, "ip -json route show proto bgp")
    return {
        leaf: {one["dst"]: len(one.get("nexthops", [one])) for one in of if one["dst"] in prefixes}
        for leaf, of in routes.items()
    }


def test_a_jumbo_datagram_passes_between_the_farthest_nodes_on_every_rail(plan: Plan) -> None:
    first, last = plan.nodes[0], plan.nodes[-1]
    for a, b in zip(first.rails, last.rails, strict=True):
        ping = f"ping -M do -s 8972 -c 2 -W 2 -I {a.address.ip} {b.address.ip}"
        assert " 0% packet loss" in ask(first.name, ping)


def test_neighbours_are_seen_by_lldp(plan: Plan) -> None:
    leaf = next(one for one in plan.switches if one.tier == "leaf")
    wanted = {one.name: str(one.peer) for one in leaf.ports}
    give_up = time.monotonic() + 30
    while (found := neighbours(leaf.name)) != wanted and time.monotonic() < give_up:
        time.sleep(1)
    assert found == wanted


def neighbours(device: str) -> dict[str, str]:
    answer = json.loads(ask(device, "lldpcli -f json0 show neighbors"))
    seen = answer["lldp"][0].get("interface", [])
    return {
        one["name"]: f"{one['chassis'][0]['name'][0]['value']}:{one['port'][0]['id'][0]['value']}"
        for one in seen
    }


def test_every_machine_is_counted(plan: Plan) -> None:
    found = lab.status(NAME)
    assert {one.state for one in found.machines} == {"running"}
    memory = {one.name: one.memory_bytes for one in found.machines}
    assert all(memory[one.name] > 5_000_000 for one in plan.switches)
