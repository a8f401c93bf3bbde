"""The story for a ticket or a chat: a screen of Markdown, the verdict first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .charts.inline import amount, shortened
from .charts.spread import groups
from .figures import by_kind
from .rungs import State
from .story import Story
from .suspects import Suspect

_SIGNS = {
    State.PASS: "✓",
    State.FAIL: "✗",
    State.INCONCLUSIVE: "?",
    State.NOT_RUN: "-",
    State.NOT_ASKED: "·",
}
_MOST_SUSPECTS, _MOST_FOUND, _MOST_FIGURES, _MOST_LETTERS = 8, 2, 12, 160
_MOST_OPEN = 600
# What Markdown would read as its own, and what would open HTML.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown(story: Story) -> str:
    """The text; what came from devices cannot act in it."""
    parts = (_head, _ladder, _look, _figures, _open)
    return "\n".join([*(line for part in parts for line in part(story)), ""])


def _head(story: Story) -> Iterator[str]:
    run = story.run
    yield f"# {_SIGNS[State(str(story.verdict))]} {story.site}, run {run.id}: {story.verdict}"
    yield ""
    yield f"**{plain(story.sentence)}** {plain(story.headline)}."
    yield ""
    when = run.started[:16].replace("T", " ")
    yield f"{story.planned}; plan `{story.plan_digest[:12]}`; {when} UTC; `{code(run.command)}`"


def _ladder(story: Story) -> Iterator[str]:
    yield ""
    yield "| stage | | verdict | pass | fail | open |"
    yield "|---|---|---|--:|--:|--:|"
    for rung in story.ladder:
        state = f"{_SIGNS[rung.state]} {rung.state}"
        counts = f"{rung.passed} | {rung.failed} | {rung.inconclusive}" if rung.asked else " | | "
        yield f"| {rung.stage:02d} | {plain(rung.title)} | {state} | {counts} |"


def _look(story: Story) -> Iterator[str]:
    if not story.suspects:
        return
    yield from ("", "## Go and look at", "")
    for number, one in enumerate(story.suspects[:_MOST_SUSPECTS], start=1):
        yield from _suspect(number, one, story)
    if (more := len(story.suspects) - _MOST_SUSPECTS) > 0:
        yield f"\nand {more} more suspects"


def _suspect(number: int, one: Suspect, story: Story) -> Iterator[str]:
    weight = story.weights[one.name]
    parts = f"; one of {weight.parts} parts" if weight.parts > 1 else ""
    yield f"{number}. **{plain(one.name)}**: {one.verdict} ({weight.sure}{parts})"
    for finding in one.findings[:_MOST_FOUND]:
        yield f"   - `{code(finding.expectation)}`: {plain(finding.found)}"
    for hint in one.hints[:_MOST_FOUND]:
        yield f"   - what to do: {plain(hint)}"


def _figures(story: Story) -> Iterator[str]:
    kinds = [(kind, rows) for kind, rows in by_kind(story.figures).items() if len(rows) > 1]
    if not kinds:
        return
    yield from ("", "## Figures", "")
    for kind, rows in kinds[:_MOST_FIGURES]:
        values = sorted(row.value for row in rows)
        middle = amount(values[len(values) // 2])
        span = f"{amount(values[0])} to {amount(values[-1])}, middle {middle} {kind.unit}"
        found = groups(values)
        yield f"- {kind.stage:02d} {plain(str(kind))}: {len(values)} of {span}" + (
            f"; **{found.said(kind.unit)}**" if found else ""
        )
    if (more := len(kinds) - _MOST_FIGURES) > 0:
        yield f"- and {more} more kinds"


def _open(story: Story) -> Iterator[str]:
    for said in story.coverage.matched:
        yield from ("", f"Asked beyond the plan: {plain(said, _MOST_OPEN)}")
    if story.coverage.unproved:
        yield from ("", "## Not proved", "")
        yield from (f"- {plain(said, _MOST_OPEN)}" for said in story.coverage.unproved)


def plain(words: str, most: int = _MOST_LETTERS) -> str:
    """Words as one line of Markdown that says them and does nothing."""
    return _SPECIAL.sub(r"\\\1", shortened(" ".join(words.split()), most))


def code(words: str) -> str:
    """Words to stand between backticks."""
    return shortened(" ".join(words.split()), _MOST_LETTERS).replace("`", "'")
