"""Stage 80 with a length: frames lost over frames sent, by each lossless system's counters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from deploy.report.coverage import coverage
from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from tests.switch_configs.sites import small_with
from tests.validation import frames_says
from tests.validation.healthy import answered, stage_80
from validation.counters import frames
from validation.evidence.store import EvidenceError
from validation.expect import expectations
from validation.ladder import ladder
from validation.run import validate
from validation.stages.s80_soak.lengths import length_in
from validation.stages.s80_soak.terms import lengths
from validation.stages.s80_soak.work import FRAMES, soak_command, soaked
from validation.verdict import Finding, Verdict

# A counter of each system that says that a frame came broken, and one that it was thrown away.
LOST = {
    "cumulus": ("rx errors", "rx dropped"),
    "eos": ("totalInErrors", "outDiscards"),
    "nxos": ("eth_inerr", "eth_outdiscard"),
    "sonic": ("IN_ERRORS", "OUT_DISCARDS"),
}
DIALECTS = tuple(LOST)
SWITCH, NODE = "leaf-p1-r0", "node-p1-1"
MANY = 10**9


@cache
def small(dialect: str) -> Plan:
    """A small lossless site whose rails do RDMA."""

    def rdma(site: dict[str, Any]) -> None:
        for at, nic in enumerate(site["profiles"]["tiny-node"]["rails"]):
            nic["rdma_device"] = f"mlx5_{at}"

    return small_with(dialect, rdma)


@cache
def healthy(dialect: str, length: str) -> tuple[Plan, frozenset[str], stage_80.Said]:
    """A small site with RDMA, and what it answers."""
    plan = small(dialect)
    every = frozenset(plan.devices)
    return plan, every, stage_80.everything(plan, every, length)


def lost(
    dialect: str, changed: Mapping[str, Mapping[str, str]], length: str = "window"
) -> list[Finding]:
    """What of the check `loss` does not pass when devices answer otherwise."""
    plan, every, told = healthy(dialect, length)
    said = {name: {**lines, **changed.get(name, {})} for name, lines in told.items()}
    store = answered(plan, said)
    store.asked.add(lengths()[length].words)
    done = validate(plan, 80, store, None, every, leave_out=frozenset(ladder()) - {80})
    mine = [one for one in done.findings if one.check == "loss"]
    assert mine
    return [one for one in mine if one.verdict is not Verdict.PASS]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_healthy_day_passes_and_its_ratio_is_the_figure(dialect):
    plan, every, told = healthy(dialect, "acceptance")
    store = answered(plan, told)
    store.asked.add("soak acceptance")
    done = validate(plan, 80, store, None, every, leave_out=frozenset(ladder()) - {80})
    mine = [one for one in done.findings if one.check in ("loss", "soak", "steady")]
    assert {one.verdict for one in mine} == {Verdict.PASS}, [
        one for one in mine if one.verdict is not Verdict.PASS
    ][:3]
    (whole,) = (one for one in mine if one.expectation == "loss:fabric")
    assert whole.figure
    assert (whole.figure.value, whole.figure.unit) == (0.0, "lost per frame")
    assert whole.figure.terms == "soak of 24 h (acceptance)"
    words = coverage(plan, done.findings, ()).matched
    start = "soak of 24 h (acceptance): 0 lost per frame sent"
    assert any(each.startswith(start) for each in words)
    assert any("streams pass" in each for each in words)


@pytest.mark.parametrize(
    ("dialect", "name"), [(one, name) for one in DIALECTS for name in LOST[one]]
)
def test_every_counter_of_a_lost_frame_is_seen(dialect, name):
    """2000 of a thousand millions are too many for a window; the port and its counter are named.

    Of what was thrown away the counter does not tell the class, so nobody knows what that was.
    """
    plan = small(dialect)
    ports = len(plan.switch[SWITCH].ports)
    text = frames_says.says(plan, SWITCH, 10**6 + MANY, {name: 2 * MANY * ports // 10**6})
    (bad, *_) = lost(dialect, {SWITCH: {FRAMES["after"]: text}})
    first = plan.switch[SWITCH].ports[0].name
    is_thrown = name == LOST[dialect][1]
    worst = Verdict.INCONCLUSIVE if is_thrown else Verdict.FAIL
    assert (bad.expectation, bad.verdict) == (f"loss:{SWITCH}", worst)
    assert ("do not say of which class" in bad.found) == is_thrown
    assert bad.suspect == f"port {SWITCH}:{first}"
    assert name in bad.found


@pytest.mark.parametrize("name", ["rx_crc_errors_phy", "rx_discards_phy", "tx_discards_phy"])
def test_a_nic_that_loses_frames_is_named(name):
    plan = small("sonic")
    text = frames_says.says(plan, NODE, 10**6 + MANY, {name: MANY // 10**5})
    (bad, *_) = lost("sonic", {NODE: {FRAMES["after"]: text}})
    worst = Verdict.FAIL if "errors" in name else Verdict.INCONCLUSIVE
    assert (bad.expectation, bad.verdict) == (f"loss:{NODE}", worst)
    assert name in bad.found


def test_broken_frames_fail_whatever_was_thrown_away_beside_them():
    plan = small("sonic")
    ports = len(plan.switch[SWITCH].ports)
    both = dict.fromkeys(("IN_ERRORS", "OUT_DISCARDS"), 2 * MANY * ports // 10**6)
    text = frames_says.says(plan, SWITCH, 10**6 + MANY, both)
    (bad, *_) = lost("sonic", {SWITCH: {FRAMES["after"]: text}})
    assert bad.verdict is Verdict.FAIL


def test_the_port_whose_frames_broke_is_the_suspect_not_the_one_that_threw_most_away():
    """The verdict rests on broken frames alone, and so does its suspect."""
    plan = small("eos")
    first, second, *_ = (one.name for one in plan.switch[SWITCH].ports)
    broken = 2 * MANY * len(plan.switch[SWITCH].ports) // 10**6
    text = frames_says.says(plan, SWITCH, 10**6 + MANY, {"totalInErrors": broken})
    before, sign, after = text.partition(f'"{second}": ')
    text = before + sign + after.replace('"outDiscards": 0', '"outDiscards": 900000', 1)
    every = lost("eos", {SWITCH: {FRAMES["after"]: text}})
    (bad,) = (one for one in every if one.expectation == f"loss:{SWITCH}")
    assert (bad.verdict, bad.suspect) == (Verdict.FAIL, f"port {SWITCH}:{first}")
    assert f"{SWITCH}:{first} totalInErrors: {broken:,}" in bad.found
    assert "outDiscards" not in bad.found


def test_one_frame_of_a_day_of_many_is_within_the_ratio():
    """Two of 1e9 are over it, on the device that lost them alone."""
    plan = small("sonic")
    one, two = (
        frames_says.says(plan, SWITCH, 10**6 + MANY, {"IN_ERRORS": count * len(ports)})
        for ports in [plan.switch[SWITCH].ports]
        for count in (1, 2)
    )
    assert lost("sonic", {SWITCH: {FRAMES["after"]: one}}, "acceptance") == []
    bad = lost("sonic", {SWITCH: {FRAMES["after"]: two}}, "acceptance")
    assert [each.expectation for each in bad] == [f"loss:{SWITCH}"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_counter_that_is_not_told_is_inconclusive(dialect, when):
    """Of a device and of the whole fabric: nobody knows what it lost."""
    name = LOST[dialect][0].rpartition(" ")[2]
    text = healthy(dialect, "window")[2][SWITCH][FRAMES[when]]
    bad = lost(dialect, {SWITCH: {FRAMES[when]: text.replace(name, "other", 1)}})
    assert {one.verdict for one in bad} == {Verdict.INCONCLUSIVE}
    assert {one.expectation for one in bad} == {"loss:fabric", f"loss:{SWITCH}"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_counters_that_went_back_prove_nothing(dialect):
    """A switch that was restarted meanwhile, or whose counters somebody cleared."""
    plan = small(dialect)
    bad = lost(dialect, {SWITCH: {FRAMES["after"]: frames_says.says(plan, SWITCH, 10)}})
    assert {one.verdict for one in bad} == {Verdict.INCONCLUSIVE}
    assert "went back" in bad[-1].found


def test_a_port_that_is_not_counted_is_inconclusive():
    plan = small("eos")
    ports = [one.name for one in plan.switch[SWITCH].ports][1:]
    bad = lost("eos", {SWITCH: {FRAMES["after"]: frames_says.eos(ports, MANY * 2, {})}})
    assert {one.verdict for one in bad} == {Verdict.INCONCLUSIVE}


@pytest.mark.parametrize("dialect", ["cumulus", "sonic"])
def test_polled_counters_that_were_not_waited_for_are_unreadable(dialect):
    plan = small(dialect)
    text = frames_says.says(plan, SWITCH, MANY).replace("8123.41 81", "8123.41 8123.42 81", 1)
    with pytest.raises(Unreadable):
        frames.read(plan, SWITCH, text)


def test_too_few_frames_do_not_show_a_small_ratio():
    """Nothing lost of 1000 frames a port is no ratio of 1e-9: the fabric stays open."""
    plan, every, _ = healthy("sonic", "acceptance")
    few = {
        name: {FRAMES["after"]: frames_says.says(plan, name, 10**6 + 1000)}
        for name in every
        if frames.ports(plan, name)
    }
    bad = lost("sonic", few, "acceptance")
    assert [(one.expectation, one.verdict) for one in bad] == [
        ("loss:fabric", Verdict.INCONCLUSIVE)
    ]
    assert "shown by 1,000,000,000 of them" in bad[0].found


def test_a_look_asks_for_no_ratio_and_a_slice_that_is_missing_is_no_pass():
    plan, every, told = healthy("sonic", "acceptance")
    checks = {one.check for one in expectations(plan, every) if one.stage == 80}
    assert "loss" not in checks
    flow, day = soaked(plan, every)[0], lengths()["acceptance"]
    lines = dict(told[flow.sender])
    del lines[soak_command(flow, day, 17)]
    store = answered(plan, {**told, flow.sender: lines})
    store.asked.add(day.words)
    done = validate(plan, 80, store, None, every, leave_out=frozenset(ladder()) - {80})
    open_ = [one for one in done.findings if one.check == "soak" and one.verdict != Verdict.PASS]
    assert [one.expectation for one in open_] == [f"soak:{flow.id}"]
    assert open_[0].verdict is Verdict.INCONCLUSIVE


def test_the_stock_lengths_are_a_look_minutes_and_a_day():
    told = {name: (one.total_s, one.says) for name, one in lengths().items()}
    assert told == {
        "look": (20, "20 s"), "window": (300, "5 min"), "acceptance": (86400, "24 h"),
    }  # fmt: skip
    assert lengths()["acceptance"].most_loss_ratio == 1e-9
    assert length_in(()) == lengths()["look"]
    assert length_in({"soak window", "3 random matchings from seed 1"}) == lengths()["window"]
    with pytest.raises(EvidenceError, match="soak week"):
        length_in({"soak week"})
