"""What changes between two configurations of a device, section by section, with its impact.

Files that are trees (JSON, YAML) are compared as trees; EOS and NX-OS by hier_config, which
knows their commands; all others line by line. Values that look like secrets are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from switch_configs.diff import masked
from switch_configs.intent import ConfigFile, Dialect, Impact, Rendered
from switch_configs.secrets import WORD

from . import commands, texts, trees
from .line import Section

_SECRET = "<<held>>"
# From harmless to worst.
IMPACTS: tuple[Impact, ...] = (
    "none",
    "runtime",
    "daemon restart",
    "link flap",
    "reload",
    "reboot",
)


@dataclass(frozen=True, slots=True)
class Change:
    """One section of one file that differs; `lines` begin with `+ ` or `- `."""

    path: str
    section: str
    impact: Impact
    lines: tuple[str, ...]


def changes(old: Rendered, new: Rendered, dialect: Dialect) -> tuple[Change, ...]:
    """All that differs, by file and section; empty exactly when nothing does."""
    before = {one.path: one for one in old.files}
    after = {one.path: one for one in new.files}
    return tuple(
        change
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
        for change in _of_file(path, before.get(path), after.get(path), dialect)
    )


def worst(found: tuple[Change, ...]) -> Impact:
    """The worst impact of some changes; "none" of none."""
    return max((one.impact for one in found), key=IMPACTS.index, default="none")


def _of_file(
    path: str, old: ConfigFile | None, new: ConfigFile | None, dialect: Dialect
) -> Iterator[Change]:
    # A secret stands as a word on one side and in some encoding on the other: never compared.
    before, after = (WORD.sub(_SECRET, one.text) if one else "" for one in (old, new))
    found = False
    for where, lines in _sections(path, before, after, dialect):
        found = True
        # A stanza's head has no place: it is there for people, and its lines say what they do.
        places = [one.place for one in lines if one.place] or [where]
        impact = max((dialect.impact(path, one) for one in places), key=IMPACTS.index)
        shown = tuple(masked(one.text) for one in lines)
        yield Change(path, masked(" ".join(where)), impact, shown)
    if not found:
        words = f"{_words(old)} becomes {_words(new)}"
        yield Change(path, "file", "none", (words,))


def _sections(path: str, before: str, after: str, dialect: Dialect) -> Iterator[Section]:
    """Where something differs, and the lines that say how."""
    if path.endswith((".json", ".yaml", ".yml")):
        yield from trees.sections(before, after)
    elif dialect.hier_platform:
        yield from commands.sections(before, after, dialect.hier_platform)
    else:
        yield from texts.sections(before, after)


def _words(file: ConfigFile | None) -> str:
    """What a file is beside its text, which is the same here, or differs in blanks."""
    return f"{file.owner}:{file.group} {file.mode}" if file else "no file"
