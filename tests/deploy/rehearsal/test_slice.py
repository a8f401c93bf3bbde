"""`--slice` names what stays; all of it keeps its names, addresses and numbers, alone, too."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from deploy.errors import RailbedError
from deploy.rehearsal.kept import as_names
from deploy.rehearsal.rehearse import Asked, looked_at
from deploy.rehearsal.slices import Slice
from deploy.rehearsal.told import twin_text
from inventory import open_site
from inventory.plan import Plan
from tests.deploy.command_line import railbed

from .stock import of, site


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Three pods of 50 nodes on eight rails, in racks of four."""
    folder = site(tmp_path_factory.mktemp("slice") / "site", of(nodes=150))
    plan = open_site(folder)
    assert sorted({one.pod for one in plan.nodes if one.pod}) == [1, 2, 3]
    return folder, plan


def sliced(folder: Path, *keep: str, change: Path | None = None, **more: int) -> Plan:
    asked = Asked(str(folder), Slice(keep=keep, **more), 80, change=str(change) if change else "")
    return looked_at(asked)[0].plan


def nodes_of(plan: Plan) -> list[str]:
    return [one.name for one in plan.nodes if one.pod]


def test_a_pod_alone_keeps_its_own_names_addresses_numbers_and_every_rail(whole):
    folder, plan = whole
    made = sliced(folder, "pod_3", nodes_per_pod=2, spines=2)
    assert nodes_of(made) == ["node-p3-01", "node-p3-02"]
    leaves = {one.name for one in plan.switches if one.tier == "leaf" and "-p3-" in one.name}
    assert {one.name for one in made.switches if "-p" in one.name} == leaves
    assert {one.tier for one in made.switches} == {one.tier for one in plan.switches}
    assert {one.plane for one in made.switches} == {one.plane for one in plan.switches}
    profiles = {one.profile.removesuffix("-twin") for one in made.nodes}
    assert profiles == {one.profile for one in plan.nodes}
    for name, node in made.node.items():
        there = plan.node[name]
        for key in ("port", "address"):
            for mine, theirs in ((node.rails, there.rails), (node.nics, there.nics)):
                assert [getattr(one, key) for one in mine] == [getattr(one, key) for one in theirs]
    for name, switch in made.switch.items():
        there = plan.switch[name]
        assert (switch.loopback, switch.asn) == (there.loopback, there.asn)
    leaf, there = made.switch["leaf-p3-r0"], plan.switch["leaf-p3-r0"]
    facing = {one.name: one.peer for one in there.ports}
    assert all(facing[one.name] == one.peer for one in leaf.ports)


def test_several_are_named_and_the_rest_is_told(whole):
    folder, _ = whole
    made, _ = looked_at(Asked(str(folder), Slice(None, 1, 1, keep=("pod_3", "pod_1")), 80))
    assert nodes_of(made.plan) == ["node-p1-01", "node-p3-01"]
    said = StringIO()
    twin_text(made, None, Console(file=said, width=400))
    assert "pod_2: not of the slice pod_3, pod_1" in said.getvalue()
    assert "limits of oversubscription" in said.getvalue()


def test_a_rack_or_nodes_stay_at_their_places(whole):
    folder, plan = whole
    rack = [one.name for one in plan.nodes if one.pod == 2 and one.rack == 3]
    assert nodes_of(sliced(folder, "rack_p2_3", spines=1)) == rack
    assert nodes_of(sliced(folder, "rack_p2_3", nodes_per_pod=1, spines=1)) == rack[:1]
    made = sliced(folder, "node-p2-11", "node-p1-02", spines=1)
    assert nodes_of(made) == ["node-p1-02", "node-p2-11"]
    for name in nodes_of(made):
        assert made.node[name].management.address == plan.node[name].management.address


@pytest.mark.parametrize("name", ["pod_4", "rack_p4_1", "node-p9-01", "group_storage", "spine1"])
def test_a_name_that_is_none_is_refused_with_those_that_are(whole, name):
    folder, _ = whole
    with pytest.raises(RailbedError, match=f"--slice {name}: no pod, rack or node") as raised:
        sliced(folder, name)
    assert raised.value.exit_code == 2
    for known in ("pod_1, pod_2, pod_3", "rack_p1_1", "node-p1-01"):
        assert known in raised.value.hint


def test_a_change_has_the_same_slice_and_a_name_of_one_site_alone_is_refused(whole, tmp_path):
    folder, _ = whole
    later = shutil.copytree(folder, tmp_path / "later")
    with (later / "fabric.yml").open("a") as file:
        file.write("switch_services: {syslog: [172.16.3.9]}\n")
    asked = Asked(str(folder), Slice(None, 1, 1, keep=("pod_2",)), 80, change=str(later))
    twin, changed = looked_at(asked)
    assert changed
    assert set(twin.plan.devices) == set(changed.plan.devices)
    assert twin.plan.digest != changed.plan.digest
    text = (folder / "fabric.yml").read_text().replace("\n  pods: 3\n", "\n  pods: 2\n")
    (later / "fabric.yml").write_text(text)
    for one, other in ((folder, later), (later, folder)):
        with pytest.raises(RailbedError, match=f"--slice pod_3: .* of {later}"):
            sliced(one, "pod_3", change=other, nodes_per_pod=1, spines=1)


def test_names_are_typed_as_people_expect():
    assert as_names(["pod_1", "pod_3"]) == as_names(["pod_1,pod_3", "pod_1"]) == ("pod_1", "pod_3")
    with pytest.raises(RailbedError, match="names nothing"):
        as_names([","])
    with pytest.raises(RailbedError, match="--pods counts them"):
        as_names(["pod_1"], pods=1)


def test_the_command_refuses_with_exit_2(whole):
    said = railbed("rehearse", "--site", str(whole[0]), "--slice", "pod_9", "--dry-run")
    assert said.returncode == 2
    assert "pod_1, pod_2, pod_3" in said.stderr
