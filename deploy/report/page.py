"""The story as one self-contained HTML page: no script, no font, no link to elsewhere."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from inventory.plan import Plan

from .rungs import State
from .sheet import sheet
from .story import Story

# A sign beside every word of a verdict: colour alone would tell some readers nothing.
_MARKS = {
    State.PASS: "✓",
    State.FAIL: "✗",
    State.INCONCLUSIVE: "?",
    State.NOT_RUN: "-",
    State.NOT_ASKED: "·",
}
_DECISIONS = {"go": "pass", "stop": "fail"}


def html_page(story: Story, plan: Plan) -> str:
    """The page as text; everything that came from a device is escaped."""
    template = environment().get_template("report.html.j2")
    marks = {str(state): mark for state, mark in _MARKS.items()}
    return template.render(story=story, sheet=sheet(story, plan), marks=marks, decisions=_DECISIONS)


def environment() -> Environment:
    """The templates of all pages: what they print is escaped."""
    return Environment(
        loader=PackageLoader("deploy.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
