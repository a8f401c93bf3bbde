"""Canary secrets on devices and in credentials: none is in anything written or printed.

Planted are foreign lines of the files of every switch system, files and boot entries of servers,
what programs complain of, and the site's credentials. Commands run as people run them, over
stand-ins of devices; then every file of the state and all output is searched.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from deploy import logs, show
from deploy.context import Context, no_journal
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.rollout import saved_plan
from deploy.rollout import survey as survey_room
from deploy.rollout.look import ServerLook
from deploy.rollout.runbook import preview
from deploy.servers import ansible_run, pyinfra_run
from deploy.servers.drift import drift
from deploy.servers.engine_run import Ended, execute
from deploy.switches.push_flow import Push
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import DeviceUnreachable, Pace, PushStopped, Session, look
from deploy.switches.push_session import Reply as Answered
from deploy.switches.push_steps import StepRunner
from deploy.transport.ssh_run import SshTransport
from inventory import open_site
from inventory.plan import Plan
from switch_configs import dialect, dialects, render
from switch_configs.intent import Step
from switch_configs.shown.said import why
from tests.deploy.canaries import BOOT, CANARIES, CREDENTIALS, NETPLAN, SAID, files, found, lines
from tests.deploy.command_line import railbed
from tests.deploy.test_secrets_told import console, said
from tests.generated.sites import Size, generated_site
from tests.secrets import LINES, filled, planted
from tests.switch_configs.sites import small
from tests.validation.planned import Servers, says
from tests.validation.stand_in import STAGED, healthy, probed, put
from validation.evidence.gather import Ask, Reply, gather
from validation.evidence.store import EvidenceStore
from validation.host_state import ask as host_ask
from validation.manifest import node_state
from validation.manifest.device import manifests
from validation.parse.host.host_state import host_state
from validation.run import validate
from validation.verdict import Verdict

LEAF = "leaf-p1-r0"
COMPLAINTS = "\n".join([*lines(SAID), *filled()])
Printed = list[tuple[str, str]]


class Place:
    """A site whose state lies here, and what was printed of it."""

    def __init__(self, folder: Path) -> None:
        self.site, self.state = folder / "site", folder / "state"
        generated_site(self.site, Size(pods=1, spines=1, rails=1, nodes_per_pod=2))
        self.state.mkdir(mode=0o700)
        for name, secret in CREDENTIALS.items():
            path = folder / name.rpartition(" ")[2]
            path.write_text(secret + "\n")
            path.chmod(0o600)
        self.plan = open_site(self.site)
        self.printed: Printed = []
        self.log()

    def log(self) -> None:
        """Keep the log as a command does; a command that ended has ended it."""
        logs.begin(0)
        logs.keep(self.state)

    def context(self, plan: Plan | None = None) -> Context:
        nowhere = self.state / "ssh"
        return Context(
            *(plan or self.plan, str(self.site), self.state, nowhere, nowhere),
            lambda text: self.printed.append(("said", text)),
            no_journal,
        )

    def run(self, *words: str) -> None:
        """A command, as a person types it."""
        done = railbed(*words)
        self.printed.append((" ".join(words[:2]), done.stdout + done.stderr))
        self.log()

    def found(self) -> list[str]:
        texts = [(where, text.encode()) for where, text in self.printed]
        return found([*texts, *files(self.state)])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    made = Place(tmp_path)
    monkeypatch.setenv("RAILBED_STATE", str(made.state))
    yield made
    logs.end()
    assert (made.state / logs.NAME).is_file()
    assert any(text for _, text in made.printed) or list(made.state.iterdir())
    assert made.found() == []


def test_there_are_over_a_hundred_of_many_kinds_and_the_search_finds_each(tmp_path):
    assert len(set(CANARIES.values())) == len(CANARIES) > 140
    assert len({*LINES, *BOOT, *SAID, *NETPLAN, *CREDENTIALS}) >= 75
    for kind, secret in CANARIES.items():
        for text in (secret, secret.encode().hex(), json.dumps({"a": f"x {secret}"})):
            assert f"here: {kind}" in found([("here", text.encode())])
    record = Record(tmp_path / "record.sqlite")
    record.add_transcript(record.begin_run("x", "d"), "w", "e", False, [], COMPLAINTS)
    record.close()
    assert {one.partition(": ")[2] for one in found(files(tmp_path))} >= SAID.keys()


@pytest.mark.parametrize("name", dialects())
def test_foreign_lines_of_a_switch_in_diff_plan_and_dry_run(name, place, tmp_path, monkeypatch):
    plan = small(name)
    tongue = SimpleNamespace(
        fetch_command=lambda: "",
        running=lambda device, _: planted(render(plan, device)),
        held=lambda device, _: planted(render(plan, device)),
        own=dialect(name).own,
        accounts=dialect(name).accounts,
    )
    monkeypatch.setattr(survey_room, "dialect", lambda _: tongue)
    monkeypatch.setattr(survey_room, "is_pushed", lambda _: True)
    monkeypatch.setattr(survey_room, "look", lambda *_: ServerLook((), {}, {}, {}))
    few = SimpleNamespace(**{one: getattr(plan, one) for one in dir(plan) if one[:2] != "__"})
    few.devices = (LEAF,)
    context = place.context(few)
    transport = SimpleNamespace(run=lambda *_: Reply(b"", 0, COMPLAINTS))
    before = survey_room.survey(context, transport)
    out = console()
    show.survey_text(before, out)
    made = saved_plan.saved_plan(plan.site, "", "", before)
    saved_plan.write(made, place.state / "saved.json")
    monkeypatch.setattr(
        "deploy.rollout.runbook.waves_of",
        lambda *_: (SimpleNamespace(step="switches", devices=(LEAF,)),),
    )
    monkeypatch.setattr("deploy.rollout.runbook.pending", lambda _: "")
    dry = preview(context, transport, "")
    show.apply_text(dry, out)
    place.printed += [("survey", said(out)), ("values", repr((before, made, dry)))]
    place.printed.append(("json", json.dumps([show.survey_json(before), show.apply_json(dry)])))
    place.run("plan", "--show", str(place.state / "saved.json"))
    for at, held in (("old", render(plan, LEAF)), ("new", planted(render(plan, LEAF)))):
        for file in held.files:
            path = tmp_path / at / "gpu-leaf1" / file.path.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text)
    for more in ([], ["--json"]):
        place.run("diff", str(tmp_path / "old"), str(tmp_path / "new"), *more)


def test_a_server_s_files_boot_entries_and_command_line_by_real_shells(place, tmp_path):
    """What leaves the node is searched, not only what is made of it."""
    root = healthy(tmp_path / "root")
    boot = " ".join(lines(BOOT))
    ours = (root / "proc/cmdline").read_text().strip()
    put(root, "/proc/cmdline", f"{boot} {ours} {boot}\n")
    put(root, STAGED, f"# {boot}\n{ours} {boot}\n")
    put(root, "/etc/systemd/network/10-theirs.network", "\n".join(["[Match]", *lines(SAID)]))
    put(root, "/etc/netplan/60.yaml", "\n".join([*lines(NETPLAN), "rail0"]))
    told = probed(root)
    place.printed += [(line, f"{one.text}\n{one.errors}") for line, one in told.items()]
    kernel = told[node_state.KERNEL].text
    assert f" {ours.split()[1]} " in kernel
    assert " * " in kernel

    def holds(device: str) -> dict[str, str]:
        mine = manifests(place.plan).of(device)
        return {**says(mine), **{line: one.text for line, one in told.items()}}

    report = drift(place.context(), Servers(place.plan, holds), [place.plan.nodes[0].name])
    out = console()
    show.drift_text(report, out)
    place.printed += [("drift", said(out)), ("drift", json.dumps(show.drift_json(report)))]


def test_a_host_state_by_tools_that_complain_of_secrets(place, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "complaints").write_text(COMPLAINTS)
    (tmp_path / "netplan.yaml").write_text("\n".join([*lines(NETPLAN), "  mtu: 9000"]))
    (tmp_path / "cmdline").write_text(f"iommu=pt {' '.join(lines(BOOT))} ours=1\n")
    for name in ("ofed_info", "nvidia-smi", "chronyc", "rdma", "lspci", "netplan"):
        answer = f"cat {tmp_path}/netplan.yaml" if name == "netplan" else "exit 3"
        put(tools, name, f"#!/bin/sh\ncat {tmp_path}/complaints >&2\n{answer}\n", 0o755)
    text = host_ask.SCRIPT.read_text().replace("/proc/cmdline", f"{tmp_path}/cmdline")
    text = text.replace("PATH=", f"PATH={tools}:", 1)
    env = {"PATH": "/usr/bin:/bin", "RAILBED_ARGUMENTS": "ours"}
    done = subprocess.run(["sh"], input=text.encode(), env=env, capture_output=True, timeout=60)
    state = host_state(done.stdout)
    place.printed += [("host state", done.stdout.decode()), ("errors", done.stderr.decode())]
    assert state.told["ofed_info -s"].status == 3
    assert "Connection refused" in state.told["ofed_info -s"].errors
    assert "mtu: 9000" in state.text("netplan get")
    line = next(name for name in state.told if "cmdline" in name)
    words = state.told[line].output.decode().split()
    assert words[0] == "iommu=pt"
    assert words[-1] == "ours=1"
    assert "netroot=(hidden)" in words


class Complainers:
    """Devices that identify themselves, and answer every question with a complaint."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.at, self.mute = plan, 0, plan.nodes[-1].name

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device == self.mute:
            return Reply(b"", 255, why(COMPLAINTS))
        nonce = re.search(r"begin-([0-9a-f]+)", script)
        assert nonce
        mac = self.plan.management_mac[device]
        who = f"{device}\n{mac}\n1111-2222\n{int(time.time())}\n".encode()
        out = b"0 0 %d %s 0\n%s\n" % (len(who), sha256(who).hexdigest().encode(), who)
        for number in range(1, len(re.findall(r"^frame \d+ ", script, re.MULTILINE))):
            data = "\n".join(self._next(10)).encode()
            head = f"{number} 7 0 {sha256().hexdigest()} {len(data)}\n"
            out += head.encode() + data + b"\n"
        framed = f"begin-{nonce[1]}\n".encode() + out + f"end-{nonce[1]}\n".encode()
        return Reply(framed, 0, "")

    def _next(self, count: int) -> list[str]:
        every = COMPLAINTS.splitlines()
        self.at = (self.at + count) % len(every)
        return (every + every)[self.at : self.at + count]


