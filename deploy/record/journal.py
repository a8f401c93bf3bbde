"""The record: the crash-safe journal of runs. What, where, before, after, verdict.

SQLite with a rollback journal: every call is one committed transaction, so a killed run leaves
exactly what it had done (sqlite.org/atomiccommit.html). Configurations are kept as digests and
diffs, never as whole texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta

from deploy.errors import RefusedError
from validation.evidence.trust import CLOCK_SLACK_S, DATE_RECORD

from . import file as record_file
from .file import DATED
from .owner import Owner, alive, this_process
from .rows import ChangeRow, RunRow, TranscriptRow, WaveRow, seconds_of, time_of, words_of
from .times import TimesTable

INTERRUPTED = "interrupted"
# Phases of a change to a server: its roles run, the other engine has nothing to add.
ROLES, CHECKED = "roles", "checked"
REFUSED = "refused"
# The wave and the first and last phase of a drill, which ends as it began or is not `OVER`.
DRILL, BEGINS, OVER = "drill", "begins: ", "done"


class Record(TimesTable):
    """The journal of one site's runs, in one SQLite file."""

    # -- runs ---------------------------------------------------------------------------

    def begin_run(self, site: str, plan_digest: str, *, replay: bool = False) -> int:
        """Open a run owned by this process; returns its id.

        A `replay` judges what another run gathered: its figures are no history of anything.
        Raises RefusedError where the record's newest entry is dated after now.
        """
        self._refuse_ahead()
        me = this_process()
        cursor = self._db.execute(
            "INSERT INTO run (id, command, site, plan_digest, started, host, boot_id, pid,"
            " start_ticks, replay) SELECT 1 + MAX(runs_before,"
            " (SELECT COALESCE(MAX(id), 0) FROM run)), ?,?,?,?,?,?,?,?,? FROM itself",
            (
                *(me.command, site, plan_digest, self._now(), me.host, me.boot_id, me.pid),
                *(me.start_ticks, int(replay)),
            ),
        )
        self._mark()
        return int(cursor.lastrowid or 0)

    def _refuse_ahead(self) -> None:
        newest, clock = self._newest(), record_file.now()
        if newest and time_of(newest) > time_of(clock) + timedelta(seconds=CLOCK_SLACK_S):
            raise RefusedError(
                f"the record's newest entry is dated {newest}, and this host's clock says {clock}",
                hint="the clock was ahead then, or is behind now (`timedatectl`, `chronyc "
                f"tracking`); once it is right, {DATE_RECORD}",
            )
        self._latest = max(self._latest, newest)

    def date_back(self) -> int:
        """Date what lies after now to now; returns how many entries that were.

        For a record that was written while this host's clock was ahead. Whatever it dates was
        written before this moment, so evidence that comes after is newer than all of it.
        """
        at, count = record_file.now(), 0
        with self._transaction():
            for table, column in DATED:
                done = self._db.execute(
                    f"UPDATE {table} SET {column}=? WHERE {column} > ?",  # noqa: S608 - ours
                    (at, at),
                )
                count += done.rowcount
            self._latest = self._newest()
        return count

    def end_run(self, run: int, outcome: str) -> None:
        """Close a run and free what it locked."""
        with self._transaction():
            self._write_spans()
            self._db.execute(
                "UPDATE run SET ended=?, outcome=? WHERE id=?", (self._now(), outcome, run)
            )
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
                    "UPDATE run SET ended=?, outcome=? WHERE id=?", (self._now(), INTERRUPTED, run)
                )
                self._db.execute("DELETE FROM lock WHERE run=?", (run,))
        return tuple(row for row in self.runs() if row.id in dead)

    def runs(self) -> tuple[RunRow, ...]:
        """Every run, oldest first."""
        rows = self._db.execute(
            "SELECT id, command, plan_digest, started, ended, outcome, replay FROM run ORDER BY id"
        )
        return tuple(RunRow(*row) for row in rows)

    # -- locks --------------------------------------------------------------------------

    def lock(self, run: int, devices: Iterable[str]) -> None:
        """Take every device or none; only overlap with a living owner is refused."""
        wanted = sorted(devices)
        me, since = this_process(), self._now()
        self.close_interrupted()
        with self._transaction():
            held = [row for row in self._locks() if row[0] in set(wanted)]
            if held:
                raise _locked(held)
            self._db.executemany(
                "INSERT INTO lock VALUES (?,?,?,?,?,?,?,?)",
                [
                    (name, run, me.host, me.boot_id, me.pid, me.start_ticks, me.command, since)
                    for name in wanted
                ],
            )

    def unlock(self, run: int) -> None:
        """Let go of every device that a run holds."""
        with self._transaction():
            self._db.execute("DELETE FROM lock WHERE run=?", (run,))

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
            (run, name, step, json.dumps(sorted(devices)), self._now()),
        )

    def end_wave(self, run: int, name: str, decision: str, reasons: Iterable[str]) -> None:
        """The wave's gate has decided."""
        with self._transaction():
            self._write_spans()
            self._db.execute(
                "UPDATE wave SET ended=?, decision=?, reasons=? WHERE run=? AND name=?",
                (self._now(), decision, json.dumps(list(reasons)), run, name),
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
                words_of(devices),
                started,
                ended,
                decision,
                words_of(reasons),
            )
            for name, step, devices, started, ended, decision, reasons in rows
        )

    def change(self, run: int, row: ChangeRow) -> None:
        """Write down one phase of a change, before or after it happens.

        It is on the disk when this returns. What others want written meanwhile goes with it: beside
        many pushes, waiting for the disk row by row took longer than the pushes.
        """
        asked = (run, row, object())
        self._asked.append(asked)
        with self._mutex:
            try:
                if asked in self._asked:
                    self._change_all(self._asked[:])
            except Exception:  # noqa: BLE001 - it may be another's row that cannot be written
                self._change_all([asked])
            finally:
                if asked in self._asked:
                    self._asked.remove(asked)
            self._mark()

    def _change_all(self, asked: list[tuple[int, ChangeRow, object]]) -> None:
        with self._transaction():
            for run, row, _ in asked:
                self._change(run, row)
        for one in asked:
            self._asked.remove(one)

    def _change(self, run: int, row: ChangeRow) -> None:
        self._db.execute(
            "INSERT INTO change (run, wave, device, phase, at, impact, before, after,"
            " detail, boot_id, boot_s) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            (
                run,
                row.wave,
                row.device,
                row.phase,
                row.at or self._now(),
                row.impact,
                row.before,
                row.after,
                row.detail,
                *((None, None) if row.at else (this_process().boot_id, record_file.booted_s())),
            ),
        )

    def changes(self, run: int) -> tuple[ChangeRow, ...]:
        """All phases of all changes of a run, in order."""
        rows = self._db.execute(
            "SELECT wave, device, phase, at, impact, before, after, detail FROM change"
            " WHERE run=? ORDER BY id",
            (run,),
        )
        found = tuple(ChangeRow(*row) for row in rows)
        for one in found:
            time_of(one.at)
        return found

    def add_transcript(
        self, run: int, wave: str, engine: str, dry_run: bool, hosts: Iterable[str], text: str
    ) -> None:
        """Keep what an engine wrote."""
        self._db.execute(
            "INSERT INTO transcript (run, wave, engine, dry_run, hosts, at, text)"
            " VALUES (?,?,?,?,?,?,?)",
            (run, wave, engine, int(dry_run), json.dumps(sorted(hosts)), self._now(), text),
        )

    def transcripts(self, run: int) -> tuple[TranscriptRow, ...]:
        """What the engines wrote in a run, in the order they ended."""
        rows = self._db.execute(
            "SELECT wave, engine, dry_run, hosts, at, text FROM transcript WHERE run=? ORDER BY id",
            (run,),
        )
        return tuple(
            TranscriptRow(wave, engine, bool(dry), words_of(hosts), at, text)
            for wave, engine, dry, hosts, at, text in rows
        )

    def last_changed(self) -> dict[str, datetime]:
        """Device -> when it was last touched by any run; evidence from before is stale.

        A look of the other engine touches nothing, nor does a drill that was seen to end: all is as
        it was, and what was measured before it holds. A change of this boot is also dated by how
        long ago it was: the later of both counts, so a clock that was behind and was set right
        since makes nothing look newer. Steps that a healthy clock makes are passed over.
        """
        here, clock = this_process().boot_id, time_of(record_file.now())
        booted, slack = record_file.booted_s(), timedelta(seconds=CLOCK_SLACK_S)
        found = {}
        for device, at, then in self._db.execute(
            "SELECT device, MAX(at), MAX(CASE WHEN boot_id = ? THEN boot_s END) FROM change"
            " WHERE phase <> ? AND NOT (wave = ? AND EXISTS (SELECT 1 FROM change AS later"
            " WHERE later.run = change.run AND later.device = change.device AND later.wave = wave"
            " AND later.phase = wave AND later.detail LIKE ? AND later.id >= change.id))"
            " GROUP BY device",
            (here, CHECKED, DRILL, f"{OVER}%"),
        ):
            said = time_of(at)
            passed = said if then is None else clock - timedelta(seconds=booted - seconds_of(then))
            found[device] = passed if passed > said + slack else said
        return found

    def cut_off_drills(self) -> dict[str, str]:
        """Device -> the drill that was done to it last, and was not seen to end; or goes on now."""
        rows = self._db.execute(
            "SELECT device, wave, phase, detail, (SELECT detail FROM change AS began"
            " WHERE began.device = last.device AND began.wave = ? AND began.phase = ?"
            " AND began.detail NOT LIKE ? ORDER BY began.id DESC LIMIT 1) FROM change AS last"
            " WHERE id IN (SELECT MAX(id) FROM change GROUP BY device) ORDER BY device",
            (DRILL, DRILL, f"{OVER}%"),
        )
        return {
            device: str(began)
            for device, wave, phase, detail, began in rows
            if wave == DRILL and not (phase == DRILL and str(detail).startswith(OVER))
        }

    # -- what was measured ---------------------------------------------------------------

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
        return self.settled_plan() == plan_digest

    def settled_plan(self) -> str:
        """The digest of the plan that devices are on, by the last gate there was; else empty.

        It let go, and nothing changed since.
        """
        last = self._db.execute(
            "SELECT wave.run, wave.started, wave.ended, wave.decision, run.plan_digest"
            " FROM wave JOIN run ON run.id = wave.run ORDER BY wave.rowid DESC LIMIT 1"
        ).fetchone()
        if last is None or last[3] != "go" or self._changed_since(*last[:3]):
            return ""
        return str(last[4])

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


def _locked(held: list[tuple[str, int, str, str, int, int, str, str]]) -> RefusedError:
    first = held[0]
    devices = ", ".join(row[0] for row in held)
    return RefusedError(
        f"{devices}: held by `{first[6]}` (pid {first[4]} on {first[2]}, since {first[7]})",
        hint="wait for it to end; a dead owner is noticed by itself",
        exit_code=2,
    )
