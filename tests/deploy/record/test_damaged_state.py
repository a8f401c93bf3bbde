"""State that was damaged is named with a way out; no verb that reads it ends in a traceback."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from deploy import errors
from deploy.record.history import mark_of, marked
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.record.timing import lasted, phases, steps
from deploy.report import tell
from deploy.transport import ssh_files
from inventory import open_site
from validation.evidence import learned
from validation.evidence.store import EvidenceError, EvidenceStore
from validation.verdict import Figure, Finding, Verdict

DEEP = "[" * 100_000
TEXTS = [
    DEEP,
    '{"a":' * 100_000,
    "",
    "null",
    "7",
    '{"runs":1e400}',
    "\x00",
    '{"record":"x","runs":1e400}',
]
VALUES = [DEEP, "", "null", "[1e400]", '{"a":1}', b"\x00\xff", 7, -1.5, "\x1b[2J"]
PLAN = open_site("lab")


@pytest.fixture
def state(tmp_path):
    record = Record(tmp_path / "record.sqlite")
    run = record.begin_run(PLAN.site, PLAN.digest)
    record.begin_wave(run, "one", "switches", ["spine1"])
    record.change(run, ChangeRow("one", "spine1", "diff", "", "none", "a", "b", "begins: x"))
    figure = Figure(1.0, "Gb/s", "t")
    record.add_findings(
        run, "one", [Finding(50, "bw", "d", "e", Verdict.PASS, figure=figure)], [50]
    )
    record.add_transcript(run, "one", "ansible", False, ["oob1"], "text")
    with record.stopwatch(run, "one")("gate"):
        pass
    record.end_wave(run, "one", "go", ["good"])
    record.end_run(run, "pass")
    record.close()
    return tmp_path


def read_all(path: Path) -> None:
    """What `runs`, `runs --timing`, `history`, `compare` and `report` read."""
    record = Record(path)
    try:
        for row in record.runs():
            lasted(row.started, row.ended)
            tuple(phases(row.started, (*record.spans(row.id), *steps(record.changes(row.id)))))
            tuple(lasted(one.started, one.ended) for one in record.waves(row.id))
            record.transcripts(row.id), record.asked(row.id), record.parked(row.id)
            record.findings(row.id)
            tell(PLAN, record, row, EvidenceStore())
        record.history(), record.last_changed(), record.since(), record.locks()
    finally:
        record.close()


def columns() -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as empty:
        from deploy.record.file import _SCHEMA

        empty.executescript(_SCHEMA)
        for table in ("run", "wave", "change", "transcript", "finding", "scope", "span"):
            yield from ((table, row[1]) for row in empty.execute(f"PRAGMA table_info({table})"))


@pytest.mark.instances(keep=1, by="table")
@pytest.mark.parametrize(("table", "column"), [*columns(), ("finding", "value")])
def test_no_column_of_the_record_ends_a_reader_in_a_traceback(state, table, column):
    path = state / "record.sqlite"
    kept = path.read_bytes()
    for value in VALUES:
        path.write_bytes(kept)
        with closing(sqlite3.connect(path)) as raw, suppress(sqlite3.Error), raw:
            raw.execute(f'UPDATE {table} SET "{column}"=?', (value,))  # noqa: S608 - ours
        with suppress(errors.RailbedError, sqlite3.Error):
            read_all(path)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_file_of_the_state_does(state, text):
    (state / "evidence").mkdir()
    for name in ("asked.json", "silent.json"):
        (state / "evidence" / name).write_text(text)
        with suppress(EvidenceError):
            EvidenceStore.load(state / "evidence")
    mark_of(state / "record.sqlite").write_text(text)
    with pytest.raises(errors.RailbedError) as refused:
        marked(state / "record.sqlite")
    assert refused.value.hint
    (state / "learned.json").write_text(text)
    assert learned.load(state / "learned.json") == {} or "null" not in text
    (state / "hostkeys.json").write_text(text)
    with suppress(errors.RailbedError):
        ssh_files._object(state / "hostkeys.json")


def test_a_list_of_waves_that_nests_too_deep_is_named(state):
    with closing(sqlite3.connect(state / "record.sqlite")) as raw, raw:
        raw.execute("UPDATE wave SET devices=?", (DEEP,))
    with pytest.raises(errors.RailbedError, match="damaged") as refused:
        read_all(state / "record.sqlite")
    assert "backup" in refused.value.hint
