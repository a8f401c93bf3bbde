"""The findings as SARIF 2.1.0 (OASIS), which code-scanning pages of CI read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inventory.visible import one_line
from validation.audit.rule import Rule

from .findings import Finding, Place, known_rules, says
from .story import Story

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {"critical": "error", "major": "warning", "minor": "note"}


def sarif(story: Story) -> dict[str, Any]:
    """One run: a result a place, by rule; what is suppressed or was known says so."""
    ids = sorted({one.rule for one in _every(story)})
    at = {name: number for number, name in enumerate(ids)}
    new = "new" if story.against_baseline else None
    results = [
        *_results(story, story.findings, at, new),
        *_results(story, story.known, at, "unchanged"),
        *(
            one | {"suppressions": [_suppression(by.reason, str(by.until))]}
            for by, mine in story.suppressed
            for one in _results(story, mine, at, None)
        ),
    ]
    notes = [*story.audit.inconclusive, *story.notes]
    run = {
        "tool": {"driver": {"name": "railbed", "rules": [_rule(known_rules()[i]) for i in ids]}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": story.exit_code,
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": one_line(note)}} for note in notes
                ],
            }
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _every(story: Story) -> Iterator[Finding]:
    yield from (*story.findings, *story.known)
    yield from (one for _, mine in story.suppressed for one in mine)


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": says(rule)},
        "fullDescription": {"text": rule.why},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _suppression(reason: str, until: str) -> dict[str, str]:
    return {"kind": "external", "justification": one_line(f"{reason} (until {until})")}


def _results(
    story: Story, found: tuple[Finding, ...], at: dict[str, int], state: str | None
) -> Iterator[dict[str, Any]]:
    for one in found:
        for place in one.places:
            first, *others = (place.at, *place.lines[1:])
            yield {
                "ruleId": one.rule,
                "ruleIndex": at[one.rule],
                "level": _LEVELS[one.severity],
                "message": {"text": one_line(f"{place.subject}: {place.found}. Fix: {one.fix}")},
                "locations": [_location(story.path, first) | _named(place)],
                "relatedLocations": [_location(story.path, other) for other in others],
                "partialFingerprints": {"railbedAudit/v1": place.fingerprint},
            } | ({"baselineState": state} if state else {})


def _location(path: str, at: str) -> dict[str, Any]:
    file, _, line = at.rpartition(":")
    if not line.isdigit():
        return {"physicalLocation": {"artifactLocation": {"uri": _uri(path, at)}}}
    artifact, region = {"uri": _uri(path, file)}, {"startLine": int(line)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _named(place: Place) -> dict[str, Any]:
    return {"logicalLocations": [{"fullyQualifiedName": one_line(place.subject)}]}


def _uri(path: str, file: str) -> str:
    """Where the file is from here, as a relative URI; absolute where it lies outside of here."""
    top = Path(path)
    whole = top / file if top.is_dir() else top.parent / file
    if top.is_dir() and not whole.exists():  # a folder that is one switch begins with its own name
        whole = top.parent / file
    try:
        here = whole.resolve().relative_to(Path.cwd())
    except ValueError:
        return whole.resolve().as_uri()
    return quote(here.as_posix())
