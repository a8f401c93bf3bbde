"""Stage 80: what must fail, what proves nothing, and what must not be pulled."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

import validation
from deploy.loads import work_run
from inventory import open_site
from inventory.reading.fields import Unreadable
from switch_configs.nxos.answers.steady import ago_s
from tests.generated.sites import Size, generated_site
from tests.switch_configs.sites import small
from tests.validation.healthy import answered, stage_25, stage_80
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.ladder import ladder
from validation.parse.loads import soak as parse
from validation.run import validate
from validation.stages.s25_switch_state import ask
from validation.stages.s80_soak.drills import Drill, _pulled, drills
from validation.stages.s80_soak.streams import Crossing
from validation.stages.s80_soak.terms import LOOK, drilling, lengths, soak
from validation.stages.s80_soak.work import (
    STEADY,
    back_command,
    drill_command,
    drill_step,
    drill_stream_command,
    file_command,
    soak_command,
    soaked,
    steady_step,
)
from validation.verdict import Finding, Verdict

PLAN = open_site("lab")
ALL = frozenset(PLAN.devices)
SHORT = lengths()[LOOK]
STREAM = Path(validation.__file__).parent / "on_node" / "stream.py"


def found(changed: stage_80.Said) -> list[Finding]:
    """What does not pass when devices answer otherwise."""
    said = stage_80.everything(PLAN, ALL)
    for device, lines in changed.items():
        said[device].update(lines)
    others = frozenset(ladder()) - {80}
    result = validate(PLAN, 80, answered(PLAN, said), None, ALL, leave_out=others)
    return [one for one in result.findings if one.verdict is not Verdict.PASS]


def drill(how: str) -> Drill:
    return next(one for one in drills(PLAN, ALL) if one.how == how)


def test_the_plan_chooses_an_uplink_twice_and_a_spine():
    """Off, silent, drained; each with its command, its way back and streams across."""
    chosen = {one.how: one for one in drills(PLAN, ALL)}
    assert set(chosen) == {"off", "silent", "drain"}
    assert (chosen["off"].device, chosen["off"].port) == ("leaf-p1-r0", "swp5")
    assert chosen["drain"].device == "spine1"
    assert all(one.pull and one.restore and one.streams for one in chosen.values())
    assert {one.refusal for one in chosen.values()} == {""}
    assert {leaf for one in chosen["off"].streams for leaf in one.leaves} >= {"leaf-p1-r0"}


def test_a_cable_that_is_the_only_way_is_refused():
    """A node's cable, and the uplink of a leaf with one spine: neither is pulled."""
    drill = _pulled(PLAN, PLAN.switch["leaf-p1-r0"], "swp1", "off", lambda *_: Crossing())
    assert "only way of node-p1-1" in drill.refusal


def test_one_spine_leaves_nothing_to_pull(tmp_path):
    """All three are refused, and stage 80 is inconclusive for that reason."""
    size = Size(pods=2, spines=1, rails=2, nodes_per_pod=2, site="one")
    folder = generated_site(tmp_path, size)
    text = (folder / "fabric.yml").read_text().replace("generated-node", "lab-node")
    (folder / "fabric.yml").write_text(text)
    plan = open_site(folder)
    every = frozenset(plan.devices)
    assert [one.id for one in drills(plan, every) if not one.refusal] == []
    others = frozenset(ladder()) - {80}
    result = validate(plan, 80, answered(plan, {}), None, every, leave_out=others)
    told = [one for one in result.findings if one.check in ("detect", "switchover", "back")]
    assert told
    assert {one.verdict for one in told} == {Verdict.INCONCLUSIVE}
    assert all("refused" in one.found for one in told)


def test_the_way_back_is_armed_before_anything_is_pulled():
    """A timer of the device, first; then the counting; only then the pull."""
    one = drill("silent")
    shell = next(job.shell for job in drill_step(one, "t", ["swp5"]) if job.device == one.device)
    armed = shell.index("systemd-run -q --on-active=")
    assert armed < shell.index(f"\n{one.pull}") < shell.rindex('sh -c "$restore"')
    assert f"systemctl stop {one.unit}.timer" in shell[:armed], "the timer of one that was cut off"
    seconds = int(shell[armed:].split("--on-active=")[1].split()[0])
    assert seconds > drilling().lead_s + drilling().hold_s


