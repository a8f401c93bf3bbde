"""Where a run's time went: kept while it runs, read from the record, told by wave and phase."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow, SpanRow
from deploy.record.timing import TRIPS, TimedTransport, phases, steps, union
from deploy.session import Selection
from validation.evidence.gather import Reply

START = "2026-01-01T00:00:00.000+00:00"


def at(seconds: float) -> str:
    return f"2026-01-01T00:00:{seconds:06.3f}+00:00"


def span(phase: str, began: float, ended: float, device: str = "", wave: str = "w") -> SpanRow:
    return SpanRow(wave, phase, device, at(began), at(ended))


def note(phase: str, seconds: float, detail: str, device: str = "leaf1") -> ChangeRow:
    return ChangeRow("w", device, phase, at(seconds), "none", "", "", detail)


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: tmp_path))
    return Record(tmp_path / "record.sqlite")


def said(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


def test_what_ran_side_by_side_counts_once():
    assert union([(0, 2), (1, 3), (5, 6), (5.2, 5.4)]) == 4
    assert union([]) == 0


def test_phases_come_in_the_order_they_began_with_the_slowest_device_first():
    spans = [
        span("b", 4, 5),
        span(TRIPS, 1, 2, "a"),
        span(TRIPS, 1, 3, "z"),
        span(TRIPS, 6, 7, "z"),
    ]
    first, second = phases(START, spans)
    assert (first.phase, first.began_s, first.took_s, first.times) == (TRIPS, 1, 3, 3)
    assert first.devices == (("z", 3.0), ("a", 1.0))
    assert (second.phase, second.began_s, second.took_s) == ("b", 4, 1)


def test_the_steps_of_a_push_are_read_from_its_journal():
    rows = [
        note("apply", 1, "begins: apply"),
        note("apply", 3, "done: apply"),
        note("verify", 3, "begins: a new connection"),
        note("verify", 9, "failed: refused"),
        note("confirm", 9, "begins: it was cut here"),
        note("roles", 9, "begins: pyinfra, every role"),
        note("roles", 10, "done: nothing to change"),
    ]
    assert [(one.phase, one.began, one.ended) for one in steps(rows)] == [
        ("push: apply", at(1), at(3)),
        ("push: verify", at(3), at(9)),
    ]


def test_a_run_keeps_what_its_phases_took_and_on_which_device(record):
    class Answers:
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            raise ValueError(f"{device} {script} {timeout_s}")

    run = record.begin_run("lab", "d1")
    with record.stopwatch(run)("survey"):
        pass
    record.begin_wave(run, "canary", "nodes", ["a"])
    transport = TimedTransport(Answers(), record.stopwatch(run, "canary"))
    with pytest.raises(ValueError, match="a sh 5"):
        transport.run("a", "sh", 5)
    assert record.spans(run) == ()
    record.end_wave(run, "canary", "go", ())
    record.end_run(run, "done")
    found = [(one.wave, one.phase, one.device) for one in record.spans(run)]
    assert found == [("", "survey", ""), ("canary", TRIPS, "a")]


def test_a_record_from_before_there_were_times_is_opened_and_says_so(record, tmp_path):
    run = record.begin_run("lab", "d1")
    record.change(run, note("apply", 1, "begins: apply"))
    record.end_run(run, "done")
    record.close()
    with sqlite3.connect(tmp_path / "record.sqlite") as old:
        old.execute("DROP TABLE span")
    old.close()
    code, told = said("runs", "--timing", str(run))
    assert code == 0
    assert "no phase of it is on record" in told


def test_the_command_tells_waves_phases_and_devices(record):
    run = record.begin_run("lab", "d1")
    with record.stopwatch(run)("survey"):
        pass
    record.begin_wave(run, "canary", "switches", ["leaf1"])
    with record.stopwatch(run, "canary")(TRIPS, "leaf1"):
        pass
    record.end_wave(run, "canary", "go", ())
    record.end_run(run, "all is well")
    record.close()
    code, told = said("runs", "--timing", str(run))
    assert code == 0
    assert [word in told for word in ("survey", "canary", TRIPS, "leaf1 0.0")] == [True] * 4
    code, told = said("runs", "--timing", str(run), "--json")
    found = json.loads(told)
    assert [one["phase"] for one in found["phases"]] == ["survey", TRIPS]
    assert found["waves"][0][0] == "canary"
    assert "all is well" in said("runs")[1]
    code, told = said("runs", "--timing", "99")
    assert code != 0
