"""Raw output that is cut somewhere: what each parser must then say.

One module a tool, `CASES` in each. `../test_cuts.py` cuts the text of every case at each line
and inside lines: the parser raises Unreadable, or what a stage takes of its result is the same as
of the whole text. Anything else would let a half output pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """One output of one tool.

    `read` is the parser; `takes` what the stage uses of its result (all of it, unless given).
    `text` is the output, or the name of a file in RAILBED_SAMPLES (`sample`).
    """

    name: str
    read: Callable[[str], object]
    text: str = ""
    sample: str = ""
    takes: Callable[[object], object] = lambda result: result

    def whole(self, samples: Path | None) -> str | None:
        """The text, or None where it is a capture by others that is not here."""
        if not self.sample:
            return self.text
        if samples is None:
            return None
        return (samples / self.sample).read_text(encoding="utf-8", errors="replace")
