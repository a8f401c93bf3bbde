"""Which engine changes which node, in which waves, in which groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory import InventoryError, open_site
from inventory.nodes.hostvars import groups, vars_for
from inventory.plan import Plan
from tests.generated.sites import Size, generated_site

SIZE = Size(pods=2, spines=3, rails=2, nodes_per_pod=5)


def site(folder: Path, size: Size = SIZE, rack: int = 0, extra: str = "") -> Plan:
    path = generated_site(folder, size) / "fabric.yml"
    text = path.read_text()
    if rack:
        text = text.replace("  uplinks_per_spine", f"  nodes_per_rack: {rack}\n  uplinks_per_spine")
    path.write_text(text + extra)
    return open_site(folder)


def test_a_group_names_another_engine(tmp_path):
    plan = site(tmp_path, rack=2, extra="\nengine_groups: {rack_p1_2: ansible, pod_2: ansible}\n")
    theirs = {node.name for node in plan.nodes if node.engine == "ansible"}
    assert theirs == {"node-p1-3", "node-p1-4", *(f"node-p2-{n}" for n in range(1, 6))}
    assert vars_for(plan, "node-p1-3")["railbed_engine"] == "ansible"
    assert vars_for(plan, "node-p1-1")["railbed_engine"] == "pyinfra"
    assert plan.engine_of("oob1") == "pyinfra"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("{pod_7: ansible}", "engine_groups.pod_7: found `pod_7`, expected a group that has nodes"),
        ("{tier_leaf: ansible}", "a group that has nodes"),
        ("{pod_1: puppet}", "expected `pyinfra` or `ansible`"),
        ("{pod_1: ansible, rail_0: pyinfra}", "found another engine than `pod_1` of the same node"),
    ],
)
def test_a_choice_that_cannot_be_meant_is_refused(tmp_path, said, told):
    with pytest.raises(InventoryError) as refused:
        site(tmp_path, extra=f"\nengine_groups: {said}\n")
    assert told in str(refused.value)


def test_racks_are_groups_only_where_a_rule_was_stated(tmp_path):
    without = groups(site(tmp_path / "a"))
    assert not [name for name in without if name.startswith("rack")]
    stated = groups(site(tmp_path / "b", rack=2))
    assert stated["rack_p2_1"] == ("node-p2-1", "node-p2-2")
    assert stated["rack_p2_3"] == ("node-p2-5",)


def test_a_wave_stays_in_its_failure_domain_and_below_the_number(tmp_path):
    plan = site(tmp_path, rack=2, extra="\nrollout: {nodes: 3, leaves: 1, spines: 2}\n")
    told = {wave.name: wave.devices for wave in plan.waves}
    assert told == {
        "oob": ("oob1",),
        "nodes-canary": ("node-p1-1",),
        "nodes-p1.1": ("node-p1-2", "node-p1-3", "node-p1-4"),
        "nodes-p1.2": ("node-p1-5",),
        "nodes-p2.1": ("node-p2-1", "node-p2-2"),
        "nodes-p2.2": ("node-p2-3", "node-p2-4", "node-p2-5"),
        "spines-canary": ("spine1",),
        "spines-rest": ("spine2", "spine3"),
        "leaves-canary": ("leaf-p1-r0",),
        "leaves-r0": ("leaf-p2-r0",),
        "leaves-r1.1": ("leaf-p1-r1",),
        "leaves-r1.2": ("leaf-p2-r1",),
    }


def test_a_rack_larger_than_the_number_is_cut(tmp_path):
    plan = site(tmp_path, rack=5, extra="\nrollout: {nodes: 2}\n")
    sizes = [len(wave.devices) for wave in plan.waves if wave.step == "nodes"]
    assert sizes == [1, 2, 2, 2, 2, 1]


def test_each_engine_has_a_canary_in_one_wave(tmp_path):
    plan = site(tmp_path, extra="\nengine_groups: {pod_2: ansible}\n")
    canaries = [wave for wave in plan.waves if wave.canary and wave.step == "nodes"]
    assert [wave.devices for wave in canaries] == [("node-p1-1", "node-p2-1")]
    changed = [name for wave in plan.waves for name in wave.devices]
    assert sorted(changed) == sorted(plan.devices)
