"""Two texts, compared line by line, in the stanza that each line is in."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import groupby

from switch_configs.shown.foreign import Chain, below, is_comment

from .line import Line, Section


def sections(before: str, after: str) -> Iterator[Section]:
    """Stanzas in their order; a line's stanza begins with the last line without a blank before."""
    old, new = _placed(before), _placed(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    found = [
        (placed[0], Line((placed[0], placed[1][-1].strip()), sign, placed[1]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
        for sign, part in (("-", old[a:b]), ("+", new[c:d]))
        for placed in part
    ]
    for where, lines in groupby(found, key=lambda one: one[0]):
        yield (where,), tuple(line for _, line in lines)


def _placed(text: str) -> list[tuple[str, Chain]]:
    stanza, out = "", []
    for chain in below(text):
        line = chain[-1]
        if line.strip() and not line[0].isspace() and not is_comment(line):
            stanza = line.strip()
        if line.strip():
            out.append((stanza, chain))
    return out
