"""Lines that a site adds to switch configurations as they are: whose they are."""

from __future__ import annotations

from fnmatch import fnmatchcase

from inventory.plan import RawStanza
from inventory.schema import SiteFile


def stanzas(intent: SiteFile, switch: str) -> tuple[RawStanza, ...]:
    """Those of one switch, in the site's order: in a section the order may matter."""
    return tuple(
        RawStanza(raw.section, tuple(raw.lines), raw.reason)
        for raw in intent.raw
        if any(fnmatchcase(switch, pattern) for pattern in raw.devices)
    )
