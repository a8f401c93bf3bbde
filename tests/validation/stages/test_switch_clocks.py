"""Stage 10: every switch follows the planned time, of each system; who does not is named."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from ipaddress import IPv4Address
from shutil import which
from subprocess import PIPE, run

import pytest

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from inventory.reading.sections import Section, sections, written
from switch_configs import dialects
from switch_configs.answers import answers
from switch_configs.answers.linux import ntp
from switch_configs.answers.said import Said
from switch_configs.answers.timekeeping import Clocks
from tests.switch_configs.sites import small
from tests.validation.clock_says import NOW_S, NTPD, SYSTEMS, Asked, says
from tests.validation.healthy import TIME, answered, stage_10
from validation.evidence.store import EvidenceStore, Frame
from validation.expect import expectations
from validation.ladder import unasked
from validation.run import validate
from validation.stages.s10_oob.expect import ClockFollowsExpected
from validation.verdict import Finding, Verdict

LEAF = "leaf-p1-r0"
OTHER = "192.0.2.9"
on_each = pytest.mark.parametrize("system", SYSTEMS)


def plan_of(system: str) -> Plan:
    return small("sonic" if system == NTPD else system)


def known(system: str) -> Clocks:
    """How the system is asked, and its answer read."""
    found = answers("sonic" if system == NTPD else system).clocks
    assert found is not None
    return found


def server_of(plan: Plan) -> str:
    (server,) = plan.switch_services.ntp
    return server


def time_of(plan: Plan) -> str:
    """What the OOB server is asked, whose trip tells its clock."""
    return ntp.question(plan.oob.zones[0].server_address.ip)


def judged(system: str, text: str, ahead_s: float = 0.0) -> Finding:
    """What is said of the leaf's clock, which by its trip is so far ahead of the server's."""
    plan = plan_of(system)
    line = known(system).line(plan.switch_services.ntp)
    store = EvidenceStore()
    said = {LEAF: {line: text}, plan.oob.name: {time_of(plan): stage_10.TIME}}
    store.add(_ahead(one, ahead_s) for one in answered(plan, said))
    configured = frozenset({plan.oob.name, LEAF})
    found = validate(plan, 10, store, None, configured).findings
    (one,) = (each for each in found if each.check == "switch_clock")
    return one


def _ahead(one: Frame, ahead_s: float) -> Frame:
    mine = ahead_s if one.device == LEAF else 0.0
    return replace(one, identity=replace(one.identity, clock_s=round(TIME.timestamp() + mine)))


def test_every_system_is_asked():
    assert {"sonic" if one == NTPD else one for one in SYSTEMS} == set(dialects())
    assert all(answers(one).clocks for one in dialects())


@on_each
def test_a_switch_that_follows_the_planned_server_passes(system):
    plan = plan_of(system)
    found = judged(system, says(system, Asked(server_of(plan))))
    assert (found.verdict, found.found) == (Verdict.PASS, "")


@on_each
@pytest.mark.parametrize(
    ("others", "found", "suspect"),
    [
        ([Asked(OTHER)], "its clock follows 192.0.2.9, which nobody planned", "time sources"),
        (
            [Asked(OTHER, is_followed=False)],
            "it asks 192.0.2.9 for the time, not {server}",
            "time sources",
        ),
        ([], "it asks nobody for the time, not {server}", "time sources"),
        (
            [Asked("", is_followed=False, answers=False)],
            "{server} does not tell it the time",
            "time sources",
        ),
        ([Asked("", is_followed=False)], "its clock does not follow {server}", "time sources"),
        (
            [Asked(""), Asked(OTHER, is_followed=False)],
            "it asks 192.0.2.9 for the time as well, which nobody planned",
            "time sources",
        ),
        ([Asked("", ahead_s=5.0)], "its clock is +5.000 s from {server}", "clock"),
        ([Asked("", ahead_s=-0.2)], "its clock is -0.200 s from {server}", "clock"),
    ],
)  # fmt: skip
def test_a_switch_that_does_not_is_named(system, others, found, suspect):
    """NX-OS tells no offset: its clock by its trips is what counts, to a minute."""
    server = server_of(plan_of(system))
    asked = [replace(one, server=one.server or server) for one in others]
    ahead_s = asked[0].ahead_s if asked else 0.0
    said = judged(system, says(system, *asked), ahead_s=ahead_s)
    if system == "nxos" and abs(ahead_s) > 1e-3:
        assert said.verdict is Verdict.PASS
        said = judged(system, says(system, *asked), ahead_s=300.0)
        found = "its clock is +300.000 s from {server}"
    assert (said.verdict, said.found) == (Verdict.FAIL, found.format(server=server))
    assert said.suspect == f"{suspect} of {LEAF}"
    assert LEAF in said.hint
    assert "udp/123" in said.hint
    assert known(system).see in said.hint


@on_each
def test_one_of_two_servers_will_do(system):
    asked = (Asked("10.0.0.1"), Asked("10.0.0.2", is_followed=False, answers=False))
    told = known(system).read(Said("asked", 0, says(system, *asked)))
    assert [one.is_followed for one in told.sources] == [True, False]
    assert [one.answers for one in told.sources] == [True, False]


@on_each
def test_what_is_no_answer_is_inconclusive(system):
    text = says(system, Asked(server_of(plan_of(system))))
    for one in ("", "% Invalid input\n", "{}", text[: len(text) // 2]):
        assert judged(system, one).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("system", [NTPD, "cumulus"])
def test_a_long_address_stands_in_a_line_of_its_own(system):
    told = known(system).read(Said("asked", 0, says(system, Asked("2001:db8:88::1:2:3"))))
    assert [(one.server, one.is_followed) for one in told.sources] == [("2001:db8:88::1:2:3", True)]


def test_a_container_follows_nobody_and_is_measured():
    """There the clock is the host's, and timesyncd does not start."""
    server = server_of(plan_of("linux_frr"))
    right = says("linux_frr", Asked(server, is_followed=False), in_container=True)
    assert judged("linux_frr", right).verdict is Verdict.PASS
    off = says("linux_frr", Asked(server, is_followed=False, ahead_s=5.0), in_container=True)
    assert judged("linux_frr", off).found == f"its clock is +5.000 s from {server}"
    silent = Asked(server, is_followed=False, answers=False)
    found = judged("linux_frr", says("linux_frr", silent, in_container=True))
    assert found.found == f"{server} does not tell it the time"


