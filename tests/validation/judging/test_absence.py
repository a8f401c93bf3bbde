"""The absence budget: few nodes by chance are parked; a pattern, a failure, too many are not."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory import open_site
from inventory.plan import Plan
from tests.deploy.told_runs import finding
from tests.generated.sites import Size, generated_site
from validation.expect import expectations
from validation.judging.absence import Absence, absence, allowance, common_cause, told
from validation.judging.gate import BUDGET, Word, decide
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """200 nodes in 10 pods; two may be absent."""
    folder = tmp_path_factory.mktemp("site") / "site"
    generated_site(folder, Size(pods=10, spines=2, rails=2, nodes_per_pod=20))
    return replace(open_site(folder), absence_percent=1.0)


@pytest.fixture(scope="module")
def fleet() -> Plan:
    """1,280 nodes in 20 pods, racks of four; 12 may be absent."""
    return replace(open_site("superpod-10k"), undeployable=())


def silent(name: str) -> Finding:
    return Finding(
        10, "answers", name, f"answers:{name}", Verdict.INCONCLUSIVE, f"device {name}", "no answer"
    )


def dark_ports(plan: Plan, name: str) -> list[Finding]:
    """What the leaves of a node that is off see: no signal."""
    found = []
    for nic in plan.node[name].rails:
        cable = f"cable {plan.cable_at[nic.leaf]}"
        leaf, port = nic.leaf.device, nic.leaf.port
        found += [
            Finding(20, check, leaf, f"{check}:{leaf}:{port}", Verdict.FAIL, cable, "is down")
            for check in ("up", "lldp")
        ]
    return found


def test_a_tiny_site_has_no_budget():
    lab = open_site("lab")
    assert (lab.absence_percent, allowance(lab)) == (1.0, 0)
    assert absence(lab, [silent("node-p1-1")]) == Absence()


def test_a_fleet_may_go_on_without_one_in_a_hundred(fleet, plan):
    assert (allowance(fleet), allowance(plan)) == (12, 2)
    assert allowance(replace(fleet, absence_percent=0.0)) == 0


def test_a_node_that_is_off_is_parked_with_its_dark_ports(plan):
    name = plan.nodes[7].name
    found = absence(plan, [silent(name), *dark_ports(plan, name)])
    assert found.parked == (name,)
    assert told(found) == f"parked as unvalidated, 1 of at most 2: {name}"


def test_a_node_whose_driver_waits_for_a_reboot_is_not_parked(plan):
    """A canary is one node of many: the gate would let all others have a driver that never ran."""
    name = plan.nodes[7].name
    open_one = replace(silent(name), check="hardware", expectation=f"hardware:{name}", stage=30)
    driver = replace(open_one, check="software", expectation=f"software:{name}:driver",
                     suspect=f"role nvidia_driver on {name}")  # fmt: skip
    assert absence(plan, [open_one, driver]).parked == (name,)
    assert absence(plan, [open_one, replace(driver, waits=True)]).parked == ()


def test_a_node_that_answers_and_whose_cable_fails_is_not_parked(plan):
    """Only who does not answer explains a dark port; here the cable may be bad, or swapped."""
    name = plan.nodes[7].name
    open_one = replace(silent(name), check="clock", expectation=f"clock:{name}", stage=30)
    assert absence(plan, [open_one]).parked == (name,)
    assert absence(plan, [open_one, *dark_ports(plan, name)]).parked == ()


@pytest.mark.parametrize("suspect", ["port {leaf}:{port}", "swapped cables {cable} and x -- y"])
def test_what_else_is_wrong_beside_an_absent_node_is_not_hidden(plan, suspect):
    name = plan.nodes[7].name
    bad = dark_ports(plan, name)[0]
    nic = plan.node[name].rails[0]
    words = {"leaf": nic.leaf.device, "port": nic.leaf.port, "cable": plan.cable_at[nic.leaf]}
    assert absence(plan, [silent(name), replace(bad, suspect=suspect.format(**words))]).parked == ()


def test_too_many_are_not_parked_and_it_is_said(plan):
    names = [plan.nodes[at].name for at in (5, 55, 105)]
    found = absence(plan, map(silent, names))
    assert (found.parked, "3 nodes are absent or open" in found.why) == ((), True)


def test_switches_and_servers_beside_the_pods_are_never_parked(fleet):
    beside = next(one.name for one in fleet.nodes if not one.pod)
    spine = fleet.switches[0].name
    assert absence(fleet, [silent(beside), silent(spine)]).parked == ()


def test_a_rack_or_a_pod_is_a_pattern_and_chance_is_none(fleet):
    rack = [one.name for one in fleet.nodes if one.pod == 3][:4]
    assert "rack 1 of pod 3" in common_cause(fleet, rack)
    assert "rack" in common_cause(fleet, rack[:2])
    pod = [one.name for one in fleet.nodes if one.pod == 5][::6][:8]
    assert common_cause(fleet, pod) == "pod 5"
    assert "pod 5" in absence(fleet, map(silent, pod)).why


def test_random_absences_are_rarely_called_a_pattern(fleet, is_full):
    noise, names = random.Random(7), [one.name for one in fleet.nodes if one.pod]
    tries = 60 if is_full else 20
    called = sum(bool(common_cause(fleet, noise.sample(names, 12))) for _ in range(tries))
    assert called <= tries // 20


VERDICTS = st.lists(st.sampled_from(list(Verdict)), min_size=1, max_size=12)


@given(st.data())
def test_what_is_parked_never_passes_and_what_fails_is_never_parked(data):
    """Whatever the findings are: go means that all required of the rest passes."""
    plan = _small()
    wanted = _WANTED
    some = data.draw(st.lists(st.sampled_from(range(len(wanted))), max_size=6, unique=True))
    worse = {at: data.draw(st.sampled_from(list(Verdict)[1:])) for at in some}
    found = tuple(
        finding(one, worse.get(at, Verdict.PASS), f"device {one.device}" if at in worse else "")
        for at, one in enumerate(wanted)
    )
    away = absence(plan, found)
    rest = frozenset(plan.devices) - set(away.parked)
    required = [one.id for one in wanted if one.device in rest]
    decision = decide(ValidationResult("d", 44, found, {}, ()), required, away=away)
    failed = {one.device for one in found if one.verdict is Verdict.FAIL}
    assert not failed & set(away.parked)
    assert len(away.parked) <= away.allowed
    assert decision.parked == away.parked
    bad = [one for one in found if one.expectation in required and one.verdict is not Verdict.PASS]
    holds = [one for one in bad if one.check not in ("kernel", "reboot", "signal")]
    assert (decision.word is Word.GO) == (not holds) or failed
    if decision.word is Word.GO:
        assert not failed
    if away.parked:
        assert BUDGET in [one.suspect for one in decision.reasons]
        assert all(name in str(decision.reasons[-1]) for name in away.parked)


def _small() -> Plan:
    return _PLAN


def _made() -> Plan:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        generated_site(Path(folder) / "s", Size(pods=2, spines=1, rails=1, nodes_per_pod=60))
        return replace(open_site(Path(folder) / "s"), absence_percent=2.0)


_PLAN = _made()
_WANTED = [
    one
    for one in expectations(_PLAN, frozenset(_PLAN.devices), 30)
    if one.check in ("answers", "memlock")
]
