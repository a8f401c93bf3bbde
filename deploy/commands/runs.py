"""The verbs over runs on record: runs, history, compare, bisect. They reach no device."""

from __future__ import annotations

from typing import Annotated

import typer

from deploy import show
from deploy.session import Selection

from .options import AsJson, Lab, Site
from .say import out, print_json

RunA = Annotated[int, typer.Argument(metavar="RUN_A", help="The earlier run, which was good.")]
RunB = Annotated[int, typer.Argument(metavar="RUN_B", help="The later run.")]


def runs(
    site: Site = "lab",
    lab: Lab = "lab",
    timing: Annotated[
        int | None, typer.Option("--timing", metavar="RUN", help="Where this run's time went.")
    ] = None,
    clock_was_ahead: Annotated[
        bool,
        typer.Option("--clock-was-ahead", help="Date entries that lie after now to now."),
    ] = False,
    forget_history: Annotated[
        bool,
        typer.Option("--forget-history", help="Begin a new record where the old one is lost."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The runs on record; or where one's time went, by wave, phase and device."""
    from deploy.record.runs import date_back, forget
    from deploy.record.timing import runs_of, timing_of

    if clock_was_ahead or forget_history:
        chosen = Selection(site, lab)
        out.print(date_back(chosen) if clock_was_ahead else forget(chosen))
        return
    if timing is None:
        rows = runs_of(Selection(site, lab))
        print_json(show.runs_json(rows)) if as_json else show.runs_text(rows, out)
        return
    found = timing_of(Selection(site, lab), timing)
    print_json(show.timing_json(found)) if as_json else show.timing_text(found, out)


def history(
    site: Site = "lab",
    lab: Lab = "lab",
    check: Annotated[
        str, typer.Option("--check", help="Only figures of this check: bw, all_reduce ...")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="Every row; fold nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """The figures of each expectation over runs: the last, the usual, the trend."""
    from deploy.record.runs import history_of

    found = history_of(Selection(site, lab), check)
    if as_json:
        print_json(show.history_json(found))
        return
    show.history_text(found, out, everything=everything)


def compare(
    run_a: RunA, run_b: RunB, site: Site = "lab", lab: Lab = "lab", as_json: AsJson = False
) -> None:
    """What got worse or better between two runs, and what changed. Exit 1 where it got worse."""
    from deploy.record.runs import compare_runs

    found = compare_runs(Selection(site, lab), run_a, run_b)
    print_json(show.compare_json(found)) if as_json else show.compare_text(found, out)
    raise typer.Exit(found.exit_code)


def bisect(
    run_a: RunA, run_b: RunB, site: Site = "lab", lab: Lab = "lab", as_json: AsJson = False
) -> None:
    """What changed between a good run and a slow one, ranked by what it touches.

    Exit 0 nothing got worse, 1 something did and a change explains it, 3 none on record does.
    """
    from deploy.record.runs import bisect_runs, exit_code_of

    found, notes = bisect_runs(Selection(site, lab), run_a, run_b)
    print_json(show.bisect_json(found, notes)) if as_json else show.bisect_text(found, notes, out)
    raise typer.Exit(exit_code_of(found))
