"""What the record keeps of time: when a phase of a run began and ended, on which device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deploy.context import Stopwatch

from .findings import FindingsTable
from .rows import SpanRow


class TimesTable(FindingsTable):
    """Spans by run. They are written when their wave or run ends: timing must cost no time."""

    def stopwatch(self, run: int, wave: str = "") -> Stopwatch:
        """Return what times the phases of one wave, or of what comes before and after waves."""

        @contextmanager
        def timed(phase: str, device: str = "") -> Iterator[None]:
            began = self._now()
            try:
                yield
            finally:
                with self._mutex:
                    self._spans.append((run, SpanRow(wave, phase, device, began, self._now())))

        return timed

    def spans(self, run: int) -> tuple[SpanRow, ...]:
        """The phases of a run, in the order they began; none of runs before they were kept."""
        rows = self._db.execute(
            "SELECT wave, phase, device, began, ended FROM span WHERE run=? ORDER BY began, rowid",
            (run,),
        )
        return tuple(SpanRow(*row) for row in rows)

    def _write_spans(self) -> None:
        """Call it within a transaction."""
        with self._mutex:
            rows, self._spans = self._spans, []
        self._db.executemany(
            "INSERT INTO span (run, wave, phase, device, began, ended) VALUES (?,?,?,?,?,?)",
            [(run, one.wave, one.phase, one.device, one.began, one.ended) for run, one in rows],
        )