def test_errors_of_every_device_in_evidence_findings_and_reports(place):
    """A run whose every answer is a complaint: judged, reported and shown in every form."""
    plan, folder = place.plan, place.state / "kept"
    store, learned = EvidenceStore(folder), place.state / "learned.json"
    judged = validate(plan, 44, store, Complainers(plan), frozenset(plan.devices), learned)
    assert len(store) > 20
    assert "asked " in (place.state / logs.NAME).read_text()
    assert all(one.verdict is not Verdict.PASS for one in judged.findings)
    assert any("said: " in one.found for one in judged.findings)
    place.printed.append(("findings", repr(judged)))
    site = ("--site", str(place.site))
    for more in ([], ["--json"]):
        place.run("validate", *site, "--through", "44", "--from-evidence", str(folder), *more)
    for words in (["report"], ["runs"], ["runs", "--json"], ["runs", "--timing", "1"]):
        place.run(*words, *site)
    assert not [text for _, text in place.printed if "railbed: " in text]
    written = {path.suffix for path in place.state.rglob("*")}
    assert {".html", ".md", ".xml", ".json", ".sqlite", ".frames"} <= written


def test_what_engines_and_switches_say_in_transcripts_and_changes(place):
    """A rollout that fails everywhere, with the site's credentials in what devices repeat."""
    plan = place.plan
    switch, node = plan.switches[0].name, plan.nodes[0].name
    record = Record(place.state / "record.sqlite")
    run = record.begin_run(plan.site, plan.digest)
    record.begin_wave(run, "spines", "switches", [switch])
    secrets = Secrets(CREDENTIALS)

    every = [*COMPLAINTS.splitlines(), *lines(CREDENTIALS)]

    class Bad:
        """A session whose every answer ends in other complaints."""

        at = 0

        def run(self, command: str, timeout_s: float) -> Answered:
            self.at += 6
            told = "\n".join(every[self.at - 6 : self.at])
            return Answered(told, f"cannot open shared object file\n{told}", 3)

        def send(self, file: object, timeout_s: float) -> Answered:
            return Answered("", "", 0)

        def close(self) -> None: ...

    def note(phase: str, impact: str, detail: str) -> None:
        record.change(run, ChangeRow("spines", switch, phase, "", "none", "", "", detail))

    bad = Bad()
    runner = StepRunner(
        (Step("check", "check", "nv check", None, "", "", "none", 1),), note, secrets
    )
    while bad.at < len(every):
        with pytest.raises(PushStopped) as stopped:
            runner.phase(bad, "check")
        place.printed.append(("push", str(stopped.value)))
    bad.at = 0
    while bad.at < len(every):
        with pytest.raises(PushStopped) as stopped:
            look(bad, "cat /etc/hostname")
        place.printed.append(("look", str(stopped.value)))
    out = "TASK [os_base : Ask] ***\n"
    for one in every:
        said_there = {"stderr": one, "stderr_lines": [one], "stdout": one, "cmd": ["true", one]}
        fatal = {"msg": "non-zero return code", "rc": 1, **said_there}
        out += f"fatal: [{node}]: FAILED! => {json.dumps(fatal)}\n"
    out += f"{node} : ok=1 changed=0 unreachable=0 failed=1 skipped=0 rescued=0 ignored=0\n"
    told = ansible_run.judge({node: ("os_base",)}, False, Ended(2, out, "\n".join(every)))
    ended = Ended(1, "", "".join(f"    [{node}] {one}\n" for one in every))
    more = pyinfra_run.judge((node,), False, ended)
    assert "non-zero return code" in told.hosts[0].message
    for result in (told, more):
        assert "Connection refused" in result.transcript
        record.add_transcript(run, "spines", result.engine, False, [node], result.transcript)
        text = result.hosts[0].message
        record.change(run, ChangeRow("spines", node, "roles", "", "none", "", "", text))
    record.end_wave(run, "spines", "stop", [place.printed[-1][1]])
    record.end_run(run, "stop at the gate")
    record.close()
    for words in (["report"], ["runs"], ["runs", "--json"]):
        place.run(*words, "--site", str(place.site))


