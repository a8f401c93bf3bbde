"""`validate --dry-run`: what the loading stages would run, a line each."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.console import Console

from deploy.measuring.stages import QUIET_STAGE

from .words import print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.measuring.preview import SitePreview
    from validation.probes.planned_load import Part


def preview_json(found: SitePreview) -> dict[str, Any]:
    """Every stage with its parts; minutes as numbers, null where only a limit is known."""
    return {
        "sent": False,
        "deployable": found.deployable,
        "devices": found.devices,
        "stages": [
            {
                "stage": preview.stage,
                "title": preview.title,
                "refused": preview.refused,
                "parts": [{**asdict(part), "impact": part.impact} for part in preview.parts],
            }
            for preview in found.stages
        ],
    }


def preview_text(found: SitePreview, out: Console) -> None:
    """Stage by stage, then that nothing was sent."""
    line = partial(print_line, out)
    line(f"{found.deployable} of {found.devices} devices have an as-built row and take part")
    line(f"stages to {QUIET_STAGE} read, and send small packets: impact on jobs: none")
    for preview in found.stages:
        line(
            f"stage {preview.stage}, {preview.title}"
            + (f": refused: {preview.refused}" * bool(preview.refused))
        )
        for part in preview.parts:
            line(f"  {_told(part)}")
            if part.more:
                line(f"    more: {part.more}")
    line("nothing was sent")


def _told(part: Part) -> str:
    if not part.count:
        return f"no {part.what}: nothing to run"
    each = ""
    if part.streams:
        each = f", {_some(part.streams, 'stream')} a pair from {_some(part.ports, 'port')}"
    took = f"about {part.expected_min:.1f} min, " if part.expected_min is not None else ""
    where = f"in {_some(part.rounds, 'round')} on {_some(part.nodes, 'node')}{each}"
    return (
        f"{part.count} {part.what}, {where}: "
        f"{took}at most {part.at_most_min:.1f} min; impact on jobs: {part.impact}"
    )


def _some(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
