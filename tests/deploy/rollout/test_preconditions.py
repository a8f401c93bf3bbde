"""What a run refuses before it fetches, sends or changes anything."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.rollout import change
from deploy.rollout.preconditions import by_people, deployable, refuse_unable
from deploy.rollout.runbook import waves_of
from deploy.rollout.survey import survey
from deploy.session import Selection
from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Plan
from inventory.switches.abilities import abilities
from inventory.topology.waves import oob_switches
from switch_configs import dialects
from tests.deploy.nowhere import context_to_nowhere
from tests.generated.sites import make_up_asbuilt
from validation.evidence.gather import Reply
from validation.expect import expectations

UNREACHED = "nxos"


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """pod-256 as if all of its machines were there."""
    folder: Path = tmp_path_factory.mktemp("pod")
    shutil.copy(SITES / "pod-256" / "fabric.yml", folder)
    make_up_asbuilt(folder)
    return open_site(folder)


def test_a_site_without_as_built_rows_is_refused_before_packages_are_fetched(monkeypatch):
    monkeypatch.setattr(change, "prepare", lambda *_: pytest.fail("packages were fetched"))
    with pytest.raises(RailbedError, match="no device of pod-256 can be changed") as refused:
        change.apply_site(Selection("pod-256", "none"), "", False, lambda _: None)
    assert refused.value.exit_code == 2
    assert "no as-built row: oob1, through which all others" in refused.value.hint
    assert "railbed asbuilt import" in refused.value.hint


@pytest.fixture
def unreached(monkeypatch):
    """One system is rendered only, as a package of somebody else's may be."""
    known = abilities()
    less = known[UNREACHED].model_copy(update={"pushed": False})
    monkeypatch.setitem(known, UNREACHED, less)


def test_a_site_of_all_our_systems_can_be_changed(pod):
    assert {one.dialect for one in pod.switches} == {*dialects()} - {"linux_frr"}
    refuse_unable(pod, "", waves_of(pod, ""))


@pytest.mark.usefixtures("unreached")
def test_switches_that_nobody_pushes_to_are_named_by_dialect(pod):
    with pytest.raises(RailbedError) as refused:
        refuse_unable(pod, "", waves_of(pod, ""))
    assert "nxos (business-leaf-b1-1," in refused.value.message
    assert not any(f"{one} (" in refused.value.message for one in {*dialects()} - {UNREACHED})
    assert "--only nodes" in refused.value.hint


@pytest.mark.parametrize("only", ["oob", "nodes"])
def test_servers_can_be_changed_without_their_switches(pod, only):
    refuse_unable(pod, only, waves_of(pod, only))


def test_the_lab_can_be_changed():
    plan = open_site("lab")
    refuse_unable(plan, "", waves_of(plan, ""))


def test_switches_of_the_oob_plane_are_changed_before_all_that_they_reach(pod):
    steps = dict.fromkeys(wave.step for wave in pod.waves)
    assert [*steps] == ["oob", "oob-switches", "nodes", "switches"]
    of_step = {one for wave in waves_of(pod, "oob-switches") for one in wave.devices}
    assert of_step == set(pod.oob_switch)
    assert deployable(pod) == {one for wave in pod.waves for one in wave.devices}


def test_an_oob_switch_of_a_system_that_is_rendered_only_is_changed_by_people(
    pod, monkeypatch, tmp_path
):
    known = abilities()
    monkeypatch.setitem(known, "cumulus", known["cumulus"].model_copy(update={"pushed": False}))
    left = {one.name for one in pod.oob_switches if one.dialect == "cumulus"}
    assert set(by_people(pod)) == left
    assert not deployable(pod) & left
    frr = {one.name for one in pod.oob_switches} - left
    made = oob_switches(pod.oob.name, pod.oob_switches, pod.switches, 8)
    assert {one for wave in made for one in wave.devices} == frr
    silence = Silence()
    found = dict(survey(replace(context_to_nowhere(tmp_path), plan=pod), silence).silent)
    assert not silence.asked & left
    why = "changed by people: cumulus switches are rendered, and not pushed to"
    assert {found[name] for name in left} == {f"a switch of the OOB plane, {why}"}


def test_a_step_that_a_site_does_not_have_is_refused():
    with pytest.raises(RailbedError, match="in the step 'oob-switches'") as refused:
        refuse_unable(open_site("lab"), "oob-switches", ())
    assert "its plan has none" in refused.value.hint


class Silence:
    """Nobody answers; who is asked is written down."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        self.asked.add(device)
        return Reply(b"", None, f"{len(script)} characters in {timeout_s} s: silence")


@pytest.mark.usefixtures("unreached")
def test_a_survey_asks_no_device_that_it_cannot_read(pod, tmp_path):
    silence = Silence()
    context = replace(context_to_nowhere(tmp_path), plan=pod)
    found = dict(survey(context, silence).silent)
    assert set(found) == set(pod.devices)
    pushed = {name for name, one in pod.any_switch.items() if one.dialect != UNREACHED}
    assert silence.asked == {pod.oob.name, *pod.node, *pushed}
    assert found["business-leaf-b1-1"] == "railbed does not reach nxos switches yet"


def test_each_expectation_of_a_site_with_tables_has_an_id_of_its_own(pod):
    ids = [one.id for one in expectations(pod, deployable(pod))]
    assert len(ids) == len(set(ids))
    assert "bgp:business-leaf-b1-1:Ethernet1/5:users" in ids
