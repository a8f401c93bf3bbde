"""The whole story as plain JSON types: every finding, change and figure; nothing is cut."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from validation.judging.junit import plain

from .story import Story

FORMAT = "railbed report 1"


def story_json(story: Story) -> dict[str, Any]:
    """What the page shows and what it cut."""
    return {
        "format": FORMAT,
        "site": story.site,
        "plan_digest": story.plan_digest,
        "run": asdict(story.run),
        "verdict": str(story.verdict),
        "sentence": story.sentence,
        "headline": story.headline,
        "caveat": story.caveat,
        "ladder": [asdict(one) | {"asked": one.asked} for one in story.ladder],
        "suspects": [
            {
                "name": one.name,
                "verdict": str(one.verdict),
                "parts": story.weights[one.name].parts,
                "sure": story.weights[one.name].sure,
                "hints": list(one.hints),
                "expectations": [finding.expectation for finding in one.findings],
            }
            for one in story.suspects
        ],
        "coverage": asdict(story.coverage),
        "parked": list(story.parked),
        "counters": asdict(story.counters),
        "waves": [asdict(one) for one in story.waves],
        "changes": [asdict(one) for one in story.changes],
        "assumptions": [asdict(one) for one in story.assumptions],
        "gates": [plain(one) for one in story.gates],
        "findings": [plain(one) for one in story.findings],
    }