def test_slow_detection_without_bfd_names_the_device_without_it():
    one = drill("silent")
    peers = json.loads(stage_25.bfd(PLAN, one.device))
    without = json.dumps([peer for peer in peers if peer["interface"] != one.port])
    late = stage_80.pulled(PLAN, one, 90).replace("03:00:01.090000] 10", "03:00:05.090000] 10")
    bad = found({one.device: {drill_command(one): late, ask.BFD: without}})
    assert [(each.check, each.verdict, each.suspect) for each in bad] == [
        ("detect", Verdict.FAIL, f"device {one.device}")
    ]
    assert bad[0].figure
    assert bad[0].figure.value > one.detect_ms


def test_detection_that_never_came_fails():
    one = drill("off")
    lines = stage_80.pulled(PLAN, one, 90).splitlines(keepends=True)
    text = "".join(line for line in lines if "proto bgp" not in line)
    bad = found({one.device: {drill_command(one): text, ask.BFD: stage_25.bfd(PLAN, one.device)}})
    assert {each.check for each in bad} == {"detect"}
    assert "no route changed" in bad[0].found


def test_a_flow_that_waits_too_long_fails_the_drill():
    one = drill("drain")
    flow = one.streams[0]
    text = stage_80.stream(flow, 10, drilling().gap_ms, one.crossing.source_ports, one.gap_ms + 1)
    bad = found({flow.sender: {drill_stream_command(one, flow): text}})
    assert [(each.check, each.suspect) for each in bad] == [("switchover", "device spine1")]


def test_a_drill_that_no_stream_crossed_proves_nothing():
    one = drill("off")
    text = stage_80.pulled(PLAN, one, 90)
    text = re.sub("crossing [0-9]+", "crossing 11", text)
    bad = found({one.device: {drill_command(one): text}})
    assert [(each.check, each.verdict) for each in bad] == [("switchover", Verdict.INCONCLUSIVE)]


def test_a_drained_spine_that_still_forwards_fails():
    one = drill("drain")
    text = stage_80.pulled(PLAN, one, 90)
    text = re.sub("crossing ([0-9]+) [0-9]+", r"crossing \1 \1", text)
    bad = found({one.device: {drill_command(one): text}})
    assert [each.suspect for each in bad] == ["device spine1"]


@pytest.mark.parametrize("what", ["session", "file"])
def test_what_did_not_come_back_fails(what):
    one = drill("off")
    changed = (
        {"spine1": {back_command(one, "spine1"): stage_80.summary(PLAN, "spine1", "Idle")}}
        if what == "session"
        else {one.device: {file_command(one): "\nLines To Add\n===\nno x\nend\n"}}
    )
    bad = found(changed)
    assert [(each.check, each.suspect) for each in bad] == [("back", f"device {one.device}")]
    assert one.restore in bad[0].hint


def test_loss_a_gap_and_a_flap_fail_the_soak():
    flow, terms = soaked(PLAN, ALL)[0], soak()
    text = stage_80.stream(flow, SHORT.seconds, terms.gap_ms, terms.source_ports, 500)
    bad = found(
        {
            flow.sender: {soak_command(flow, SHORT, 1): text},
            "spine1": {STEADY["after"]: stage_80.steady(PLAN, "spine1", flaps=5)},
        }
    )
    assert {(each.check, each.suspect) for each in bad} == {
        ("soak", f"path {flow.sender} > {flow.receiver}"),
        ("steady", "port spine1:swp1"),
    }
    told = next(each.found for each in bad if each.check == "soak")
    assert "interval 1 of 4: lost 3 packets" in told


