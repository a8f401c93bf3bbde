"""What the record keeps of measurements: findings with their figures, and what was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from validation.verdict import Figure, Finding, Verdict

from .file import RecordFile
from .rows import damaged, words_of

# So many earlier figures of an expectation are its history: enough for a median, and recent.
MOST_HISTORY = 30


class FindingsTable(RecordFile):
    """Findings by run and gate. A later look at the same gate replaces the earlier one."""

    def findings(self, run: int, wave: str | None = None) -> tuple[Finding, ...]:
        """The findings of one gate of a run, or of its last gate."""
        rows = self._db.execute(
            'SELECT stage, "check", device, expectation, verdict, suspect, found, expected,'
            " hint, value, unit, terms FROM finding WHERE run=? AND wave=? ORDER BY rowid",
            (run, self.last_gate(run) if wave is None else wave),
        )
        return tuple(_finding(row) for row in rows)

    def add_findings(
        self,
        run: int,
        wave: str,
        findings: Iterable[Finding],
        asked: Iterable[int] = (),
        parked: Iterable[str] = (),
    ) -> None:
        """Keep what a gate saw, the stages it was for, and the nodes that it parked."""
        with self._transaction():
            self._db.execute("DELETE FROM finding WHERE run=? AND wave=?", (run, wave))
            self._db.executemany(
                'INSERT INTO finding (run, wave, stage, "check", device, expectation, verdict,'
                " suspect, found, expected, hint, value, unit, terms)"
                " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                [(run, wave, *_row(finding)) for finding in findings],
            )
            self._db.execute(
                "INSERT OR REPLACE INTO scope (run, wave, asked, parked) VALUES (?,?,?,?)",
                (run, wave, json.dumps(sorted(asked)), json.dumps(sorted(parked))),
            )

    def said_under(self, plan_digest: str) -> dict[str, str]:
        """What each expectation said that passed while this was the plan; none of a replay."""
        rows = self._db.execute(
            "SELECT DISTINCT expectation, expected FROM finding JOIN run ON run.id = finding.run"
            " WHERE run.plan_digest=? AND NOT run.replay AND verdict='pass'",
            (plan_digest,),
        )
        return dict(rows)

    def asked(self, run: int) -> frozenset[int] | None:
        """The stages that the last gate of a run was for; None where nobody wrote that down."""
        found = self._scope(run, "asked")
        return frozenset(map(int, words_of(found))) if found else None

    def parked(self, run: int) -> tuple[str, ...]:
        """The nodes that the last gate of a run went on without: they are unvalidated."""
        return words_of(self._scope(run, "parked") or "[]")

    def history(self, before: int | None = None) -> Mapping[str, tuple[Figure, ...]]:
        """Figures of expectations that passed in earlier runs, by expectation, oldest first.

        One a run, `MOST_HISTORY` at most, and none of a replay. `before` is the run that asks, and
        is left out.
        """
        rows = self._db.execute(
            "SELECT expectation, value, unit, terms FROM finding WHERE rowid IN"
            " (SELECT MAX(rowid) FROM finding WHERE verdict='pass' AND unit IS NOT NULL"
            "  AND run IN (SELECT DISTINCT run FROM finding WHERE unit IS NOT NULL AND run < ?"
            "   AND run NOT IN (SELECT id FROM run WHERE replay)"
            "   ORDER BY run DESC LIMIT ?) GROUP BY run, expectation) ORDER BY run, rowid",
            (before if before is not None else 1 << 62, MOST_HISTORY),
        )
        found: dict[str, list[Figure]] = {}
        for expectation, value, unit, terms in rows:
            found.setdefault(expectation, []).append(Figure(value, unit, terms or ""))
        return {name: tuple(figures[-MOST_HISTORY:]) for name, figures in found.items()}

    def keep_plan_parts(self, plan_digest: str, parts: Mapping[str, str]) -> None:
        """Keep the digests of a plan's parts, so that a later run can say which of them changed."""
        with self._transaction():
            self._db.executemany(
                "INSERT OR IGNORE INTO plan_part VALUES (?,?,?)",
                [(plan_digest, part, digest) for part, digest in sorted(parts.items())],
            )

    def plan_parts(self, plan_digest: str) -> dict[str, str]:
        """The digests of a plan's parts; empty where none were kept."""
        rows = self._db.execute(
            "SELECT part, digest FROM plan_part WHERE plan_digest=? ORDER BY part", (plan_digest,)
        )
        return dict(rows)

    def last_gate(self, run: int) -> str:
        """The name under which a run's last findings, and its evidence, lie; empty without any."""
        last = self._db.execute(
            "SELECT wave FROM finding WHERE run=? ORDER BY rowid DESC LIMIT 1", (run,)
        ).fetchone()
        return str(last[0]) if last else ""

    def _scope(self, run: int, column: str) -> str:
        row = self._db.execute(
            "SELECT asked, parked FROM scope WHERE run=? AND wave=?", (run, self.last_gate(run))
        ).fetchone()
        return str(row[("asked", "parked").index(column)]) if row else ""


def _row(one: Finding) -> tuple[str | int | float | None, ...]:
    figure = (one.figure.value, one.figure.unit, one.figure.terms) if one.figure else (None,) * 3
    said = (one.suspect, one.found, one.expected, one.hint)
    return (one.stage, one.check, one.device, one.expectation, str(one.verdict), *said, *figure)


def _finding(row: tuple[Any, ...]) -> Finding:
    stage, check, device, name, verdict, suspect, found, expected, hint, *figure = row
    said = (suspect, found, expected, hint)
    try:
        return Finding(int(stage), check, device, name, Verdict(verdict), *said, _figure(*figure))
    except (ValueError, TypeError, AttributeError):
        raise damaged("finding", row) from None


def _figure(value: float | None, unit: str | None, terms: str | None) -> Figure | None:
    return Figure(float(value), unit, terms or "") if unit and value is not None else None
