"""What devices answer: device -> line or frame -> text."""

from __future__ import annotations

Said = dict[str, dict[str, str]]
