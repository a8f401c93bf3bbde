"""The record: the crash-safe journal of runs. What, where, before, after, verdict.

SQLite in WAL mode: every call is one committed transaction, so a killed run leaves
exactly what it had done (sqlite.org/wal.html). Configurations are kept as digests and
diffs, never as whole texts.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from validation.verdict import Finding, Verdict

from .errors import RailbedError, RefusedError
from .owner import Owner, alive, this_process
from .rows import ChangeRow, RunRow, TranscriptRow, WaveRow

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
  id INTEGER PRIMARY KEY, command TEXT NOT NULL, site TEXT NOT NULL,
  plan_digest TEXT NOT NULL, started TEXT NOT NULL, ended TEXT, outcome TEXT,
  host TEXT NOT NULL, boot_id TEXT NOT NULL, pid INTEGER NOT NULL,
  start_ticks INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS wave (
  run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, step TEXT NOT NULL,
  devices TEXT NOT NULL, started TEXT NOT NULL, ended TEXT, decision TEXT,
  reasons TEXT NOT NULL DEFAULT '[]', PRIMARY KEY (run, name));
CREATE TABLE IF NOT EXISTS change (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, wave TEXT NOT NULL,
  device TEXT NOT NULL, phase TEXT NOT NULL, at TEXT NOT NULL, impact TEXT NOT NULL,
  before TEXT NOT NULL, after TEXT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS change_device ON change (device, id);
CREATE TABLE IF NOT EXISTS transcript (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, wave TEXT NOT NULL,
  engine TEXT NOT NULL, dry_run INTEGER NOT NULL, hosts TEXT NOT NULL, at TEXT NOT NULL,
  text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS finding (
  run INTEGER NOT NULL REFERENCES run, wave TEXT NOT NULL, stage INTEGER NOT NULL,
  "check" TEXT NOT NULL, device TEXT NOT NULL, expectation TEXT NOT NULL,
  verdict TEXT NOT NULL, suspect TEXT NOT NULL, found TEXT NOT NULL,
  expected TEXT NOT NULL, hint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS lock (
  device TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, host TEXT NOT NULL,
  boot_id TEXT NOT NULL, pid INTEGER NOT NULL, start_ticks INTEGER NOT NULL,
  command TEXT NOT NULL, since TEXT NOT NULL);
"""

INTERRUPTED = "interrupted"
# Phases of a change to a server: its roles run, the other engine has nothing to add.
ROLES, CHECKED = "roles", "checked"
REFUSED = "refused"


