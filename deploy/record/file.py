"""The file of the record: its tables, how it is opened, and one transaction at a time."""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from deploy.errors import RailbedError
from validation.evidence.whole_files import private_folder

from .history import History, Known, known_of, mark_of, marked, newest_run, refuse_lost, write_mark
from .rows import ChangeRow, SpanRow, time_of

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
  before TEXT NOT NULL, after TEXT NOT NULL, detail TEXT NOT NULL, boot_id TEXT, boot_s REAL);
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
CREATE INDEX IF NOT EXISTS finding_run ON finding (run, wave);
CREATE TABLE IF NOT EXISTS scope (
  run INTEGER NOT NULL REFERENCES run, wave TEXT NOT NULL, asked TEXT NOT NULL,
  parked TEXT NOT NULL, PRIMARY KEY (run, wave));
CREATE TABLE IF NOT EXISTS span (
  run INTEGER NOT NULL REFERENCES run, wave TEXT NOT NULL, phase TEXT NOT NULL,
  device TEXT NOT NULL, began TEXT NOT NULL, ended TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS span_run ON span (run);
CREATE TABLE IF NOT EXISTS plan_part (
  plan_digest TEXT NOT NULL, part TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY (plan_digest, part));
CREATE TABLE IF NOT EXISTS lock (
  device TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, host TEXT NOT NULL,
  boot_id TEXT NOT NULL, pid INTEGER NOT NULL, start_ticks INTEGER NOT NULL,
  command TEXT NOT NULL, since TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS itself (
  only INTEGER PRIMARY KEY CHECK (only = 1), record TEXT NOT NULL, runs_before INTEGER NOT NULL,
  since TEXT, seen TEXT);
"""
DATED = (
    *(("run", "started"), ("run", "ended"), ("wave", "started"), ("wave", "ended")),
    *(("change", "at"), ("transcript", "at"), ("span", "began"), ("span", "ended")),
    *(("lock", "since"), ("itself", "since"), ("itself", "seen")),
)
_TIMES = (f"SELECT MAX({column}) AS at FROM {table}" for table, column in DATED)  # noqa: S608 - ours
_NEWEST = f"SELECT MAX(at) FROM ({' UNION ALL '.join(_TIMES)})"  # noqa: S608 - ours
# Columns that came later.
_GROWN = (
    *(("finding", "value", "REAL"), ("finding", "unit", "TEXT"), ("finding", "terms", "TEXT")),
    ("run", "replay", "INTEGER NOT NULL DEFAULT 0"),
    *(("change", "boot_id", "TEXT"), ("change", "boot_s", "REAL"), ("itself", "seen", "TEXT")),
)


class _Told(sqlite3.Connection):
    """Says in a sentence why nothing could be written: on a full disk, every write of a run."""

    def execute(self, *asked: Any) -> sqlite3.Cursor:
        try:
            return super().execute(*asked)
        except sqlite3.OperationalError as error:
            raise _cannot(error) from None

    def executemany(self, *asked: Any) -> sqlite3.Cursor:
        try:
            return super().executemany(*asked)
        except sqlite3.OperationalError as error:
            raise _cannot(error) from None


def _cannot(error: sqlite3.Error) -> RailbedError:
    return RailbedError(
        f"the record cannot be read or written: {error}",
        hint="`df -h` and `df -i` of the state folder say whether its disk is full; what was "
        "written until now is kept, and a run goes on where it was once there is room",
        exit_code=1,
    )


class RecordFile:
    """One SQLite file with a rollback journal; who changes more than one row takes a transaction.

    Not in WAL mode: its index is mapped memory, and where the disk is full writing there ends the
    process by SIGBUS (sqlite.org/wal.html, mmap.html). A write that fails is an error that is told.
    """

    def __init__(self, path: Path) -> None:
        # Pushes of one wave run in threads; one connection, one transaction at a time.
        self._mutex = threading.RLock()
        self._spans: list[tuple[int, SpanRow]] = []
        self._asked: list[tuple[int, ChangeRow, object]] = []
        try:
            known = known_of(path)
            if not path.is_file():
                refuse_lost(path, known, None)
            private_folder(path.parent)
            path.touch(mode=0o600)
            self._db = sqlite3.connect(
                path, timeout=30, isolation_level=None, check_same_thread=False, factory=_Told
            )
            self._set_up()
            self._db.executescript(_SCHEMA)
            self._grow()
            self._path = path
            self._know(known)
            self._latest = self._newest()
        except (OSError, sqlite3.Error) as error:
            raise RailbedError(
                f"the record {path} cannot be used: {error}",
                hint="it knows what was changed and when: bring it back, or move it away",
            ) from None

    def _set_up(self) -> None:
        """A journal on the disk, synced; records of old are in WAL mode and are taken out of it.

        Whoever still has such a record open keeps it in that mode, until the next one opens it.
        """
        self._db.execute("PRAGMA mmap_size=0")
        with suppress(sqlite3.OperationalError):
            sqlite3.Connection.execute(self._db, "PRAGMA journal_mode=TRUNCATE")
        self._db.execute("PRAGMA synchronous=FULL")

    def _grow(self) -> None:
        """Columns that came later: a record is kept for years, and its runs are compared."""
        for table, name, kind in _GROWN:
            if name not in {row[1] for row in self._db.execute(f"PRAGMA table_info({table})")}:
                self._db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")

    def _know(self, known: Known) -> None:
        """Is it the record that its folder knows? One from before there were marks gets its own."""
        if self.identity() is None:
            (runs,) = self._db.execute("SELECT COUNT(*) FROM run").fetchone()
            if not runs:
                refuse_lost(self._path, known, None)
            self._db.execute(
                "INSERT OR IGNORE INTO itself (only, record, runs_before) VALUES (1, ?, 0)",
                (secrets.token_hex(16),),
            )
        found = self.identity()
        (held,) = self._db.execute("SELECT COUNT(*) FROM change").fetchone()
        refuse_lost(self._path, known, found, held)
        self._mark()

    def identity(self) -> History | None:
        """The record's identity, newest run and change; None of one that has no identity yet."""
        row = self._db.execute(
            "SELECT record, MAX(runs_before, (SELECT COALESCE(MAX(id), 0) FROM run)),"
            " (SELECT COALESCE(MAX(id), 0) FROM change) FROM itself"
        ).fetchone()
        return History(*row) if row else None

    def _mark(self) -> None:
        """Write how far the record has come, where the folder does not know it yet.

        Call it after a commit: what a mark counts is on the disk.
        """
        if self.identity() == marked(self._path):
            return
        with self._transaction():  # no other command writes in between
            if (found := self.identity()) is not None:
                write_mark(self._path, found)

    def since(self) -> datetime | None:
        """When this record took the place of a lost one, if it did: older evidence is stale."""
        (since,) = self._db.execute("SELECT since FROM itself").fetchone()
        return None if since is None else time_of(since)

    def saw(self, gathered: datetime) -> None:
        """Keep when the newest evidence was gathered: no change is dated before it."""
        at = (gathered + timedelta(milliseconds=1)).isoformat(timespec="milliseconds")
        self._db.execute("UPDATE itself SET seen = MAX(COALESCE(seen, ''), ?)", (at,))
        with self._mutex:
            self._latest = max(self._latest, at)

    def _newest(self) -> str:
        """The latest time on record, of whatever it is; empty where there is none."""
        (newest,) = self._db.execute(_NEWEST).fetchone()
        return newest or ""

    def _now(self) -> str:
        """The time of a new entry, never before one that is there.

        Where the clock was set back, a change would be dated before evidence that it made stale.
        """
        with self._mutex:
            self._latest = max(self._latest, now())
            return self._latest

    def close(self) -> None:
        """Close the file; nothing is pending, every call was committed."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._mutex:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite itself goes back where the disk is full
                    self._db.execute("ROLLBACK")
                raise


def is_lost(path: Path) -> bool:
    """Whether a record is refused because its folder knows of more than it holds."""
    try:
        RecordFile(path).close()
    except RailbedError:
        return True
    return False


def forget_history(path: Path) -> Path | None:
    """Begin a new record where one was lost; what is left of it is moved aside and returned.

    Its runs count on from those that the folder knows, and no evidence from before counts.
    """
    kept = path.with_name(f"{path.stem}.until-{datetime.now(UTC):%Y%m%dT%H%M%SZ}{path.suffix}")
    try:
        before = known_of(path).runs
    except RailbedError:  # the mark itself is what was lost
        before = newest_run(path)
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(f"{path.name}{suffix}")
        if old.exists():
            old.replace(kept.with_name(f"{kept.name}{suffix}"))
    mark_of(path).unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as fresh:
        fresh.executescript(_SCHEMA)
        fresh.execute(
            "INSERT INTO itself (only, record, runs_before, since) VALUES (1, ?, ?, ?)",
            (secrets.token_hex(16), before, now()),
        )
    RecordFile(path).close()
    return kept if kept.exists() else None


def booted_s() -> float:
    """Seconds since this host booted, time asleep included: nobody sets that clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def now() -> str:
    """This host's clock as entries have it: UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