NOW = "2026-11-22T03:00:00+0000 x kernel: "
XID = f"{NOW}NVRM: Xid (PCI:0000:b1:00): "


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f"{XID}79, pid=2, GPU has fallen off", "xid 79 of 0000:b1:00.0: GPU has fallen off"),
        (f"{XID}999, pid=2, something new", "xid 999 of 0000:b1:00.0: not in our table"),
        (f"{NOW}mlx5_core 0000:18:00.0 enp24s0np0: Link down", "link down enp24s0np0: Link down"),
        (f"{NOW}rail0: NETDEV WATCHDOG: CPU: 3: transmit queue 3 timed out", "tx timeout rail0"),
        (f"{NOW}[Hardware Error]: System Fatal error.", "machine check [Hardware Error]:"),
    ],
)
def test_what_the_kernel_complains_of_meanwhile_fails(line, says):
    """Lines from before are there in both; the same words again are a new line."""
    after = stage_80.steady(PLAN, "node-p1-1", more=(line,))
    (bad,) = found({"node-p1-1": {STEADY["after"]: after}})
    assert (bad.check, bad.verdict, bad.suspect) == ("steady", Verdict.FAIL, "device node-p1-1")
    assert f"the kernel complained: {says}" in bad.found


def test_a_unit_that_failed_meanwhile_fails_and_a_programs_own_xid_does_not():
    after = stage_80.steady(PLAN, "node-p1-1", failed=("x.service",), more=(f"{XID}31, pid=2",))
    (bad,) = found({"node-p1-1": {STEADY["after"]: after}})
    assert bad.found == "x.service failed"


SYSTEMCTL = "echo 'x.service loaded failed failed X'"
HINT = "echo 'Hint: You are currently not seeing messages from other users and the system.' >&2"


