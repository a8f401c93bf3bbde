"""`audit`: a summary; findings worst first, a line what, a line why, the fix; what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from inventory.visible import one_line

from .words import many, plain_table, print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.report.audit.explain import Explained
    from deploy.report.audit.findings import Finding
    from deploy.report.audit.story import Story
    from validation.audit.rule import Severity

_COLOURS = {"critical": "bold red", "major": "red", "minor": "yellow"}
_VERDICTS = {0: "green", 1: "red", 3: "yellow"}
_MOST_PLACES, _MOST_ROWS = 4, 12
_INDENT = 4


def audit_json(story: Story) -> dict[str, Any]:
    """Everything; README.md of the report of audits says each key."""
    from deploy.report.audit.machine import audit_json as told

    return told(story)


def audit_text(story: Story, out: Console) -> None:
    """For people: of each finding the first few places. The verdict is the last line."""
    from deploy.report.audit.said import not_known, sentence, summary

    for name, said in summary(story):
        _prose(out, f"{name}: {said}")
    for one in story.findings:
        _finding(one, out)
    _beside(story, out)
    _listed(out, "not known", not_known(story))
    _prose(out, sentence(story), _VERDICTS[story.exit_code])


def explained_json(one: Explained) -> dict[str, Any]:
    """A rule; `example` is null where none is kept."""
    return asdict(one)


def explained_text(one: Explained, out: Console) -> None:
    """What must hold, why it hurts, where it can be judged, an example and the fixes."""
    print_line(out, (one.severity, _COLOURS[one.severity]), f" {one.rule}")
    _prose(out, f"    {one.says} {one.more}".rstrip())
    _prose(out, f"    why: {one.why}")
    if one.needs:
        _prose(out, f"    needs: {', '.join(one.needs)}")
    if one.example:
        _prose(out, f"    example: {one.example.subject}: {one.example.found}")
        _prose(out, f"    fix: {one.example.fix}")
    table = plain_table("", ("system", "judged", *(("fix",) if one.fixes else ())))
    for system, judged in one.judged.items():
        table.add_row(system, judged, *((one.fixes.get(system, ""),) if one.fixes else ()))
    out.print(table)


def rules_json(rows: Iterable[tuple[str, Severity, str]]) -> list[dict[str, str]]:
    """One a rule."""
    return [{"rule": name, "severity": severity, "says": says} for name, severity, says in rows]


def rules_text(rows: Sequence[tuple[str, Severity, str]], out: Console) -> None:
    """A table, worst first."""
    table = plain_table(f"{many(len(rows), 'rule')}", ("rule", "severity", "what must hold"))
    for name, severity, says in rows:
        table.add_row(name, Text(severity, _COLOURS[severity]), says)
    out.print(table)


def _finding(one: Finding, out: Console) -> None:
    _prose(out, f"{one.severity} {one.told}: {one.found}", _COLOURS[one.severity])
    _prose(out, f"    why: {one.why}")
    _prose(out, f"    fix: {one.fix}")
    for place in one.places[:_MOST_PLACES]:
        other = f": {said}" if (said := one.other(place)) else ""
        _prose(out, f"    {place.at}: {place.subject}{other}")
    _more(out, len(one.places) - _MOST_PLACES, "place")


def _beside(story: Story, out: Console) -> None:
    """What does not count, and what nobody could judge."""
    from deploy.report.audit.said import by_rule, not_judged, unread

    for by, mine in story.suppressed:
        places = many(sum(len(one.places) for one in mine), "place")
        until = f"{places} until {by.until}: {by.reason}"
        _prose(out, f"suppressed {by.rule} at {by.subject}: {until}")
    _listed(out, "look at", story.notes)
    _listed(out, "mended", by_rule(story.since.mended))
    _listed(out, "not read now", by_rule(story.since.gone))
    _listed(out, "not judged", not_judged(story))
    _listed(out, "beside", (unread(one) for one in story.unread if not one.concern))


def _listed(out: Console, name: str, rows: Iterable[str]) -> None:
    every = list(rows)
    for row in every[:_MOST_ROWS]:
        _prose(out, f"{name}: {row}", "yellow" if name == "not known" else "")
    _more(out, len(every) - _MOST_ROWS, name)


def _more(out: Console, count: int, what: str) -> None:
    if count > 0:
        told = many(count, "more place") if what == "place" else f"{count:,} more {what}"
        print_line(out, f"    and {told}, all with --json")


def _prose(out: Console, said: str, style: str = "") -> None:
    """A line; on a terminal folded between words, what follows further in. Whole in a pipe."""
    indent = _INDENT if said.startswith(" ") else 0
    room = out.width - indent - _INDENT
    if not out.is_terminal or room < 2 * _INDENT:
        print_line(out, (said, style))
        return
    first, *rest = Text(one_line(said[indent:])).wrap(out, room)
    print_line(out, (f"{' ' * indent}{first.plain.rstrip()}", style))
    for line in rest:
        print_line(out, (f"{' ' * (indent + _INDENT)}{line.plain.rstrip()}", style))
