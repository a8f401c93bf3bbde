"""The story as one self-contained HTML page: no script, no font, no link to elsewhere."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from inventory.plan import Plan
from validation.verdict import Verdict

from .drawing import fabric_svg
from .story import Story

_MARKS = {Verdict.PASS: "✓", Verdict.FAIL: "✗", Verdict.INCONCLUSIVE: "?"}


def html_page(story: Story, plan: Plan) -> str:
    """The page as text; everything that came from a device is escaped."""
    environment = Environment(
        loader=PackageLoader("deploy.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.get_template("report.html.j2")
    return template.render(
        story=story,
        marks=_MARKS,
        drawing=fabric_svg(plan, story.findings),
        planned=_planned(plan),
    )


def _planned(plan: Plan) -> str:
    return f"{len(plan.switches)} switches, {len(plan.nodes)} nodes, {len(plan.cables)} cables"
