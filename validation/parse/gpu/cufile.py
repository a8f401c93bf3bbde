"""/etc/cufile.json: JSON in which `//` begins a comment (NVIDIA's own default file has them)."""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable, document, mapping

# A text in quotes stays; what `//` or `/* */` begins outside of one goes.
_PARTS = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def settings(text: str | None) -> dict[str, object]:
    """The settings by dotted name; Unreadable where the file is cut or no JSON."""
    if not text:
        raise Unreadable("/etc/cufile.json is empty or cannot be read")
    plain = _PARTS.sub(lambda one: one[0] if one[0].startswith('"') else "", text)
    return dict(
        _flat(mapping(document(re.sub(r",(\s*[}\]])", r"\1", plain), "cufile.json"), "cufile"))
    )


def _flat(found: dict[str, object], prefix: str = "") -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for name, value in found.items():
        rows += (
            _flat(value, f"{prefix}{name}.")
            if isinstance(value, dict)
            else [(prefix + name, value)]
        )
    return rows
