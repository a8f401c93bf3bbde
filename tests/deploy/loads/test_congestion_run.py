"""Running incasts over a transport: read, load together, read again, and always ended."""

from __future__ import annotations

import re
import shlex
import time

from deploy.loads import s60_congestion_run as congestion_run
from deploy.loads.s60_congestion_run import next_turn
from inventory import open_site
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.stages.s60_congestion.incast import incasts
from validation.stages.s60_congestion.phases import phases

from .test_load_run import part, printed

PLAN = open_site("lab")
SCOPE = frozenset(PLAN.devices)
COUNTED = "railbed-section links 0 1\n[]\nrailbed-sections 1\n"


class Devices:
    """Nodes with iperf3, and switches; each tells what it was asked, in order."""

    def __init__(self, silent: str = "", refusing: str = "") -> None:
        self.silent, self.refusing = silent, refusing
        self.did: list[tuple[str, str]] = []

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device == self.silent:
            return Reply(b"", 255, "ssh: no route")
        body = script[script.index("begin-") :]
        nonce = re.findall(r"begin-([0-9a-f]+)", body)[0]
        words = shlex.split(body)
        shells = [words[at + 3] for at, word in enumerate(words) if word == "frame"]
        out, asked = (
            f"begin-{nonce}\n".encode() + part(0, 0, f"{device}\nmac\nboot\n{int(time.time())}\n"),
            list[str](),
        )
        for number, shell in enumerate(shells[1:], 1):
            out += part(number, *self._answer(device, shell, asked))
        return Reply(out + f"end-{nonce}\n".encode(), 0, "")

    def _answer(self, device: str, shell: str, asked: list[str]) -> tuple[int, str]:
        if "railbed-section" in shell:
            self.did.append((device, "read"))
            return 0, COUNTED
        if "setsid" in shell:
            self.did.append((device, "serve"))
            return (1, "") if device == self.refusing else (0, "4711\n")
        if "/environ" in shell:
            self.did.append((device, "stop"))
            return 0, ""
        if shell == "date +%s":
            return 0, "1700000000\n"
        if shell.startswith("echo turn"):
            return 0, f"{shell.removeprefix('echo ')}\n"
        if "wait" in shell:
            # Together, 4 s after the receivers' clocks; at once where none of them was heard.
            assert re.search(r'"\$\(date \+%s\)" -lt (1700000004|4) ', shell)
            self.did.append((device, "load"))
            asked += re.findall(r"iperf3 -c (\S+ -B \S+)", shell)
            return 0, ""
        target, source = asked[int(re.findall(r"load-(\d+)", shell)[0])].split(" -B ")
        return 0, printed(source, target, 0.1)


def ran(devices: Devices, turn: int = 0) -> EvidenceStore:
    store = EvidenceStore()
    congestion_run.run(PLAN, SCOPE, turn, devices, store)
    return store


def every_phase(turn: int):
    for number, row in enumerate(incasts(PLAN, SCOPE, turn)):
        yield from phases(PLAN, number, row)


def test_every_flow_every_reading_and_the_turn_are_left_as_evidence():
    store = ran(Devices(), turn=3)
    for phase in every_phase(3):
        for flow in phase.flows:
            assert store.get(flow.sender, flow.command)
            for device in (flow.sender, flow.receiver, *flow.leaves):
                assert store.get(device, phase.moment("before"))
                assert store.get(device, phase.moment("after"))
    turns = [one for one in store if one.command.startswith("probe incast turn ")]
    assert {one.payload for one in turns} == {b"turn 3\n"}
    assert {one.command.split()[0] for one in store} == {"probe"}


def test_each_device_is_read_before_it_loads_and_after_and_servers_end():
    devices = Devices()
    ran(devices)
    for node in PLAN.node:
        mine = [what for device, what in devices.did if device == node]
        assert mine.count("serve") == mine.count("stop")
        order = "".join(what[0] for what in mine)
        # r: read, s: serve and stop, l: load; receivers are read around all of it
        assert re.fullmatch(r"(rs+l?s+r|rlr)+", order), order
    spine = [what for device, what in devices.did if device == "spine1"]
    assert spine == ["read"] * 2 * len(list(every_phase(0)))


def test_a_silent_node_and_one_without_the_tool_are_told_and_the_rest_goes_on():
    devices, store = Devices(silent="node-p2-2", refusing="node-p1-2"), EvidenceStore()
    done = congestion_run.run(PLAN, SCOPE, 0, devices, store)
    assert "no route" in done.errors["node-p2-2"]
    assert "no load server" in done.errors["node-p1-2"]
    assert store.silent == done.errors
    assert done.phases == 4
    assert not any(one.device == "node-p2-2" for one in store)


def test_turns_count_the_runs_of_a_site(tmp_path):
    assert [next_turn(tmp_path) for _ in range(3)] == [0, 1, 2]
    (tmp_path / congestion_run.TURN_FILE).write_text("nonsense")
    assert next_turn(tmp_path) == 0
