"""Slurm's trees hold every node once, and what is close in them is close in the cables."""

from __future__ import annotations

import re
from itertools import product

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory import exports, open_site
from inventory.exports.hostlist import hostlist
from inventory.exports.slurm import Group, groups, shared_name
from inventory.plan import Plan
from tests.inventory.exports.plans import generated, lab, sizes, three_tiers
from tests.plugins.tiers import examples

CHEAP = settings(
    max_examples=examples(10, full=15), deadline=None, suppress_health_check=list(HealthCheck)
)
_PART = re.compile(r"([^,\[]+)(?:\[([^\]]+)\])?(?:,|$)")


def expand(text: str) -> list[str]:
    """A hostlist as Slurm reads it: ranges keep the width of their first number."""
    out = []
    for stem, ranges in _PART.findall(text):
        for one in ranges.split(",") if ranges else [""]:
            first, _, last = one.partition("-")
            numbers = range(int(first), int(last or first) + 1) if one else [None]
            width = len(first) if first.startswith("0") else 0
            out += [stem if n is None else f"{stem}{n:0{width}d}" for n in numbers]
    return out


@given(
    names=st.sets(
        st.builds(
            lambda stem, n, width: f"{stem}{n:0{width}d}",
            st.sampled_from(["node-p1-", "node-p01-", "n", "leaf-p1-r"]),
            st.integers(0, 120),
            st.sampled_from([1, 2, 4]),
        )
        | st.sampled_from(["login", "a-b"])
    )
)
def test_a_hostlist_says_exactly_its_names(names):
    assert sorted(expand(hostlist(names))) == sorted(names)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["n1"], "n1"),
        (["n1", "n2", "n3", "n5"], "n[1-3,5]"),
        (["n09", "n10", "n11"], "n[09-11]"),
        (["n9", "n10"], "n[9-10]"),
        (["login", "p1-2", "p1-1", "p2-1"], "login,p1-[1-2],p2-1"),
        ([], ""),
    ],
)
def test_hostlists_are_short(names, text):
    assert hostlist(names) == text


def tree(plan: Plan) -> dict[str, Group]:
    return {one.name: one for one in groups(plan)}


def nodes_under(made: dict[str, Group], name: str) -> set[str]:
    group = made[name]
    return set(group.nodes).union(*(nodes_under(made, one) for one in group.groups))


@given(size=sizes())
@CHEAP
def test_every_node_is_under_one_switch_and_all_under_one_top(size):
    plan = generated(size)
    made = tree(plan)
    hung = [node for group in made.values() for node in group.nodes]
    assert sorted(hung) == sorted(plan.node)
    below = {child for group in made.values() for child in group.groups}
    tops = set(made) - below
    assert len(tops) == 1
    assert nodes_under(made, tops.pop()) == set(plan.node)


def test_the_nodes_of_a_rail_optimized_pod_hang_on_one_switch():
    made = tree(generated_pods())
    for group in made.values():
        assert len({node.rsplit("-", 1)[0] for node in group.nodes}) <= 1


def generated_pods() -> Plan:
    return three_tiers(pods=3, spines_per_pod=2, rails=4, nodes=5, missing=2)


def test_three_tiers_with_units():
    """Units join at the spines of their pod, pods at the superspines."""
    made = tree(three_tiers(pods=2, spines_per_pod=2, rails=2, nodes=2, units=2))
    assert {name: one.groups for name, one in made.items() if one.groups} == {
        "spine1": ("leaf-p1", "leaf-p2"),
        "spine3": ("leaf-p3", "leaf-p4"),
        "superspine": ("spine1", "spine3"),
    }


def test_units_of_a_shipped_site_hold_their_pods_nodes():
    plan = open_site("superpod-10k")
    made = tree(plan)
    gpu = {one.name: one.pod for one in plan.nodes if one.rails}
    for group in made.values():
        assert len({gpu[node] for node in group.nodes}) <= 1
    top = {one for one in made if not any(one in other.groups for other in made.values())}
    assert nodes_under(made, top.pop()) == set(gpu)


def test_conf_and_yaml_say_the_same():
    for plan in (lab(), three_tiers(pods=2, spines_per_pod=2, rails=2, nodes=3, units=2)):
        (made,) = yaml.safe_load(exports.topology_yaml(plan))
        assert made["cluster_default"] is True
        from_yaml = {
            one["switch"]: expand(one.get("nodes") or one["children"])
            for one in made["tree"]["switches"]
        }
        lines = [line for line in exports.topology_conf(plan).splitlines() if line[0] != "#"]
        found = [re.fullmatch(r"SwitchName=(\S+) (?:Nodes|Switches)=(\S+)", line) for line in lines]
        assert {one[1]: expand(one[2]) for one in found if one} == from_yaml
        assert len(found) == len(from_yaml)


@pytest.mark.parametrize(
    ("switches", "name"),
    [
        (["leaf-p1-r0", "leaf-p1-r1"], "leaf-p1"),
        ([f"leaf-p01-u2-r{n}" for n in range(8)], "leaf-p01-u2"),
        ([f"leaf-p1-r{n:02d}" for n in range(10)], "leaf-p1"),
        (["spine1", "spine2"], "spine"),
        (["spine-p1-1", "spine-p1-2"], "spine-p1"),
        ([f"superspine-g{a}-{b}" for a, b in product((1, 2), (1, 2))], "superspine"),
        (["spine1"], "spine1"),
    ],
)
def test_groups_are_named_by_what_their_switches_share(switches, name):
    assert shared_name(switches) == name
