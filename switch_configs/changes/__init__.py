"""What changes between two configurations of a device, section by section, with its impact.

Files that are trees (JSON, YAML) are compared as trees; EOS and NX-OS by hier_config, which
knows their commands; all others line by line. Lines that nobody planned are shown as
`switch_configs.foreign` says; in planned ones values that look like secrets are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from switch_configs.diff import masked
from switch_configs.foreign import Chain, Planned, Showing, below
from switch_configs.intent import ConfigFile, Dialect, Impact, Own, Rendered
from switch_configs.secrets import WORD

from . import commands, texts, trees
from .line import Section

_SECRET = "<<held>>"
_TREES = (".json", ".yaml", ".yml")
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


def changes(
    old: Rendered,
    new: Rendered,
    dialect: Dialect,
    planned: Rendered | None = None,
    showing: Showing | None = None,
) -> tuple[Change, ...]:
    """All that differs, by file and section; empty exactly when nothing does.

    `planned` is what the plan says of the device, `new` where it is not named.
    """
    texts = {one.path: one.text for one in (planned or new).files}
    before = {one.path: one for one in old.files}
    after = {one.path: one for one in new.files}
    return tuple(
        change
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
        for change in _of_file(
            path,
            before.get(path),
            after.get(path),
            dialect,
            _planned(path, texts.get(path, ""), showing or Showing()),
        )
    )


def of_own(old: tuple[Own, ...], new: tuple[Own, ...]) -> tuple[Change, ...]:
    """What switches keep as their own, kind by kind, in numbers: each line could hold a secret."""
    before, after = set(old) - set(new), set(new) - set(old)
    return tuple(
        Change("the switch's own", kind, "none", tuple(_numbers(kind, before, after)))
        for kind in sorted({one.kind for one in before | after})
    )


def _numbers(kind: str, before: set[Own], after: set[Own]) -> Iterator[str]:
    for sign, side in (("-", before), ("+", after)):
        count = sum(one.kind == kind for one in side)
        if count:
            yield f"{sign} {count} of {kind} that the other side has not; no push touches them"


def worst(found: tuple[Change, ...]) -> Impact:
    """The worst impact of some changes; "none" of none."""
    return max((one.impact for one in found), key=IMPACTS.index, default="none")


def _of_file(
    path: str,
    old: ConfigFile | None,
    new: ConfigFile | None,
    dialect: Dialect,
    planned: Planned,
) -> Iterator[Change]:
    # A secret stands as a word on one side and in some encoding on the other: never compared.
    before, after = (WORD.sub(_SECRET, one.text) if one else "" for one in (old, new))
    found = False
    for where, lines in _sections(path, before, after, dialect):
        found = True
        # A stanza's head has no place: it is there for people, and its lines say what they do.
        places = [one.place for one in lines if one.place] or [where]
        impact = max((dialect.impact(path, one) for one in places), key=IMPACTS.index)
        shown = tuple(
            masked(f"{one.sign} {planned.line(_masked(one.chain), one.named)}") for one in lines
        )
        yield Change(path, masked(planned.names(_masked(where))), impact, shown)
    if not found and (before, _words(old)) != (after, _words(new)):
        yield Change(path, "file", "none", (_beside_text(old, new),))


def _planned(path: str, text: str, showing: Showing) -> Planned:
    text = WORD.sub(_SECRET, text)
    chains = trees.chains(text) if path.endswith(_TREES) else below(text)
    return Planned(map(_masked, chains), showing)


def _masked(chain: Chain) -> Chain:
    return tuple(map(masked, chain))


def _sections(path: str, before: str, after: str, dialect: Dialect) -> Iterator[Section]:
    """Where something differs, and the lines that say how."""
    if path.endswith(_TREES):
        yield from trees.sections(before, after)
    elif dialect.hier_platform:
        yield from commands.sections(before, after, dialect.hier_platform)
    else:
        yield from texts.sections(before, after)


def _beside_text(old: ConfigFile | None, new: ConfigFile | None) -> str:
    """What differs where no line does that may be shown: an owner, a mode, blanks or a secret."""
    before, after = _words(old), _words(new)
    if before != after:
        return f"{before} becomes {after}"
    words = [WORD.search(one.text) is not None for one in (old, new) if one]
    if words[0] != words[-1]:
        return "secrets are held, which nobody can compare with the plan's words for them"
    texts = ["".join(one.text.split()) for one in (old, new) if one]
    return "only blanks or comments differ" if texts[0] == texts[-1] else "a secret changed"


def _words(file: ConfigFile | None) -> str:
    """What a file is beside its text."""
    return f"{file.owner}:{file.group} {file.mode}" if file else "no file"
