"""Stage 10: the OOB server tells the time in each zone, and has it from the site's sources."""

from __future__ import annotations

import subprocess
from ipaddress import IPv4Address
from shlex import quote as quoted
from shutil import which

import pytest

from inventory import open_site
from inventory.reading.fields import Unreadable
from switch_configs.answers.linux import ntp
from tests.validation.healthy import Refused, frame, stage_10
from tests.validation.healthy.stage_10 import TIME, TRACKING
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.expect import expectations
from validation.manifest import ask_node
from validation.run import validate
from validation.stages.s30_node_state.expect import ClockExpected
from validation.verdict import Finding, Verdict

CASE = stage_10.healthy()
OOB = CASE.plan.oob.name
NETMGMT, HOSTMGMT = f"time:{OOB}:netmgmt", f"time:{OOB}:hostmgmt"
SOURCE = f"time_source:{OOB}"
ASKED = {zone.name: ntp.question(zone.server_address.ip) for zone in CASE.plan.oob.zones}


def judged(change: dict[str, str]) -> dict[str, Finding]:
    """The verdicts about time, with some of the server's answers others."""
    store = EvidenceStore()
    store.add(
        frame(CASE.plan, OOB, one.command, change[one.command])
        if one.device == OOB and one.command in change
        else one
        for one in CASE.store
    )
    found = validate(CASE.plan, 10, store, None, CASE.configured).findings
    return {one.expectation: one for one in found if one.check.startswith("time")}


def test_the_time_is_asked_in_every_zone_and_of_its_source():
    assert {one.expectation: one.verdict for one in judged({}).values()} == dict.fromkeys(
        (HOSTMGMT, NETMGMT, SOURCE), Verdict.PASS
    )


def test_without_sources_its_own_clock_will_do():
    """The ledger says so; a site of nodes alone agrees with itself."""
    asked = expectations(open_site("lab"), frozenset({OOB}), 10)
    assert {one.id for one in asked if one.check.startswith("time")} == {HOSTMGMT, NETMGMT}


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("asks\n", "nobody answers NTP at 10.88.1.1"),
        (TIME.replace(" 24 0a", " e4 00", 1), "10.88.1.1 answers, and has no time"),
        (TIME.replace(" 24 0a", " 24 10", 1), "10.88.1.1 answers, and has no time"),
    ],
)
def test_a_zone_without_the_time_is_named_with_what_to_do(answer, found):
    said = judged({ASKED["hostmgmt"]: answer})
    assert {name: one.verdict for name, one in said.items()} == {
        HOSTMGMT: Verdict.FAIL, NETMGMT: Verdict.PASS, SOURCE: Verdict.PASS,
    }  # fmt: skip
    assert said[HOSTMGMT].found == found
    assert said[HOSTMGMT].suspect == f"role oob_server on {OOB}"
    assert "systemctl status railbed-chrony.service" in said[HOSTMGMT].hint


@pytest.mark.parametrize(
    "answer",
    [
        TIME.replace("30 30", "31 30", 1),
        TIME.replace(" 24", " 23", 1),
        "".join(TIME.splitlines(keepends=True)[:2]),
        "od: no such file\n",
        "asks\nod: no such file\n",
        TIME.removeprefix("asks\n"),
        "",
    ],
)
def test_what_is_no_answer_of_a_time_server_proves_nothing(answer):
    assert judged({ASKED["netmgmt"]: answer})[NETMGMT].verdict is Verdict.INCONCLUSIVE
    with pytest.raises(Unreadable):
        ntp.answer(answer)


TOOLS = ("bash", "head", "od", "timeout")


@pytest.mark.parametrize("missing", ["", *TOOLS])
def test_a_machine_that_could_not_ask_is_no_silence_of_the_server(missing, tmp_path):
    """In a real shell, which has all that the question needs, or all but one."""
    for tool in {*TOOLS} - {missing}:
        (tmp_path / tool).symlink_to(which(tool) or "")
    line = ntp.question(IPv4Address("127.88.1.1"))
    said = subprocess.run(
        ["/bin/sh", "-c", line], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert bool(said.returncode) is bool(missing), said
    if not missing:
        assert ntp.answer(said.stdout) is None
        return
    told = judged({ASKED["netmgmt"]: Refused(said.stderr)})[NETMGMT]
    assert (told.verdict, "ended with status" in told.found) == (Verdict.INCONCLUSIVE, True)
    assert missing in told.found


@pytest.mark.parametrize(
    ("tracking", "found", "suspect"),
    [
        # chrony 4.3 with `local stratum 10` and no source that answers.
        (
            "7F7F0101,,10,1795796806.48,0.0,0,0,0.0,0.0,0.0,0,0,0.0,Normal\n",
            "no source answers, it tells its own clock",
            f"time sources of {OOB}",
        ),
        (
            "00000000,,0,0.0,0.0,0,0,0.0,0.0,0.0,1,1,0.0,Not synchronised\n",
            "no source answers, it tells its own clock",
            f"time sources of {OOB}",
        ),
        (
            TRACKING.replace("-0.000003", "-5.2", 1),
            "the clock is +5.200 s from 192.0.2.5",
            f"clock of {OOB}",
        ),
    ],
)
def test_a_server_that_follows_no_source_fails(tracking, found, suspect):
    """It serves all the same: devices then agree with each other alone."""
    said = judged({ask_node.TRACKING: tracking})
    assert {name for name, one in said.items() if one.verdict is Verdict.FAIL} == {SOURCE}
    assert (said[SOURCE].found, said[SOURCE].suspect) == (found, suspect)
    assert "chronyc sources -v" in said[SOURCE].hint


def test_a_source_that_answers_no_more_fails_though_it_is_named():
    assert judged({ask_node.DATE: "1795805000\n"})[SOURCE].verdict is Verdict.PASS
    said = judged({ask_node.DATE: "1795807611\n"})
    assert {name for name, one in said.items() if one.verdict is Verdict.FAIL} == {SOURCE}
    assert said[SOURCE].found == "192.0.2.5 answered last 3.0 hours ago"
    assert said[SOURCE].suspect == f"time sources of {OOB}"


@pytest.mark.parametrize("date", ["", "soon\n", "17957979\n"])
def test_without_a_date_nobody_knows_whether_a_source_answers(date):
    assert judged({ask_node.DATE: date})[SOURCE].verdict is Verdict.INCONCLUSIVE


def test_clocks_of_nodes_are_judged_in_a_lab_too():
    """They are not theirs to set there, and chrony tells the offset all the same."""
    plan = open_site("lab")
    assert {node.tuning.clock for node in plan.nodes} == {"measure"}
    nodes = frozenset(node.name for node in plan.nodes)
    asked = expectations(plan, nodes, 30)
    assert {one.device for one in asked if isinstance(one, ClockExpected)} == nodes


def test_what_is_missing_of_all_zones_is_asked_for_in_one_trip():
    """Else a site of five zones uses up its trips before it knows them all."""
    asked: list[set[str]] = []

    class Nobody:
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            asked.append({zone for zone, line in ASKED.items() if quoted(line) in script})
            return Reply(b"", None, "nobody is there")

    store = EvidenceStore()
    store.add(
        one for one in CASE.store if not (one.device == OOB and one.command in ASKED.values())
    )
    validate(CASE.plan, 10, store, Nobody(), CASE.configured)
    assert {"hostmgmt", "netmgmt"} in asked
