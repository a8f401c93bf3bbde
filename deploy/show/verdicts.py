"""`validate`: suspects first, then the ladder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from deploy.report.story import stage_lines
from deploy.report.suspects import suspects
from validation.verdict import Finding, Verdict

from .words import PlainTable, print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.measuring.measure import Measured

COLOURS = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.INCONCLUSIVE: "yellow"}


def validate_json(result: Measured) -> dict[str, Any]:
    """Every finding, and the verdict."""
    return {
        "verdict": str(result.verdict),
        "exit_code": result.exit_code,
        "evidence": str(result.evidence_dir),
        "notes": list(result.notes),
        "report": str(result.report or ""),
        "stages": [asdict(line) for line in stage_lines(result.findings)],
        "findings": [asdict(finding) for finding in result.findings],
    }


def validate_text(result: Measured, out: Console) -> None:
    """The verdict of each stage, and what to go and look at."""
    print_suspects(result.findings, out)
    print_ladder(result.findings, out)
    print_line(out, f"evidence: {result.evidence_dir}")
    if result.report:
        print_line(out, f"report: {result.report}")
    for note in result.notes:
        print_line(out, note, style="yellow")
    colour = COLOURS[result.verdict]
    print_line(out, (result.verdict, f"bold {colour}"), f" (exit {result.exit_code})")


def print_ladder(findings: Iterable[Finding], out: Console) -> None:
    """One line a stage."""
    columns = ("stage", "", "verdict", "pass", "fail", "inconclusive")
    table = PlainTable(*columns, box=None, header_style="bold")
    for line in stage_lines(findings):
        table.add_row(
            f"{line.stage:02d}",
            line.title,
            Text(line.verdict, COLOURS[line.verdict]),
            str(line.passed),
            str(line.failed),
            str(line.inconclusive),
        )
    out.print(table)


def print_suspects(findings: Iterable[Finding], out: Console, most: int = 3) -> None:
    """Each suspect with the first few findings that point at it, and what to do."""
    for suspect in suspects(findings):
        colour = COLOURS[suspect.verdict]
        said = (suspect.verdict, f"bold {colour}")
        print_line(out, said, " suspect: ", (suspect.name, "bold"))
        for one in suspect.findings[:most]:
            text = f"    {one.expectation}: found {one.found}, expected {one.expected}"
            print_line(out, text)
        if len(suspect.findings) > most:
            print_line(out, f"    and {len(suspect.findings) - most} more")
        for hint in sorted({finding.hint for finding in suspect.findings if finding.hint}):
            print_line(out, f"    what to do: {hint}")
