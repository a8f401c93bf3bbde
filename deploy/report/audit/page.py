"""The audit as one self-contained HTML page: no script, no font, no link to elsewhere."""

from __future__ import annotations

from deploy.report.page import environment
from validation.audit.known import NotJudged, known
from validation.verdict import Verdict

from .explain import all_rules
from .findings import known_rules
from .picture import parts
from .said import by_rule, many, not_known, sentence, summary
from .story import Story

_MARKS = {Verdict.PASS: "✓", Verdict.FAIL: "✗", Verdict.INCONCLUSIVE: "?"}
_CLASSES = {"critical": "fail", "major": "fail", "minor": "inconclusive"}
_MOST = {"findings": 200, "places": 12, "rows": 100}


def audit_page(story: Story) -> str:
    """The page as text; everything that came from a configuration is escaped."""
    return (
        environment()
        .get_template("audit.html.j2")
        .render(
            story=story,
            sentence=sentence(story),
            summary=list(summary(story)),
            pictures=parts(story),
            rules=all_rules(),
            marks=_MARKS,
            classes=_CLASSES,
            most=_MOST,
            many=many,
            by_rule=by_rule,
            unknown=not_known(story),
            judged=_judged(story),
        )
    )


def _judged(story: Story) -> list[tuple[str, list[tuple[str, str]], list[str]]]:
    """Rules that are not judged of some system or server: how of each that was read, and why."""
    by_rule = dict[str, list[NotJudged]]()
    for one in story.not_judged:
        by_rule.setdefault(one.rule, []).append(one)
    rules = known_rules()
    return [
        (
            rule,
            [
                (one, next((x.how for x in mine if x.system == one), known(rules[rule], one).how))
                for one in story.kinds
            ],
            list(dict.fromkeys(one.why for one in mine)),
        )
        for rule, mine in by_rule.items()
    ]
