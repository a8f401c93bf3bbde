"""`diff` and `apply`: what would change, what did, and why it stopped."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .changes import print_difference
from .verdicts import print_ladder, print_suspects
from .words import print_line

if TYPE_CHECKING:  # what they import takes a second, and `check` needs none of it
    from deploy.rollout.runbook import ApplyResult
    from deploy.rollout.saved_plan import SavedPlan
    from deploy.rollout.survey import Survey

_DECISION_COLOURS = {"go": "green", "hold": "yellow", "stop": "red"}


def survey_json(found: Survey) -> dict[str, Any]:
    """Differences and devices that did not answer."""
    return {
        "plan_digest": found.plan_digest,
        "silent": [{"device": name, "why": why} for name, why in found.silent],
        "differences": [asdict(difference) for difference in found.differences],
        "as_planned": sorted(found.as_planned),
    }


def survey_text(found: Survey, out: Console) -> None:
    """Each difference: by lines or as wanted and found, with its impact and cause."""
    for difference in found.differences:
        print_difference(difference, out)
    for name, why in found.silent:
        said = f"{name}: does not answer: {why}"
        print_line(out, said, style="yellow")
    print_line(
        out,
        f"{len(found.as_planned)} as planned, {len(found.differences)} differ, "
        f"{len(found.silent)} silent",
    )


def saved_json(plan: SavedPlan) -> dict[str, Any]:
    """The file's own content."""
    return asdict(plan)


def saved_text(plan: SavedPlan, path: Path, out: Console) -> None:
    """Whose it is, what would change, and how to do it."""
    print_line(out, f"site {plan.site}, lab {plan.lab}, step {plan.only or 'all'}")
    print_line(out, f"plan {plan.plan_digest}")
    made = f"saved {plan.saved} by {plan.author}, commit {plan.revision[:12] or 'not known'}"
    print_line(out, made)
    for difference in plan.differences:
        print_difference(difference, out)
    for line in plan.order:
        print_line(out, line)
    silent = [name for name, seen in plan.seen.items() if seen == "silent"]
    if silent:
        print_line(out, f"silent, so not known: {', '.join(silent)}")
    print_line(
        out,
        f"{len(plan.differences)} devices would change; `railbed apply {shlex.quote(str(path))}`",
    )


def apply_json(result: ApplyResult) -> dict[str, Any]:
    """The run, its waves and its last findings."""
    return {
        "run": result.run,
        "plan_digest": result.plan_digest,
        "dry_run": result.dry_run,
        "outcome": result.outcome,
        "exit_code": result.exit_code,
        "changed": list(result.changed),
        "differences": [asdict(difference) for difference in result.differences],
        "waves": [asdict(row) for row in result.waves],
        "findings": [asdict(finding) for finding in result.findings],
        "report": str(result.report or ""),
    }


def apply_text(result: ApplyResult, out: Console) -> None:
    """What was done, and if a gate said no: which, why, and what to do."""
    if result.dry_run:
        for difference in result.differences:
            print_difference(difference, out)
        print_line(out, result.outcome)
        return
    if result.exit_code:
        print_suspects(result.findings, out)
    print_ladder(result.findings, out)
    for wave in result.waves:
        colour = _DECISION_COLOURS.get(wave.decision or "", "yellow")
        print_line(out, (f"{wave.decision or 'not reached':5}", colour), f" {wave.name}")
        if wave.decision != "go":
            for reason in wave.reasons:
                print_line(out, f"        {reason}")
    print_line(out, f"changed: {', '.join(result.changed) or 'nothing'}")
    print_line(out, result.outcome)
    if result.report:
        print_line(out, f"report: {result.report}")