class Record:
    """The journal of one site's runs, in one SQLite file."""

    def __init__(self, path: Path) -> None:
        # Pushes of one wave run in threads; one connection, one transaction at a time.
        self._mutex = threading.RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise RailbedError(
                f"the record {path} cannot be used: {error}",
                hint="it knows what was changed and when: bring it back, or move it away",
            ) from None

    def close(self) -> None:
        """Close the file; nothing is pending, every call was committed."""
        self._db.close()

    # -- runs ---------------------------------------------------------------------------

    def begin_run(self, site: str, plan_digest: str) -> int:
        """Open a run owned by this process; returns its id."""
        me = this_process()
        cursor = self._db.execute(
            "INSERT INTO run (command, site, plan_digest, started, host, boot_id, pid,"
            " start_ticks) VALUES (?,?,?,?,?,?,?,?)",
            (me.command, site, plan_digest, _now(), me.host, me.boot_id, me.pid, me.start_ticks),
        )
        return int(cursor.lastrowid or 0)

    def end_run(self, run: int, outcome: str) -> None:
        """Close a run and free what it locked."""
        with self._transaction():
            self._db.execute("UPDATE run SET ended=?, outcome=? WHERE id=?", (_now(), outcome, run))
            self._db.execute("DELETE FROM lock WHERE run=?", (run,))

    def close_interrupted(self) -> tuple[RunRow, ...]:
        """Mark runs whose owner is dead as interrupted, free their locks, return them."""
        with self._transaction():
            rows = self._db.execute(
                "SELECT id, host, boot_id, pid, start_ticks, command FROM run"
                " WHERE ended IS NULL ORDER BY id"
            ).fetchall()
            dead = [row[0] for row in rows if not alive(Owner(*row[1:6]))]
            for run in dead:
                self._db.execute(
                    "UPDATE run SET ended=?, outcome=? WHERE id=?", (_now(), INTERRUPTED, run)
                )
                self._db.execute("DELETE FROM lock WHERE run=?", (run,))
        return tuple(row for row in self.runs() if row.id in dead)

    def runs(self) -> tuple[RunRow, ...]:
        """Every run, oldest first."""
        rows = self._db.execute(
            "SELECT id, command, plan_digest, started, ended, outcome FROM run ORDER BY id"
        )
        return tuple(RunRow(*row) for row in rows)

    # -- locks --------------------------------------------------------------------------

    def lock(self, run: int, devices: Iterable[str]) -> None:
        """Take every device or none; only overlap with a living owner is refused."""
        wanted = sorted(devices)
        me = this_process()
        self.close_interrupted()
        with self._transaction():
            held = [row for row in self._locks() if row[0] in set(wanted)]
            if held:
                raise _locked(held)
            self._db.executemany(
                "INSERT INTO lock VALUES (?,?,?,?,?,?,?,?)",
                [
                    (name, run, me.host, me.boot_id, me.pid, me.start_ticks, me.command, _now())
                    for name in wanted
                ],
            )

    def locks(self) -> dict[str, str]:
        """Device -> the command that holds it."""
        return {row[0]: row[6] for row in self._locks()}

    def _locks(self) -> list[tuple[str, int, str, str, int, int, str, str]]:
        return self._db.execute("SELECT * FROM lock ORDER BY device").fetchall()

    # -- waves and changes --------------------------------------------------------------

    def begin_wave(self, run: int, name: str, step: str, devices: Iterable[str]) -> None:
        """A wave starts; it stays open in the record until its gate has decided."""
        self._db.execute(
            "INSERT INTO wave (run, name, step, devices, started) VALUES (?,?,?,?,?)",
            (run, name, step, json.dumps(sorted(devices)), _now()),
        )

    def end_wave(self, run: int, name: str, decision: str, reasons: Iterable[str]) -> None:
        """The wave's gate has decided."""
        self._db.execute(
            "UPDATE wave SET ended=?, decision=?, reasons=? WHERE run=? AND name=?",
            (_now(), decision, json.dumps(list(reasons)), run, name),
        )

    def waves(self, run: int) -> tuple[WaveRow, ...]:
        """The waves of a run, in the order they began."""
        rows = self._db.execute(
            "SELECT name, step, devices, started, ended, decision, reasons FROM wave"
            " WHERE run=? ORDER BY rowid",
            (run,),
        )
        return tuple(
            WaveRow(
                name,
                step,
                tuple(json.loads(devices)),
                started,
                ended,
                decision,
                tuple(json.loads(reasons)),
            )
            for name, step, devices, started, ended, decision, reasons in rows
        )

    def change(self, run: int, row: ChangeRow) -> None:
        """Write down one phase of a change, before or after it happens."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO change (run, wave, device, phase, at, impact, before, after,"
                " detail) VALUES (?,?,?,?,?,?,?,?,?)",
                (
                    run,
                    row.wave,
                    row.device,
                    row.phase,
                    row.at or _now(),
                    row.impact,
                    row.before,
                    row.after,
                    row.detail,
                ),
            )

    def changes(self, run: int) -> tuple[ChangeRow, ...]:
        """All phases of all changes of a run, in order."""
        rows = self._db.execute(
            "SELECT wave, device, phase, at, impact, before, after, detail FROM change"
            " WHERE run=? ORDER BY id",
            (run,),
        )
        return tuple(ChangeRow(*row) for row in rows)

    def add_transcript(
        self, run: int, wave: str, engine: str, dry_run: bool, hosts: Iterable[str], text: str
    ) -> None:
        """Keep what an engine wrote."""
        self._db.execute(
            "INSERT INTO transcript (run, wave, engine, dry_run, hosts, at, text)"
            " VALUES (?,?,?,?,?,?,?)",
            (run, wave, engine, int(dry_run), json.dumps(sorted(hosts)), _now(), text),
        )

    def transcripts(self, run: int) -> tuple[TranscriptRow, ...]:
        """What the engines wrote in a run, in the order they ended."""
        rows = self._db.execute(
            "SELECT wave, engine, dry_run, hosts, at, text FROM transcript WHERE run=? ORDER BY id",
            (run,),
        )
        return tuple(
            TranscriptRow(wave, engine, bool(dry), tuple(json.loads(hosts)), at, text)
            for wave, engine, dry, hosts, at, text in rows
        )

    def last_changed(self) -> dict[str, datetime]:
        """Device -> when it was last touched by any run; evidence from before is stale."""
        rows = self._db.execute("SELECT device, MAX(at) FROM change GROUP BY device")
        return {device: datetime.fromisoformat(at) for device, at in rows}

    # -- findings -----------------------------------------------------------------------

    def findings(self, run: int, wave: str | None = None) -> tuple[Finding, ...]:
        """The findings of one gate of a run, or of its last gate."""
        if wave is None:
            last = self._db.execute(
                "SELECT wave FROM finding WHERE run=? ORDER BY rowid DESC LIMIT 1", (run,)
            ).fetchone()
            wave = last[0] if last else ""
        rows = self._db.execute(
            'SELECT stage, "check", device, expectation, verdict, suspect, found, expected,'
            " hint FROM finding WHERE run=? AND wave=? ORDER BY rowid",
            (run, wave),
        )
        return tuple(
            Finding(stage, check, device, expectation, Verdict(verdict), *words)
            for stage, check, device, expectation, verdict, *words in rows
        )

    def add_findings(self, run: int, wave: str, findings: Iterable[Finding]) -> None:
        """Keep what a gate saw; a later look at the same gate replaces the earlier one."""
        with self._transaction():
            self._db.execute("DELETE FROM finding WHERE run=? AND wave=?", (run, wave))
            self._db.executemany(
                "INSERT INTO finding VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                [
                    (
                        run,
                        wave,
                        one.stage,
                        one.check,
                        one.device,
                        one.expectation,
                        str(one.verdict),
                        one.suspect,
                        one.found,
                        one.expected,
                        one.hint,
                    )
                    for one in findings
                ],
            )

    def is_unmeasured(self, plan_digest: str, stage: int) -> bool:
        """Whether something changed since a gate that let go measured this stage or a later one.

        Also where none ever did. A wave's own changes come before its gate.
        """
        last = self._db.execute(
            "SELECT wave.run, wave.started, wave.ended FROM wave JOIN run ON run.id = wave.run"
            " WHERE run.plan_digest=? AND wave.decision='go' AND EXISTS"
            " (SELECT 1 FROM finding WHERE finding.run = wave.run"
            "  AND finding.wave = wave.name AND finding.stage >= ?)"
            " ORDER BY wave.ended DESC LIMIT 1",
            (plan_digest, stage),
        ).fetchone()
        return last is None or self._changed_since(*last)

    def is_settled(self, plan_digest: str) -> bool:
        """Whether the last gate there was belongs to this plan, let go, and nothing changed since.

        A gate that stopped or held, or was never reached, has something left to say.
        """
        last = self._db.execute(
            "SELECT wave.run, wave.started, wave.ended, wave.decision, run.plan_digest"
            " FROM wave JOIN run ON run.id = wave.run ORDER BY wave.rowid DESC LIMIT 1"
        ).fetchone()
        if last is None or last[3:] != ("go", plan_digest):
            return False
        return not self._changed_since(*last[:3])

    def _changed_since(self, run: int, started: str, ended: str) -> bool:
        """Whether a gate did not see some change: its run's own come before it."""
        (found,) = self._db.execute(
            "SELECT EXISTS (SELECT 1 FROM change"
            " WHERE CASE WHEN run = ? THEN at > ? ELSE at >= ? END)",
            (run, ended, started),
        ).fetchone()
        return bool(found)

    def unchecked(self) -> frozenset[str]:
        """Servers on which roles ran, and that the other engine has not looked at since."""
        rows = self._db.execute(
            "SELECT device FROM change WHERE phase IN (?, ?) GROUP BY device"
            " HAVING MAX(CASE WHEN phase = ? THEN id ELSE 0 END)"
            "      > MAX(CASE WHEN phase = ? THEN id ELSE 0 END)",
            (ROLES, CHECKED, ROLES, CHECKED),
        )
        return frozenset(device for (device,) in rows)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._mutex:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _locked(held: list[tuple[str, int, str, str, int, int, str, str]]) -> RefusedError:
    first = held[0]
    devices = ", ".join(row[0] for row in held)
    return RefusedError(
        f"{devices}: held by `{first[6]}` (pid {first[4]} on {first[2]}, since {first[7]})",
        hint="wait for it to end; a dead owner is noticed by itself",
        exit_code=2,
    )
