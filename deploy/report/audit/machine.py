"""The whole story as plain JSON types: every place, nothing is cut. README.md says each key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from .baseline import FORMAT
from .findings import Finding
from .story import Story


def audit_json(story: Story) -> dict[str, Any]:
    """What every other form says, and what they cut."""
    network = story.audit.network
    return {
        "format": FORMAT,
        "path": story.path,
        "exit_code": story.exit_code,
        "fail_on": story.fail_on,
        "severities": {
            name: {"findings": count, "places": places}
            for name, (count, places) in story.severities.items()
        },
        "switches": [
            {"name": box.name, "system": box.system, "files": sorted(box.texts)}
            for box in network.boxes
        ],
        "hosts": list(story.hosts),
        "links": [{"a": str(one.a), "b": str(one.b), "by": one.by} for one in network.links],
        "findings": _told(story.findings),
        "known": _told(story.known),
        "suppressed": [
            one | {"suppression": {"at": by.at, "reason": by.reason, "until": str(by.until)}}
            for by, mine in story.suppressed
            for one in _told(mine)
        ],
        "notes": list(story.notes),
        "mended": [asdict(one) for one in story.since.mended],
        "gone": [asdict(one) for one in story.since.gone],
        "not_read": [asdict(one) for one in story.audit.not_read],
        "not_understood": [asdict(one) for one in story.unread],
        "not_judged": [asdict(one) for one in story.not_judged],
        "open_ports": {name: list(ports) for name, ports in story.open_ports.items()},
        "inconclusive": list(story.audit.inconclusive),
    }


def _told(found: Iterable[Finding]) -> list[dict[str, Any]]:
    return [asdict(one) | {"found": one.found} for one in found]
