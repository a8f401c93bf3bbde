"""`audit`: worst first; of each a line what, a line why, and the fix."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .words import print_line

if TYPE_CHECKING:  # see rollout.py
    from validation.audit.audit import Audit

_COLOURS = {"critical": "bold red", "major": "red", "minor": "yellow"}
_MOST_OF_A_RULE = 4


def audit_json(found: Audit) -> dict[str, Any]:
    """Every problem, and what could not be judged."""
    return {
        "exit_code": found.exit_code,
        "switches": [{"name": one.name, "system": one.system} for one in found.network.boxes],
        "links": len(found.network.links),
        "problems": [asdict(problem) for problem in found.problems],
        "not_read": [asdict(one) for one in found.not_read],
        "lines_not_understood": [
            {"switch": name, "topic": topic, "lines": count}
            for (name, topic), count in sorted(found.unread.items())
        ],
        "inconclusive": list(found.inconclusive),
    }


def audit_text(found: Audit, out: Console) -> None:
    """For people: of each rule the first few places."""
    systems = Counter(one.system for one in found.network.boxes)
    told = ", ".join(f"{count} {system}" for system, count in sorted(systems.items())) or "none"
    switches, cables = len(found.network.boxes), len(found.network.links)
    print_line(out, f"{switches} switches ({told}), {cables} links between them")
    shown: Counter[str] = Counter()
    for problem in found.problems:
        shown[problem.rule] += 1
        if shown[problem.rule] == 1:
            print_line(out, (problem.severity, _COLOURS[problem.severity]), f" {problem.rule}")
            print_line(out, f"    why: {problem.why}")
            print_line(out, f"    fix: {problem.fix}")
        if shown[problem.rule] <= _MOST_OF_A_RULE:
            print_line(out, f"    {problem.place}: {problem.subject}: {problem.found}")
    for rule, count in sorted(shown.items()):
        if count > _MOST_OF_A_RULE:
            print_line(out, f"{rule}: {count - _MOST_OF_A_RULE} more places, all with --json")
    for reason in found.inconclusive:
        print_line(out, ("not known", "yellow"), f" {reason}")
    if not found.problems and not found.inconclusive:
        print_line(out, "nothing is wrong that these rules know")
