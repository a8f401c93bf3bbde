"""Drills that are pushes: which ports, what must be shown of them, and what proves nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from tests.switch_configs.sites import small_with
from tests.validation import frames_says
from tests.validation.healthy import answered, stage_80
from validation.ladder import ladder, open_ends
from validation.run import validate
from validation.stages.s80_soak.crossing import Crossed, own_frames
from validation.stages.s80_soak.drills import Drill, drills
from validation.stages.s80_soak.terms import drilling, guard
from validation.stages.s80_soak.work import (
    CROSSINGS,
    back_command,
    back_devices,
    back_step,
    crossing_command,
    drill_step,
    drill_stream_command,
    streamed_s,
)
from validation.verdict import Finding, Verdict

BUSY_MS = 10
SYSTEMS = ("cumulus", "eos", "nxos", "sonic")


@cache
def small(system: str, bfd_ms: int = 300) -> Plan:
    """A site with two ways from leaf to leaf."""

    def two_ways(site: dict[str, Any]) -> None:
        site["topology"]["spines"] = max(2, site["topology"].get("spines", 2))
        site["compute"]["timers"]["bfd_interval_ms"] = bfd_ms

    return small_with(system, two_ways)


def pulled(system: str, how: str = "off", bfd_ms: int = 300) -> Drill:
    plan = small(system, bfd_ms)
    every = drills(plan, frozenset(plan.devices))
    return next(one for one in every if one.how == how and not one.refusal)


def found(
    system: str, changed: Mapping[str, Mapping[str, str]], how: str = "off", bfd_ms: int = 300
) -> list[Finding]:
    """What of the drill does not pass when devices answer otherwise."""
    plan = small(system, bfd_ms)
    every, drill = frozenset(plan.devices), pulled(system, how, bfd_ms)
    said = stage_80.everything(plan, every)
    for device, lines in changed.items():
        said[device].update(lines)
    done = validate(
        plan, 80, answered(plan, said), None, every, leave_out=frozenset(ladder()) - {80}
    )
    mine = [one for one in done.findings if one.expectation.endswith(f":{drill.id}")]
    assert {one.check for one in mine} == {"switchover", "back"}
    return [one for one in mine if one.verdict is not Verdict.PASS]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_port_is_pulled_and_a_spine_drained_and_no_port_is_silent(system):
    """Why not is said by `railbed check`."""
    plan, drill = small(system), pulled(system)
    assert drill.guarded
    typed = (f"interface {drill.port}\nshutdown", f"interface {drill.port}\nno shutdown")
    link = f"nv set interface {drill.port} link state"
    config = [f"config interface {word} {drill.port}" for word in ("shutdown", "startup")]
    told = {"cumulus": (f"{link} down", f"{link} up"), "sonic": tuple(config)}.get(system, typed)
    assert (drill.pull, drill.restore) == told
    assert drill.held_s == guard().window_s > drilling().hold_s
    every = drills(plan, frozenset(plan.devices))
    assert {one.how for one in every if one.refusal} == {"silent"}
    assert {one.how for one in every if one.guarded and not one.refusal} == {"off", "drain"}
    said = "\n".join(open_ends(plan))
    assert f"stage 80 times no failure detection on {system}" in said
    assert f"stage 80 refuses a drill: {system} would need an access list" in said


@pytest.mark.parametrize("system", SYSTEMS)
def test_streams_that_go_on_over_another_path_pass(system):
    assert found(system, {}) == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_drained_switch_that_is_left_passes_and_one_that_forwards_as_before_fails(system):
    assert found(system, {}, "drain") == []
    drill = pulled(system, "drain")
    text = frames_says.says(small(system), drill.device, 4 * 10**6)
    line = crossing_command(drill, "pulled 2")
    (bad,) = found(system, {drill.device: {line: text}}, "drain")
    assert (bad.check, bad.verdict) == ("switchover", Verdict.FAIL)
    assert "drained, it still forwards" in bad.found


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_drain_of_a_switch_that_no_stream_crossed_proves_nothing(system):
    drill = pulled(system, "drain")
    text = stage_80.crossed(small(system), drill)[crossing_command(drill, "before 1")]
    (bad,) = found(system, {drill.device: {crossing_command(drill, "before 2"): text}}, "drain")
    assert (bad.check, bad.verdict) == ("switchover", Verdict.INCONCLUSIVE)
    assert "the streams took other ways" in bad.found


@pytest.mark.parametrize(
    ("how", "streams", "why"),
    [
        ("drain", {}, "nobody knows whether streams did"),
        ("off", {}, "nobody knows whether streams did"),
        ("off", {"before 2"}, "nobody knows whether streams went then"),
        ("drain", {"before 2"}, ""),
    ],
)
@pytest.mark.parametrize("system", SYSTEMS)
def test_frames_of_bfd_are_no_streams(system, how, streams, why):
    """A switch sends more of them than is asked of streams: 133 a second and port, both ways."""
    plan, drill = small(system, BUSY_MS), pulled(system, how, BUSY_MS)
    device = plan.switch[drill.device]
    counts, said = {port.name: 10**6 for port in device.ports}, {}
    for when in CROSSINGS:
        added = 10**5 if when in streams else 1333 * when.endswith("2")
        counts = {port: count + added for port, count in counts.items()}
        if when.startswith("pulled") and drill.port:
            counts[drill.port] = 2 * 10**6
        said[crossing_command(drill, when)] = frames_says.says(plan, drill.device, counts)
    bad = found(system, {drill.device: said}, how, BUSY_MS)
    assert [(one.check, one.verdict) for one in bad] == (
        [("switchover", Verdict.INCONCLUSIVE)] if why else []
    )
    assert all(why in one.found for one in bad)


@pytest.mark.parametrize(
    ("during", "own", "says"),
    [
        (13_000, 15_640, ""),
        (71_000, 15_640, "drained, it still forwards 71000 packets in 10 s"),
        (60_000, 15_640, "unreadable"),
        (50_000, 15_640, "unreadable"),  # of streams half of what was before, or far less
        (50_000, 0, ""),
        (55_000, 0, "drained, it still forwards 55000 packets in 10 s"),
    ],
)
def test_a_drained_switch_is_judged_by_what_its_own_frames_do_not_explain(during, own, says):
    crossed = Crossed(109_000, during, own, own, 10, 9_600)
    assert crossed.unshown(goes_on=False) == ""
    if says != "unreadable":
        assert crossed.undrained() == says
        return
    with pytest.raises(Unreadable, match="nobody knows whether it is left"):
        crossed.undrained()


def test_a_top_switch_of_128_ports_sends_a_thousand_frames_a_second_by_itself():
    """By RFC 5880 at most 1138 of BFD; readings ten seconds apart may be twice that."""
    plan = small("sonic")
    switch = next(one for one in plan.switches if one.sessions)
    port = switch.sessions[0].port
    wide = replace(switch, sessions=(replace(switch.sessions[0], port=port),) * 128)
    bfd_and_bgp = 128 * 2 * (1000 / 225 + 2 / 2.25)
    assert own_frames(wide, {port}, 10) == pytest.approx((bfd_and_bgp + 2) * 20)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_flow_that_waits_too_long_fails(system):
    drill, terms = pulled(system), drilling()
    flow = drill.streams[0]
    text = stage_80.stream(flow, streamed_s(drill), terms.gap_ms, drill.crossing.source_ports, 1500)
    (bad,) = found(system, {flow.sender: {drill_stream_command(drill, flow): text}})
    assert (bad.check, bad.verdict) == ("switchover", Verdict.FAIL)
    assert "waited 1500 ms" in bad.found
    assert bad.suspect == f"device {drill.device}"


@pytest.mark.parametrize(
    ("when", "like", "why"),
    [
        ("before 2", "before 1", "the streams took other ways"),
        ("pulled 2", "pulled 1", "no stream went then"),
    ],
)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_drill_that_no_stream_crossed_proves_nothing(system, when, like, why):
    drill = pulled(system)
    text = stage_80.crossed(small(system), drill)[crossing_command(drill, like)]
    (bad,) = found(system, {drill.device: {crossing_command(drill, when): text}})
    assert (bad.check, bad.verdict) == ("switchover", Verdict.INCONCLUSIVE)
    assert why in bad.found


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_port_that_still_passes_frames_was_not_off(system):
    drill = pulled(system)
    text = frames_says.says(small(system), drill.device, 4 * 10**6)
    (bad,) = found(system, {drill.device: {crossing_command(drill, "pulled 2"): text}})
    assert (bad.check, bad.verdict) == ("switchover", Verdict.INCONCLUSIVE)
    assert "so it was not off" in bad.found


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_session_that_does_not_come_back_fails(system):
    plan, drill = small(system), pulled(system)
    if system in ("cumulus", "sonic"):
        text = stage_80.summary(plan, drill.device, "Idle")
    else:
        text = one_less(stage_80.steady(plan, drill.device))
    (bad,) = found(system, {drill.device: {back_command(drill, drill.device): text}})
    assert (bad.check, bad.verdict) == ("back", Verdict.FAIL)
    assert drill.restore.splitlines()[0] in bad.hint


@pytest.mark.parametrize("system", SYSTEMS)
def test_its_lines_are_never_a_job_of_a_shell(system):
    drill = pulled(system)
    with pytest.raises(ValueError, match="a push"):
        drill_step(drill, "t", [drill.port])


def one_less(text: str) -> str:
    """One session idle, of NX-OS in the count of its table, too."""
    head, state, rest = text.partition('"Established"')
    count = re.compile(r'("vrfestablishedpeers": ")(\d+)')
    if found := [*count.finditer(head)]:
        last = found[-1]
        head = f"{head[: last.start(2)]}{int(last[2]) - 1}{head[last.end(2) :]}"
    return f'{head}"Idle"{rest}' if state else text


@pytest.mark.parametrize("system", ["cumulus", "sonic"])
def test_a_drained_switch_without_a_file_of_frr_is_asked_for_its_sessions_alone(system):
    """Its way back is a timer of systemd; what is left behind is seen by its neighbours."""
    plan = small(system)
    every = frozenset(plan.devices)
    drained = next(one for one in drills(plan, every) if one.how == "drain")
    jobs = back_step(plan, drained)
    assert {job.command for job in jobs} == {
        back_command(drained, name) for name in back_devices(plan, drained)
    }
    said = answered(plan, stage_80.everything(plan, every))
    done = validate(plan, 80, said, None, every, leave_out=frozenset(ladder()) - {80})
    mine = [one for one in done.findings if one.expectation == f"back:{drained.id}"]
    assert [one.verdict for one in mine] == [
        Verdict.INCONCLUSIVE if drained.refusal else Verdict.PASS
    ]