def test_the_log_of_a_run_in_which_every_program_repeats_secrets(place, tmp_path, monkeypatch):
    """ssh, an engine and a switch all say secrets, and get them as arguments, too."""
    (tmp_path / "complaints").write_text("\n".join([COMPLAINTS, *lines(CREDENTIALS)]))
    put(tmp_path / "bin", "ssh", f"#!/bin/sh\ncat {tmp_path}/complaints >&2\nexit 255\n", 0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    plan, node = place.plan, place.plan.nodes[0].name
    transport = SshTransport(tmp_path / "config")
    asks = [Ask.line(f"cat {secret}") for secret in CANARIES.values()]
    assert gather(plan, transport, {node: asks}).errors[node]
    ended = execute(
        ["cat", f"{tmp_path}/complaints", *CANARIES.values()], os.environ, lambda _: None
    )
    assert ended.status == 1
    cut = DeviceUnreachable(COMPLAINTS, COMPLAINTS)
    switch = plan.switches[0].name

    def connect() -> Session:
        raise cut

    tongue, new = dialect(plan.switch[switch].dialect), render(plan, switch)
    pace = Pace(window_s=1, poll_s=0.01, boot_s=0.0)
    pushed = Push(place.context(), switch, tongue, new, lambda _: (), connect, False, pace)
    assert not pushed.run().ok
    with pytest.raises(PushStopped):
        pushed._verify(time.monotonic())
    pushed._note("check", "runtime", COMPLAINTS)
    log = (place.state / logs.NAME).read_text()
    for words in (
        f"{node}: ssh ended with 255",
        f"{node}: asked {len(asks)} lines (cat): 0 bytes, status 255",
        "engine cat ended with 1",
        f"{switch}: push ended badly",
        f"{switch}: no new session yet",
        f"{switch}: push: check, noted, impact runtime",
    ):
        assert words in log
