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
        "ladder": [asdict(rung) | {"asked": rung.asked} for rung in story.ladder],
        "suspects": [
            {
                "name": suspect.name,
                "verdict": str(suspect.verdict),
                "parts": story.weights[suspect.name].parts,
                "sure": story.weights[suspect.name].sure,
                "hints": list(suspect.hints),
                "expectations": [finding.expectation for finding in suspect.findings],
            }
            for suspect in story.suspects
        ],
        "coverage": asdict(story.coverage),
        "parked": list(story.parked),
        "counters": asdict(story.counters),
        "waves": [asdict(row) for row in story.waves],
        "changes": [asdict(change) for change in story.changes],
        "assumptions": [asdict(assumption) for assumption in story.assumptions],
        "gates": [plain(finding) for finding in story.gates],
        "findings": [plain(finding) for finding in story.findings],
    }
