"""Who is drained before a change and why others are not; what counts as idle."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.errors import RailbedError
from deploy.rollout.drain import idle
from deploy.rollout.drain.chosen import choice
from deploy.rollout.drain.drains import Drains
from deploy.rollout.drain.idle import limit_bytes_s, seen_idle
from deploy.switches.push_session import PushStopped
from inventory import open_site
from inventory.plan import BgpSession
from tests.deploy.rollout.models import leaf_and_spine
from tests.validation import carried_says
from validation.evidence.gather import Ask, Gathered
from validation.stages.s20_cabling_routing.expect import sessions

LAB, POD = open_site("lab"), open_site("pod-256")


def test_a_spine_is_drained_where_another_was_seen_to_work():
    spine = choice(LAB, "spine1")
    assert (spine.drains, spine.least, spine.why) == (
        True,
        "runtime",
        "spine2 can take its traffic",
    )

    def only_the_first(switch: str, session: BgpSession) -> bool:
        return "spine1" in {switch, session.peer.device}

    without = choice(LAB, "spine1", only_the_first)
    assert not without.drains
    assert without.why == ("a drain would change nothing: no other way works from leaf-p1-r0 up")
    assert choice(LAB, "spine2", only_the_first).drains


def test_a_leaf_that_is_to_come_keeps_no_spine_from_its_drain():
    """Who has no session with a spine sends nothing over it."""
    new = {"leaf-p1-r0"}

    def grown(switch: str, session: BgpSession) -> bool:
        return not new & {switch, session.peer.device}

    assert choice(LAB, "spine1", grown).drains


def test_one_way_alone_is_none(tmp_path: Path):
    plan = leaf_and_spine(tmp_path / "mini", "eos", "admin")
    assert "no other way works from leaf-p1-1 up" in choice(plan, "spine1").why


def test_a_leaf_is_drained_for_link_flaps_where_all_its_nodes_have_another():
    both, alone = choice(POD, "business-leaf-b1-1"), choice(LAB, "leaf-p1-r0")
    assert (both.drains, both.least) == (True, "link flap")
    assert both.why.startswith("business-leaf-b1-2 can take what comes to its nodes")
    assert (alone.drains, alone.least) == (False, "link flap")
    assert "its own nodes stays (node-p1-1, node-p1-2); the jobs on them" in alone.why


def test_a_system_that_ends_a_drain_by_a_change_is_not_drained():
    plan = open_site("superpod-10k")
    spine = next(one.name for one in plan.switches if one.tier == "spine")
    assert choice(plan, spine).why == ("cumulus ends a drain as it applies a change")


def drains(*working: str) -> Drains:
    """After a look in which all sessions of these switches worked, seen from both ends."""
    worked = {
        one.id
        for one in sessions(LAB, frozenset(LAB.devices))
        if {one.device, one.peer.device} & set(working)
    }
    keeper: Any = SimpleNamespace(
        context=SimpleNamespace(plan=LAB),
        worked_before=worked,
        answered_before=frozenset(LAB.devices) - {"leaf-p1-r1"},
        accept_loss=False,
        timed=lambda _: (None, None),
    )
    return Drains(keeper, "spines")


def test_by_what_worked_before_one_spine_at_a_time():
    both, one, none = drains("spine1", "spine2"), drains("spine1"), drains()
    assert both.alone(LAB.switch) == ["spine1", "spine2"], "others carry their traffic meanwhile"
    first, leaf = both.of("spine1"), both.of("leaf-p1-r0")
    assert first
    assert first.drained
    assert "\nbgp graceful-shutdown\n" in "".join(file.text for file in first.drained.files)
    assert leaf
    assert leaf.drained is None
    half = one.of("spine1")
    assert half
    assert half.drained is None, "nobody saw the other work"
    assert set(one._ports("spine1").values()) == {True}
    asked = drains("leaf-p1-r0")._ports("spine1")
    assert sorted(asked.values()) == [False, True], "of the rest, where nobody asked the other end"
    assert none.of("spine1") is None, "nothing crosses a new fabric"
    assert none.alone(LAB.switch) == []


@pytest.mark.parametrize(
    ("rates", "ends"),
    [
        ([9e6, 9e6, 100.0], "idle by its counters: at most 100 B/s on "),
        ([2600.0], "idle by its counters: "),
        ([2700.0] * 9, "it still hears 2,700 B/s on "),
        ([-5.0] * 9, "it still hears -5 B/s on "),
        ([None] * 9, "whether it is idle is not known: no answer"),
    ],
)
def test_idle_is_what_its_own_sessions_need(monkeypatch, rates, ends):
    """In the lab, of BFD every 300 ms: 2,667 B/s."""
    now_s, total, left = [100.0], [10**9], list(rates)
    assert round(limit_bytes_s(LAB.switch["spine1"], "swp1")) == 2667

    def gather(_plan: Any, _transport: Any, asks: dict[str, list[Ask]]) -> Gathered:
        (name,) = asks
        rate = left.pop(0) if left and now_s[0] > 102 else rates[0]
        if rate is None:
            return Gathered((), {})
        total[0] += int(rate * 2)
        ports = {one.name: (total[0], 0) for one in LAB.switch[name].ports}
        text = carried_says.linux(ports, now_s[0])
        return Gathered((SimpleNamespace(payload=text.encode(), exit_status=0),), {})  # type: ignore[arg-type]

    def sleep(seconds: float) -> None:
        now_s[0] += seconds

    monkeypatch.setattr(idle, "gather", gather)
    monkeypatch.setattr(idle, "MOST_S", 15.0)
    monkeypatch.setattr(idle, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: now_s[0]))
    nobody: Any = None
    ports = {"swp9": False} | dict.fromkeys((one.name for one in LAB.switch["spine1"].ports), True)
    if ends.startswith("idle"):
        assert seen_idle(LAB, "spine1", nobody, ports).startswith(ends)
        return
    with pytest.raises(PushStopped, match=r"not seen idle in 1\d s: ") as error:
        seen_idle(LAB, "spine1", nobody, ports)
    assert ends in error.value.message
    assert "--accept-loss" in error.value.hint


def test_who_is_slow_to_be_read_is_read_twice_and_a_lost_credential_ends_the_push(monkeypatch):
    looks = list[str]()

    def gather(*_: object) -> Gathered:
        looks.append("")
        if len(looks) > 2:
            raise RailbedError("switch_password: no such file")
        text = carried_says.linux({"swp1": (len(looks), 0)}, 100.0 + len(looks))
        return Gathered((SimpleNamespace(payload=text.encode(), exit_status=0),), {})  # type: ignore[arg-type]

    monkeypatch.setattr(idle, "gather", gather)
    monkeypatch.setattr(idle, "MOST_S", 0.0)
    monkeypatch.setattr(idle, "BETWEEN_S", 0.0)
    nobody: Any = None
    assert seen_idle(LAB, "spine1", nobody, {"swp1": True}).startswith("idle by its counters: ")
    with pytest.raises(PushStopped, match="is not known: switch_password: no such file"):
        seen_idle(LAB, "spine1", nobody, {"swp1": True})