@pytest.mark.parametrize(
    ("way_s", "ahead_s", "verdict"),
    [
        (0.18, 0.0, Verdict.PASS),
        (0.18, 0.02, Verdict.INCONCLUSIVE),  # 20 ms and 90
        (0.22, 0.0, Verdict.INCONCLUSIVE),  # the bound itself is within the error of measurement
        (0.18, 0.15, Verdict.INCONCLUSIVE),
        (0.18, 0.25, Verdict.FAIL),
        (0.9, 5.0, Verdict.FAIL),  # however long that took
    ],
)
def test_an_offset_counts_as_far_as_the_way_of_the_answer_lets_it_be_known(way_s, ahead_s, verdict):
    """An answer that took as long is known to half of that."""
    plan = plan_of("linux_frr")
    text = says("linux_frr", Asked(server_of(plan), ahead_s=ahead_s))
    middle = NOW_S + 0.25
    late = text.replace(
        f"{NOW_S}.249750 {NOW_S}.250250", f"{middle - way_s / 2:.6f} {middle + way_s / 2:.6f}"
    )
    assert late != text
    assert judged("linux_frr", late).verdict is verdict


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (0, ""),  # the shell opened no socket
        (124, ""),
        (127, ""),  # no timeout, no bash
        (127, "asks\n"),  # no head, no od
        (3, "asks\n"),
    ],
)
def test_a_shell_that_could_not_ask_tells_nothing_of_the_server(status, text):
    with pytest.raises(Unreadable):
        ntp.ahead(Section(status, text))
    assert ntp.ahead(Section(124, "asks\n")) is ntp.ahead(Section(0, "asks\n")) is None
    plan = plan_of("linux_frr")
    server = server_of(plan)
    told = sections(says("linux_frr", Asked(server)))
    told[f"measured:{server}"] = Section(status, text)
    assert judged("linux_frr", written(told)).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("missing", ["", "timeout", "bash", "head", "od"])
def test_the_line_itself_says_whether_it_asked(tmp_path, missing):
    """Nobody listens at this address; without one of its tools it does not say so."""
    for tool in {"timeout", "bash", "head", "od"} - {missing}:
        (tmp_path / tool).symlink_to(str(which(tool)))
    line = ntp.measured(IPv4Address("127.0.0.9"))
    done = run(["/bin/sh", "-c", line], env={"PATH": str(tmp_path)}, stdout=PIPE, text=True)
    section = Section(done.returncode, done.stdout)
    if not missing:
        assert ntp.ahead(section) is None
        return
    with pytest.raises(Unreadable):
        ntp.ahead(section)


@pytest.mark.parametrize("who", [LEAF, "oob"])
def test_without_its_own_clock_or_the_servers_nxos_proves_nothing(who):
    """The controller's never stands in for the server's."""
    plan = plan_of("nxos")
    line, silent = known("nxos").line(()), plan.oob.name if who == "oob" else who
    store = EvidenceStore()
    told = says("nxos", Asked(server_of(plan)))
    said = {LEAF: {line: told}, plan.oob.name: {time_of(plan): stage_10.TIME}}
    for one in answered(plan, said):
        told_s = None if one.device == silent else one.identity.clock_s
        store.add([replace(one, identity=replace(one.identity, clock_s=told_s))])
    found = validate(plan, 10, store, None, frozenset({plan.oob.name, LEAF})).findings
    assert {one.verdict for one in found if one.check == "switch_clock"} == {Verdict.INCONCLUSIVE}


def test_a_clock_of_the_server_of_before_its_last_change_is_none():
    plan = plan_of("nxos")
    line = known("nxos").line(())
    told = says("nxos", Asked(server_of(plan)))
    store = answered(plan, {LEAF: {line: told}, plan.oob.name: {time_of(plan): stage_10.TIME}})
    changed = {plan.oob.name: TIME + timedelta(seconds=1)}
    configured = frozenset({plan.oob.name, LEAF})
    for of, verdict in ((None, Verdict.PASS), (changed, Verdict.INCONCLUSIVE)):
        found = validate(plan, 10, store, None, configured, changed=of).findings
        assert [one.verdict for one in found if one.check == "switch_clock"] == [verdict]


def test_who_has_no_servers_is_not_asked_and_what_nobody_can_ask_is_said():
    plan = plan_of("nxos")
    every = frozenset(plan.devices)
    asked = [one for one in expectations(plan, every, 10) if isinstance(one, ClockFollowsExpected)]
    assert {one.device for one in asked} == set(plan.any_switch)
    none = replace(plan, switch_services=replace(plan.switch_services, ntp=()))
    assert not any(isinstance(one, ClockFollowsExpected) for one in expectations(none, every, 10))
    assert unasked(10, none) == unasked(10, plan_of("eos")) == ()
    assert unasked(10, plan) == (
        "judges clocks of nxos to 60 s instead of 0.1 s: no show command there tells the offset",
    )


def test_before_the_oob_server_is_in_place_nobody_is_asked():
    plan = plan_of("eos")
    asked = expectations(plan, frozenset(plan.devices) - {plan.oob.name}, 10)
    assert not asked
