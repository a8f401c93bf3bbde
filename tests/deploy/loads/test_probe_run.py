"""Running probes over a transport: responders first, always stopped, results as evidence."""

from __future__ import annotations

import hashlib
import re
import shlex
import time

import pytest

from deploy.loads import probe_run
from inventory import open_site
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.probes.planned import probes

PLAN = open_site("lab")
PROBES = probes(PLAN, frozenset(PLAN.devices))


class Nodes:
    """Nodes that do as told; `refusing` cannot start a responder, `silent` do not answer."""

    def __init__(self, refusing: tuple[str, ...] = (), silent: tuple[str, ...] = ()) -> None:
        self.refusing, self.silent = refusing, silent
        self.did: list[tuple[str, str]] = []

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device in self.silent:
            return Reply(b"", 255, "ssh: no route")
        body = script[script.index("begin-") :]
        nonce = re.findall(r"begin-([0-9a-f]+)", body)[0]
        lines = [shlex.split(line)[3] for line in body.splitlines() if line.startswith("frame ")]
        out = f"begin-{nonce}\n".encode() + part(0, 0, f"{device}\nmac\nboot\n{int(time.time())}\n")
        for number, line in enumerate(lines[1:], 1):
            word = what(line)
            if word != "show":
                self.did.append((device, word))
            refused = word == "serve" and device in self.refusing
            out += part(number, 1, "") if refused else part(number, 0, "4711\n")
        return Reply(out + f"end-{nonce}\n".encode(), 0, "")


def what(line: str) -> str:
    """What a line of a trip is for."""
    words = shlex.split(line)
    if words[0] == "python3":
        return words[3]
    return {"cat": "show", "if": "stop"}[words[0]]


def part(number: int, status: int, text: str) -> bytes:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{number} {status} {len(text)} {digest} 0\n{text}\n".encode()


def test_every_probe_leaves_a_frame_with_its_sender():
    nodes, store = Nodes(), EvidenceStore()
    done = probe_run.run(PLAN, PROBES, nodes, store)
    assert done == probe_run.ProbeRun(len(PROBES), {})
    assert {(one.device, one.command) for one in store} == {
        (one.sender, one.command) for one in PROBES
    }


def test_responders_are_all_started_before_and_stopped_after():
    nodes = Nodes()
    probe_run.run(PLAN, PROBES, nodes, EvidenceStore(), workers=2)
    order = [word for _, word in nodes.did]
    assert order == sorted(order, key=["serve", "send", "stop"].index)
    served = {device for device, word in nodes.did if word == "serve"}
    assert served == {device for device, word in nodes.did if word == "stop"} == set(PLAN.node)


def test_a_probe_to_a_node_without_responder_is_not_sent():
    store = EvidenceStore()
    done = probe_run.run(PLAN, PROBES, Nodes(refusing=("node-p1-1",)), store)
    assert done.errors == {"node-p1-1": "no responder: it did not start"}
    sent = {one.command for one in store}
    for one in PROBES:
        assert (one.command in sent) == (one.receiver != "node-p1-1")


def test_a_silent_node_is_told_and_the_rest_goes_on():
    store = EvidenceStore()
    done = probe_run.run(PLAN, PROBES, Nodes(silent=("node-p2-1",)), store)
    assert done.errors == {"node-p2-1": "ssh: no route"}
    rest = [one for one in PROBES if "node-p2-1" not in (one.sender, one.receiver)]
    assert {one.command for one in store} == {one.command for one in rest}


def test_an_interrupted_run_stops_its_responders():
    class Interrupted(Nodes):
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            if " send " in script.partition("begin-")[2]:
                raise KeyboardInterrupt
            return super().run(device, script, timeout_s)

    nodes = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        probe_run.run(PLAN, PROBES, nodes, EvidenceStore())
    assert {device for device, word in nodes.did if word == "stop"} == set(PLAN.node)


def test_no_probes_need_no_trip():
    nodes = Nodes()
    assert probe_run.run(PLAN, (), nodes, EvidenceStore()).frames == 0
    assert nodes.did == []
