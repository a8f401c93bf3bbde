"""`runs`: what is on record, and where one run's time went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .words import plain_table, print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.record.rows import RunRow
    from deploy.record.timing import RunTiming

_SLOWEST = 4


def runs_json(rows: Sequence[RunRow]) -> dict[str, Any]:
    """One object a run."""
    return {"runs": [asdict(run) for run in rows]}


def runs_text(rows: Sequence[RunRow], out: Console) -> None:
    """A line a run, oldest first."""
    for run in rows:
        said = run.outcome or "still runs"
        print_line(out, f"{run.id} {run.started[:19]} {run.command}: {said}")


def timing_json(found: RunTiming) -> dict[str, Any]:
    """The whole answer."""
    return asdict(found)


def timing_text(found: RunTiming, out: Console) -> None:
    """A row a phase, in the order in which they began; then the waves."""
    table = plain_table(
        f"run {found.run}: {_s(found.took_s)}", ("wave", "from", "took", "times", "phase")
    )
    table.add_column("devices, slowest first", overflow="fold")
    wave = ""
    for time in found.phases:
        named = "" if time.wave == wave else time.wave
        wave = time.wave
        slowest = ", ".join(f"{name} {took:.1f}" for name, took in time.devices[:_SLOWEST])
        more = len(time.devices) - _SLOWEST
        told = f"{slowest}, {more} more" if more > 0 else slowest
        table.add_row(
            named, f"{time.began_s:.1f}", f"{time.took_s:.1f}", str(time.times), time.phase, told
        )
    out.print(table)
    if not found.phases:
        print_line(out, "no phase of it is on record")
    for name, took in found.waves:
        print_line(out, f"wave {name}: {_s(took)}")


def _s(took: float | None) -> str:
    return "it did not end" if took is None else f"{took:.1f} s"
