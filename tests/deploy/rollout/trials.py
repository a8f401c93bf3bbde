"""A trial of the safe push on a model of a switch, as it is before anything was pushed."""

from __future__ import annotations

import json
from collections.abc import Callable

from deploy.record.journal import Record
from deploy.rollout.preconditions import untried
from deploy.rollout.reached import reached
from deploy.switches.push_session import Pace
from deploy.switches.transcript import on_record
from deploy.trial import push_trial, site
from deploy.trial.push_trial import ALONE, BACK, KEPT, NOTHING, WORDS
from deploy.trial.site import TrialResult, tried
from tests.deploy.fake_eos import Served
from tests.deploy.rollout.models import SECRETS, Model, Site, held
from tests.deploy.shell_switch import Clock, ShellSwitch, same_time

SPINE = "spine1"
WINDOW_S = 30


def trial(
    made: Site[Model],
    monkeypatch,
    away_s: float,
    ask: Callable[[str], bool] = lambda _: True,
) -> TrialResult:
    """A trial of the spine, whose timer must be over after `away_s` of its clock."""
    monkeypatch.setattr(site, "window_s", lambda *_: WINDOW_S)
    monkeypatch.setattr(
        site,
        "Pace",
        lambda window_s: Pace(window_s, verify_share=0.1, poll_s=0.2 if away_s < WINDOW_S else 15),
    )
    monkeypatch.setattr(push_trial, "_alone_s", lambda _: (away_s / 4, away_s))
    if isinstance(switch := made.switches[SPINE], ShellSwitch):
        same_time(monkeypatch, switch)
        monkeypatch.setattr(push_trial, "time", Clock(switch))
    context = made.context
    record = Record(context.state_dir / "record.sqlite")
    try:
        run = record.begin_run(context.site, context.plan.digest)
        result = tried(context, made.transport, record, run, SPINE, ask)
        record.end_run(run, "trial")
        return result
    finally:
        record.close()


def passes_a_trial(
    made: Site[Model], monkeypatch, away_s: float, runs: Callable[[Model], object]
) -> None:
    """All parts end as they must; the switch runs and boots what it did before (`runs`)."""
    plan, folder, switch = made.context.plan, made.context.state_dir, made.switches[SPINE]
    before, seen = runs(switch), list[bool]()

    def ask(_: str) -> bool:
        seen.append(WORDS in str(runs(switch)))
        if isinstance(switch, Served) and len(seen) > 2:
            switch.second_s = 1.0  # what is confirmed must not race its timer
        return True

    assert untried(plan, [SPINE])
    result = trial(made, monkeypatch, away_s, ask)
    one = result.trial
    assert one.passed, (one.parts, made.said)
    assert [part.name for part in one.parts] == [NOTHING, ALONE, KEPT, BACK]
    assert seen == [False, False, False, True], "it goes back by itself, and stays once confirmed"
    assert runs(switch) == before
    assert untried(plan, [SPINE], on_record(folder)) == ()
    assert result.transcript.stat().st_mode & 0o777 == 0o600
    written = json.loads(result.transcript.read_text())
    lost = {each["part"] for each in written["exchanges"] if each["lost"]}
    assert lost <= {ALONE, KEPT, BACK}
    assert any(WORDS in text for text in made.said), "the change is shown"
    with_record = Record(folder / "record.sqlite")
    try:
        assert reached(with_record).of(SPINE) == {""}, "it is at no plan more than before"
    finally:
        with_record.close()
    assert not [value for value in SECRETS.values() if value in held(folder) + repr(made.said)]


def lines_of(text: str) -> list[str]:
    """Its lines, each below its head: a switch prints its blocks in an order of its own."""
    found, head = [], ""
    for line in text.splitlines():
        head = head if line.startswith(" ") else line
        found += [f"{head} / {line}"] if line.strip("! ") else []
    return sorted(found)
