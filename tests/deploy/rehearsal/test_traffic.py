"""What flows while a change is rehearsed: who to whom, what was lost, and when."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from io import StringIO
from subprocess import PIPE
from threading import Event, Thread

import pytest
from rich.console import Console

from deploy.errors import RailbedError
from deploy.rehearsal import acts
from deploy.rehearsal.acts import Act, ActWave
from deploy.rehearsal.flows import MOST_FLOWS, Flow, Gap, Traffic, Watched, flows, watched
from deploy.rehearsal.told import act_json, act_text
from deploy.rehearsal.traffic_run import _SCRIPT
from deploy.session import Selection
from inventory import open_site
from inventory.plan import Plan

from .stock import of, site

LAB = open_site("lab")
PORTS = 4


def test_every_leaf_has_a_flow_within_and_one_to_another(tmp_path):
    for plan in (LAB, open_site(site(tmp_path / "site", of(nodes=4)))):
        ends = {(n.name, nic.leaf.device, nic.address.ip) for n in plan.nodes for nic in n.rails}
        ends |= {
            (n.name, nic.leaf.device, nic.address.ip)
            for n in plan.nodes
            for nic in n.nics
            if nic.address
        }
        leaves, found = {leaf for _, leaf, _ in ends}, flows(plan)
        assert len(found) == 2 * len(leaves) <= MOST_FLOWS
        assert {one.leaves[0] for one in found if len(set(one.leaves)) == 1} == leaves
        assert {one.leaves[0] for one in found if len(set(one.leaves)) == 2} == leaves
        assert all(one.sender != one.receiver for one in found)
        assert len({one.sender for one in found}) > 1
        for one in found:
            assert (one.sender, one.leaves[0], one.source) in ends
            assert (one.receiver, one.leaves[1], one.target) in ends


def test_a_business_nic_carries_no_lossless_flow(tmp_path):
    """Nobody planned that class there, whether it has an address or not."""
    plan = open_site(site(tmp_path / "site", of()))
    other = tuple(
        replace(node, nics=tuple(replace(nic, plane="business") for nic in node.nics))
        for node in plan.nodes
    )
    storage = {nic.leaf.device for node in plan.nodes for nic in node.nics if nic.address}
    found = flows(replace(plan, nodes=other))
    assert storage & {leaf for one in flows(plan) for leaf in one.leaves} == storage
    assert found
    assert not storage & {leaf for one in found for leaf in one.leaves}


def test_a_large_site_has_so_many_flows_and_no_more():
    found = flows(open_site("pod-256"))
    assert MOST_FLOWS / 2 < len(found) <= MOST_FLOWS
    assert {len(set(one.leaves)) for one in found} == {1, 2}


def test_one_node_has_nobody_to_talk_to():
    alone = replace(LAB, nodes=tuple(one for one in LAB.nodes if one.name == "node-p1-1"))
    with pytest.raises(RailbedError, match="no two nodes"):
        flows(alone)


class Echo(Thread):
    """A peer on this machine's loopback that counts packets by source port, and answers or not."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__(daemon=True)
        self.wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.wire.bind(("127.0.0.1", 0))
        self.wire.settimeout(0.2)
        self.name_there, self.token = name.encode(), token.encode()
        self.over, self.away = Event(), Event()
        self.answered, self.swallowed = Counter[int](), Counter[int]()

    def run(self) -> None:
        while not self.over.is_set():
            try:
                data, sender = self.wire.recvfrom(2048)
            except TimeoutError:
                continue
            if self.away.is_set():
                self.swallowed[sender[1]] += 1
            else:
                self.wire.sendto(data[: len(self.token) + 4] + self.name_there, sender)
                self.answered[sender[1]] += 1

    def until(self, counted: Counter[int], each: int) -> None:
        """Wait for that many packets of each source port."""
        give_up = time.monotonic() + 60
        while len(counted) < PORTS or min([*counted.values()]) < each:
            assert time.monotonic() < give_up
            time.sleep(0.01)


def free_ports() -> int:
    """The first of `PORTS` that nobody has, below those that a kernel gives."""
    for first in range(20000 + os.getpid() % 8000, 32000, PORTS):
        with ExitStack() as held:
            try:
                for port in range(first, first + PORTS):
                    wire = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                    wire.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise AssertionError("no free ports")


