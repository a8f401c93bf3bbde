"""`validate --dry-run`: what the planners plan, and nothing sent."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.loads.loading import runner
from deploy.measuring import measure
from deploy.measuring.preview import preview
from tests.validation.recorded import lab
from validation.ladder import ladder
from validation.pairing.schedule import loads
from validation.stages.s45_single_node import preview as single
from validation.stages.s45_single_node.ramp import RampError
from validation.stages.s80_soak.drills import drills

EVERY = frozenset(lab().devices)


@pytest.fixture(autouse=True)
def nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a dry run reaches nothing")

    monkeypatch.setattr(measure, "way", refuse)
    monkeypatch.setattr(measure, "open_context", refuse)


def test_every_stage_that_loads_is_told():
    numbers = [number for number, one in ladder().items() if one.loads]
    assert [one.stage for one in preview(lab(), EVERY, 80)] == numbers
    assert all(map(runner, numbers))


def test_counts_are_those_of_the_planners():
    found = {one.stage: one for one in preview(lab(), EVERY, 80)}
    rounds = loads(lab(), EVERY)
    pairs = found[50].parts[0]
    assert (pairs.rounds, pairs.nodes) == (len(rounds), 4)
    assert pairs.count * 2 == sum(map(len, rounds))
    assert pairs.streams == rounds[0][0].terms.streams
    assert pairs.expected_min is not None
    assert sum(one[0].terms.seconds for one in rounds) / 60 < pairs.expected_min
    assert pairs.expected_min < pairs.at_most_min
    drilled = [one for one in drills(lab(), EVERY) if not one.refusal]
    assert found[80].parts[1].count == len(drilled)
    assert found[75].parts[0].count == 0
    impacts = {part.impact for one in found.values() for part in one.parts if part.count}
    assert impacts == {"slows", "link flap"}
    assert (found[80].parts[1].impact, found[80].parts[0].impact) == ("link flap", "slows")


def test_half_a_fabric_runs_less():
    half = EVERY - {"node-p2-1", "node-p2-2"}
    whole, less = (preview(lab(), one, 50, {50})[0].parts[0] for one in (EVERY, half))
    assert 0 < less.count < whole.count
    assert less.nodes == 2


def test_nobody_configured_runs_nothing():
    for one in preview(lab(), frozenset(), 80):
        assert [(part.count, part.nodes, part.impact) for part in one.parts] == [
            (0, 0, "none") for _ in one.parts
        ]


def test_power_steps_that_no_order_keeps_are_a_refusal(monkeypatch):
    def refuse(*_):
        raise RampError("one node alone draws more")

    monkeypatch.setattr(single, "steps", refuse)
    assert preview(lab(), EVERY, 45)[0].refused.endswith("one node alone draws more")


def test_the_verb_says_it_and_sends_nothing():
    done = CliRunner().invoke(app, ["validate", "--dry-run", "--through", "50"])
    assert done.exit_code == 0, done.output
    assert "stage 45, " in done.stdout
    assert "stage 60, " not in done.stdout
    assert done.stdout.endswith("nothing was sent\n")


@pytest.mark.parametrize("through", ["-5", "5", "100"])
def test_a_stage_that_is_none_is_bad_usage(through):
    done = CliRunner().invoke(app, ["validate", "--dry-run", "--through", through])
    assert f"--through {through}: no such stage" in str(done.exception)


def test_a_drill_says_what_would_be_pulled_and_how_or_that_nothing_is():
    done = CliRunner().invoke(app, ["drill"])
    assert "off for" in done.stdout
    assert done.stdout.endswith("`./railbed validate --through 80 --only 80` does it\n")
    nothing = CliRunner().invoke(app, ["drill", "--site", "pod-256"])
    assert nothing.stdout.startswith("nothing to pull")


def test_the_verb_as_json_and_one_stage_only():
    done = CliRunner().invoke(app, ["validate", "--dry-run", "--only", "60", "--json"])
    said = json.loads(done.stdout)
    assert (said["sent"], [one["stage"] for one in said["stages"]]) == (False, [60])
    assert said["stages"][0]["parts"][0]["impact"] == "slows"


def test_a_dry_run_of_saved_evidence_is_bad_usage():
    done = CliRunner().invoke(app, ["validate", "--dry-run", "--from-evidence", "x"])
    assert "expected one" in str(done.exception)
