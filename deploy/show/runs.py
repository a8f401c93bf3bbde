"""`history`, `compare` and `bisect`: runs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from validation.judging.bisect import Bisected, Event
from validation.judging.history import Change, Line, Move

from .words import MOST_ROWS, plain_table, print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.record.runs import Compared

_COLOURS = {Move.WORSE: "red", Move.NEW: "red", Move.BETTER: "green", Move.GONE: "yellow"}
_MOST = 20


def history_json(found: Sequence[Line]) -> dict[str, Any]:
    """One object an expectation."""
    return {"figures": [asdict(line) for line in found]}


def history_text(found: Sequence[Line], out: Console, *, everything: bool = False) -> None:
    """A row an expectation; of many, those that lost most."""
    if not found:
        print_line(out, "no figures on record: stages from 45 on measure some")
        return
    columns = ("stage", "expectation", "runs", "last", "usual", "least", "most", "unit", "trend")
    shown = found if everything else sorted(found, key=_loss)[:MOST_ROWS]
    table = plain_table("figures over runs", columns)
    for one in shown:
        trend = "-" if one.trend is None else f"{one.trend:+.1%}"
        numbers = (f"{value:.4g}" for value in (one.last, one.usual, one.least, one.most))
        row = (f"{one.stage:02d}", one.expectation, str(one.runs), *numbers, one.unit, trend)
        table.add_row(*row)
    out.print(table)
    if len(shown) < len(found):
        print_line(out, f"and {len(found) - len(shown):,} more; --all prints them")
    changed = [line for line in found if line.since]
    for one in changed if everything else changed[:MOST_ROWS]:
        said = f"{one.expectation}: since run {one.since} {one.terms}; before {one.before}"
        print_line(out, said)
    if len(changed) > MOST_ROWS and not everything:
        print_line(out, f"and {len(changed) - MOST_ROWS:,} more have other terms than before")


def _loss(one: Line) -> tuple[float, str]:
    return -abs(one.trend or 0.0), one.expectation


def compare_json(found: Compared) -> dict[str, Any]:
    """Both runs, what moved, what changed."""
    return asdict(found) | {"exit_code": found.exit_code}


def compare_text(found: Compared, out: Console) -> None:
    """What moved, worst first; then what changed between."""
    before, after = found.before, found.after
    for run in (before, after):
        print_line(out, f"run {run.id}: {run.started[:16]} {run.command}: {run.outcome}")
    _print_moves(found.moves, out)
    _print_events("changed between", found.events, out)
    for note in found.notes:
        print_line(out, note, style="yellow")


def bisect_json(found: Bisected, notes: Sequence[str]) -> dict[str, Any]:
    """The whole answer."""
    causes = [asdict(cause) | {"score": cause.score} for cause in found.causes]
    return asdict(found) | {"causes": causes, "notes": list(notes)}


def bisect_text(found: Bisected, notes: Sequence[str], out: Console) -> None:
    """What got slow, from which run on, what changed there, and what to measure."""
    if found.slow or (found.measured and not found.unmeasured):
        _print_moves(found.slow, out)
    if found.unmeasured:
        print_line(out, f"{found.unmeasured} expectations were asked in one of the two runs alone")
    if not found.measured:
        print_line(out, "no expectation has an answer in both runs: nothing can be compared")
    if not found.slow:
        return
    for run, told in found.told:
        print_line(out, f"run {run}: {told}")
    first = f"run {found.first_bad} is the first bad one"
    print_line(out, (first, "bold"), f", run {found.last_good} the last good")
    likely = [cause for cause in found.causes if cause.score > 0]
    for number, one in enumerate(likely[:_MOST], start=1):
        share = f"touches {one.slow:.0%} of what got slow, {one.good:.0%} of the rest"
        said = f"{number}. run {one.event.run}: {one.event.what}"
        print_line(out, said)
        print_line(out, f"     {share}", style="dim")
    if not likely:
        print_line(out, "nothing on record that changed there touches it", style="yellow")
    if others := len(found.causes) - len(likely[:_MOST]):
        print_line(out, f"and {others} changes there that touch nothing slow, or less")
    if found.elsewhere:
        print_line(out, f"{found.elsewhere} changes were before or after, and cannot be it")
    for one_ in found.settle:
        print_line(out, f"what to do: {one_}")
    for note in notes:
        print_line(out, note, style="yellow")


def _print_moves(moves: Sequence[Change], out: Console) -> None:
    if not moves:
        print_line(out, "nothing moved beyond noise")
        return
    for change in moves[:_MOST]:
        share = f" ({change.share:+.1%})" if change.share else ""
        said = f" {change.expectation}: {change.before} -> {change.after}{share}"
        print_line(out, (f"{change.move:6}", _COLOURS[change.move]), said)
    if len(moves) > _MOST:
        print_line(out, f"and {len(moves) - _MOST:,} more")


def _print_events(title: str, events: Sequence[Event], out: Console) -> None:
    print_line(out, f"{title}:" if events else f"{title}: nothing on record")
    for event in events[:_MOST]:
        print_line(out, f"    run {event.run}: {event.what}")
    if len(events) > _MOST:
        print_line(out, f"    and {len(events) - _MOST:,} more")