def _result() -> tuple[Flow, str, int, float, float]:
    """What a stream tells whose echo was away for a while: packets and seconds of that, and all."""
    flow, token = replace(flows(LAB)[0], receiver="there"), "0123456789abcdef"
    echo, began = Echo("there", token), time.monotonic()
    own = {"source": "127.0.0.1", "target": "127.0.0.1", "port": echo.wire.getsockname()[1]}
    ask = json.loads(flow.ask(token, 0)) | own | {"first_port": free_ports(), "ports": PORTS}
    argv = [sys.executable, str(_SCRIPT), "watch", json.dumps(ask)]
    with echo.wire, subprocess.Popen(argv, stdin=PIPE, stdout=PIPE, text=True) as sender:
        echo.start()
        try:
            echo.until(echo.answered, 2)
            echo.away.set()
            away = time.monotonic()
            echo.until(echo.swallowed, 5)
            away_s = time.monotonic() - away
            echo.answered = Counter()
            echo.away.clear()
            echo.until(echo.answered, 2)
            text = sender.communicate(timeout=60)[0]
        finally:
            echo.over.set()
            echo.join()
    return flow, text, echo.swallowed.total(), away_s, time.monotonic() - began


def test_a_stream_ends_with_its_input_and_tells_each_gap():
    """The program itself: an echo that is away loses what came then, of each source port."""
    flow, text, swallowed, away_s, all_s = _result()
    found = watched(flow, text)
    assert not found.unknown
    assert 5 * PORTS <= swallowed <= found.lost < found.sent
    assert len(found.gaps) >= PORTS
    assert {gap.lost > 0 for gap in found.gaps} == {True}
    assert sum(gap.lost for gap in found.gaps) == found.lost
    worst = found.gaps[0]
    assert away_s * 500 < worst.took_ms < all_s * 1000
    assert abs(worst.at - time.time()) < all_s + 60
    assert watched(flow, text[:-20]).unknown
    assert "answered by" in watched(replace(flow, receiver="other"), text).unknown


def act(traffic: Traffic | None) -> Act:
    at = "2026-11-28T12:00:0{}+00:00"
    waves = (
        ActWave("switches-leaf", at.format(0), at.format(4), 4.0, "go"),
        ActWave("switches-spine", at.format(4), at.format(8), 4.0, "go"),
    )
    return Act("the change", True, "at its plan", 8.0, (), waves, traffic)


def told(traffic: Traffic | None) -> str:
    text = StringIO()
    act_text(act(traffic), Console(file=text, width=200))
    return text.getvalue()


def test_what_was_lost_is_told_by_flow_with_its_longest_gap_and_wave():
    one, other, third = flows(LAB)[:3]
    # 12:00:05 UTC of that day
    gap = Gap(1795867205.0, 812.4, 12)
    some = (Watched(one, 900, 12, (gap,)), Watched(other, 900), Watched(third, unknown="it ended"))
    traffic = Traffic(some, ("leaf-p1-r0: swp5 lost its carrier",))
    text = told(traffic)
    assert "3 flows meanwhile: 12 of 1,800 packets lost" in text
    assert f"{one}: 12 of 900 lost, longest gap 812 ms in switches-spine\n" in text
    assert f"{third}: not known: it ended" in text
    assert f"{other}:" not in text
    assert "flapped, was reset or failed: leaf-p1-r0: swp5 lost its carrier" in text
    for_machines = act_json(act(traffic))["traffic"]
    assert [one["lost"] for one in for_machines["flows"]] == [12, 0, 0]
    assert for_machines["flows"][0]["gaps"] == [
        {"ms": 812.4, "lost": 12, "when": "in switches-spine"}
    ]
    assert for_machines["flapped"] == ["leaf-p1-r0: swp5 lost its carrier"]
    assert "traffic" not in act_json(act(None))
    assert "no port, session or unit" in told(Traffic((Watched(one, 900),)))
    assert "no traffic meanwhile: nobody" in told(Traffic(none="nobody"))
    assert "traffic" not in told(None)


def test_without_traffic_the_rollout_is_rehearsed_all_the_same(monkeypatch):
    def alone(_: Plan) -> tuple[Flow, ...]:
        raise RailbedError("no two nodes")

    monkeypatch.setattr(acts, "flows", alone)
    monkeypatch.setattr(acts, "applied", lambda _, title, __: Act(title, True, "done", 1.0))
    found = acts.under_traffic(Selection("lab", "lab"), LAB, "the change", print)
    assert (found.passed, found.traffic) == (True, Traffic(none="no two nodes"))


def test_an_act_that_shows_nothing_does_not_pass():
    nothing = act(None)
    assert acts.changes_something(nothing).outcome == acts.NOTHING
    assert not acts.changes_something(nothing).passed
    did = replace(nothing, changed=("spine1",))
    assert acts.changes_something(did) == did
    assert acts.nothing_changed(nothing) == nothing
    assert acts.nothing_changed(did).outcome == "the second run changed spine1"
    assert not acts.nothing_changed(did).passed
