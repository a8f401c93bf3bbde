"""An audit for a merge request: the verdict and the summary, then findings, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deploy.report.markdown import code, plain
from validation.verdict import Verdict

from .findings import Finding
from .said import by_rule, many, not_judged, not_known, sentence, summary
from .story import Story

_SIGNS = {Verdict.PASS: "✓", Verdict.FAIL: "✗", Verdict.INCONCLUSIVE: "?"}
# The comment of a merge request holds 65,536 letters (GitHub) at most.
_MOST_FINDINGS, _MOST_PLACES, _MOST_ROWS = 40, 5, 20
_MOST_LETTERS = 500


def audit_markdown(story: Story) -> str:
    """The text; what came from configurations cannot act in it."""
    parts = (_head, _findings, _since, _suppressed, _unknown)
    return "\n".join([*(line for part in parts for line in part(story)), ""])


def _head(story: Story) -> Iterator[str]:
    yield f"# {_SIGNS[story.verdict]} Audit: {plain(sentence(story))}"
    yield ""
    yield f"railbed, of `{code(story.path)}`"
    yield ""
    yield "| | |"
    yield "|---|---|"
    for name, said in summary(story):
        yield f"| {name} | {plain(said, _MOST_LETTERS)} |"


def _findings(story: Story) -> Iterator[str]:
    if story.findings:
        yield from ("", "## Findings", "")
    for one in story.findings[:_MOST_FINDINGS]:
        yield from _finding(one)
    yield from _more(story.findings, _MOST_FINDINGS, "finding")


def _finding(one: Finding) -> Iterator[str]:
    yield f"- **{one.severity}** `{one.rule}`: {plain(one.found, _MOST_LETTERS)}"
    yield f"  - why: {plain(one.why, _MOST_LETTERS)}"
    yield f"  - fix: {plain(one.fix, _MOST_LETTERS)}"
    for place in one.places[:_MOST_PLACES]:
        other = f": {plain(said, _MOST_LETTERS)}" if (said := one.other(place)) else ""
        yield f"  - `{code(place.at)}` {plain(place.subject)}{other}"
    yield from _more(one.places, _MOST_PLACES, "place", "  ")


def _since(story: Story) -> Iterator[str]:
    for title, rows in (("Mended", story.since.mended), ("Not read now", story.since.gone)):
        if rows:
            yield from ("", f"## {title}", "")
        yield from (f"- {plain(said, _MOST_LETTERS)}" for said in by_rule(rows))


def _suppressed(story: Story) -> Iterator[str]:
    if story.suppressed or story.notes:
        yield from ("", "## Suppressed", "")
    for by, mine in story.suppressed[:_MOST_ROWS]:
        places = many(sum(len(one.places) for one in mine), "place")
        yield f"- `{by.rule}` {plain(by.subject)}: {places} until {by.until}: {plain(by.reason)}"
    yield from _more(story.suppressed, _MOST_ROWS, "entry")
    for note in story.notes[:_MOST_ROWS]:
        yield f"- look at {plain(note, _MOST_LETTERS)}"


def _unknown(story: Story) -> Iterator[str]:
    for title, rows in (
        ("Not known", not_known(story)),
        ("Not judged", tuple(not_judged(story))),
    ):
        if rows:
            yield from ("", f"## {title}", "")
        yield from (f"- {plain(why, _MOST_LETTERS)}" for why in rows[:_MOST_ROWS])
        yield from _more(rows, _MOST_ROWS, "of it")


def _more(rows: Sequence[object], most: int, word: str, indent: str = "") -> Iterator[str]:
    if len(rows) > most:
        count = f"{len(rows) - most:,} more of it"
        told = count if word == "of it" else many(len(rows) - most, f"more {word}")
        yield f"{indent}- and {told}, in the JSON"