@pytest.mark.parametrize(
    ("systemctl", "journalctl", "status"),
    [
        (SYSTEMCTL, f"echo '{XID}79, pid=2'; echo '{NOW}harmless'", 0),
        (SYSTEMCTL, "echo '-- No entries --'", 0),
        (None, "echo", 3),
        (SYSTEMCTL, None, 3),
        ("echo 'Failed to connect to bus' >&2; exit 1", "echo", 3),
        (SYSTEMCTL, "echo; exit 1", 3),
        (SYSTEMCTL, HINT, 3),
        (SYSTEMCTL, "echo 'No journal files were found.' >&2", 3),
    ],
)
def test_who_cannot_ask_systemd_or_the_journal_does_not_say_that_all_is_well(
    tmp_path, systemctl, journalctl, status
):
    """The command itself by this machine's shell, where the two are missing or say no."""
    for name in ("cat", "cut", "grep", "tail"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    for name, body in (("systemctl", systemctl), ("journalctl", journalctl)):
        if body is not None:
            (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
            (tmp_path / name).chmod(0o755)
    job = next(one for one in steady_step(PLAN, ALL, "before") if one.device == "node-p1-1")
    env = {"PATH": str(tmp_path), "RAILBED_TMP": str(tmp_path)}
    done = subprocess.run(
        [str(shutil.which("sh")), "-c", job.shell],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    if status:
        return
    told = parse.steady(done.stdout)
    assert told.failed == ("x.service",)
    assert [one.code for one in told.kernel] == ([79] if "Xid" in str(journalctl) else [])


def test_an_echo_of_another_node_is_no_answer():
    flow, terms = soaked(PLAN, ALL)[0], soak()
    asked_of = replace(flow, receiver="node-p2-2")
    text = stage_80.stream(asked_of, SHORT.seconds, terms.gap_ms, terms.source_ports)
    (bad,) = found({flow.sender: {soak_command(flow, SHORT, 1): text}})
    assert bad.verdict is Verdict.INCONCLUSIVE
    assert "node-p2-2 answered" in bad.found


def test_a_stream_really_counts_what_comes_back():
    """The program itself, over this machine's own loopback: paced, echoed, whole."""
    address, token = "127.0.0.1", "0123456789abcdef"
    serve = [sys.executable, str(STREAM), "serve", token, "20", "47999", address]
    pid = subprocess.run(serve, capture_output=True, text=True, check=True).stdout.strip()
    ask_it = {
        "id": "x", "token": token, "source": address, "target": address, "port": 47999,
        "first_port": 48100, "ports": 2, "gap_ms": 10, "seconds": 2, "interval_s": 1, "tos": 0,
    }  # fmt: skip
    send = [sys.executable, str(STREAM), "send", json.dumps(ask_it)]
    try:
        told = subprocess.run(send, capture_output=True, text=True, check=True).stdout
    finally:
        subprocess.run(["kill", pid], check=True)
    one = parse.stream(told)
    assert len(one.intervals) == 2
    assert [flow[1:3] for flow in one.flows] == [(200, 200), (200, 200)]
    assert one.worst_gap_ms == 0
    unanswered = json.dumps({**ask_it, "token": "another", "seconds": 1})
    done = subprocess.run([*send[:3], unanswered], capture_output=True, text=True, check=True)
    nothing = parse.stream(done.stdout)
    assert nothing.flows[0][2] == 0
    assert nothing.worst_gap_ms > 900


def test_a_stream_that_contradicts_itself_is_unreadable():
    flow, terms = soaked(PLAN, ALL)[0], soak()
    told = json.loads(stage_80.stream(flow, SHORT.seconds, terms.gap_ms, terms.source_ports))
    told["flows"][0]["received"] -= 1
    with pytest.raises(Unreadable, match="not the sum"):
        parse.stream(json.dumps(told))


@pytest.mark.parametrize("cut", ["2026-11-22T01:00", "[  1.0] NVRM: X", "x"])
def test_a_complaint_that_was_cut_is_not_taken_for_none(cut):
    """What holds none of the words that the shell looks for, it did not send."""
    steady = "== carrier\nswp1 4\n== failed\n== kernel\n{}\nend of log, 1 lines\nend\n"
    assert parse.steady(steady.format("[  1.0] mlx5_core 0000:18:00.0 rail0: Link down")).kernel
    with pytest.raises(Unreadable, match="not whole"):
        parse.steady(steady.format(cut))


@pytest.mark.parametrize(
    ("system", "after", "suspect"),
    [
        ("eos", {"flaps": 5}, "port leaf-p1-r0:Ethernet"),
        ("eos", {"since": 1763800900.0}, "device leaf-p1-r0"),
        ("eos", {"since": 1763800001.5}, ""),
        ("nxos", {"flaps": 5}, "port leaf-p1-r0:Ethernet"),
        ("nxos", {"ago": "00:00:07"}, "port leaf-p1-r0:Ethernet"),
        ("nxos", {"ago": "1d02h"}, "port leaf-p1-r0:Ethernet"),  # 33 weeks it was before
        ("nxos", {"was": "1d01h", "ago": "1d02h"}, ""),
        ("nxos", {"dropped": 1}, "device leaf-p1-r0"),
    ],
)
def test_a_switch_without_a_shell_is_watched_by_its_own_shows(system, after, suspect):
    """EOS works out since when a session is up, so a second more or less is none."""
    plan, name = small(system), "leaf-p1-r0"
    says = stage_80.TYPED[system]
    switch = plan.switch[name]
    was = {"ago": after["was"]} if "was" in after else {}
    after = {name: value for name, value in after.items() if name != "was"}
    told = {
        STEADY["before"]: says(switch, 4, **was),
        STEADY["after"]: says(switch, **({"flaps": 4} | after)),
    }
    done = validate(
        plan, 80, answered(plan, {name: told}), None, frozenset({name}),
        leave_out=frozenset(range(80)),
    )  # fmt: skip
    (found,) = (one for one in done.findings if one.check == "steady")
    assert found.verdict is (Verdict.FAIL if suspect else Verdict.PASS), found.found
    assert found.suspect.startswith(suspect)
    assert found.hint.startswith("`show logging` on" if suspect else "")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("never", inf), ("00:05:10", 310), ("1d00h", 86400), ("33week(s) 1day(s)", 20044800)],
)
def test_how_long_ago_a_port_flapped_on_nxos(text, seconds):
    assert ago_s(text) == seconds
    with pytest.raises(Unreadable):
        ago_s(f"{text} or so")


def test_lines_are_typed_at_a_switch_without_a_shell_and_not_wrapped_for_one():
    asked: list[str] = []

    class Typist:
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            asked.append(script)
            return Reply(b"", 1, "not today")

    plan = small("eos")
    step = steady_step(plan, frozenset({"leaf-p1-r0"}), "before")
    work_run.run(plan, (step,), Typist(), EvidenceStore())
    (script,) = asked
    assert all(line.startswith(("show ", "!")) for line in script.splitlines()), script
