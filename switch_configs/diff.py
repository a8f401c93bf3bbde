"""How a device's configuration differs from the plan's, file by file, for people to read.

Lines that nobody planned are shown as `foreign` says; in planned ones values that look like
secrets are masked.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from switch_configs.intent import ConfigFile, Impact, Rendered

from .shown.foreign import Chain, Planned, Showing, below, is_comment

HIDDEN = "(not shown)"
"""What stands for a value that looks like a secret."""

# The words of switch operating systems before a secret; what follows, to the end of the
# line, is masked whole, because some write an encoding or a level before the value.
_SECRET = re.compile(
    r"(?i)\b(password|passwd|passphrase|passkey|secret|secret-key|key-string|pre-shared-key"
    r"|authentication-key|private-key|community|token|api-key|key [0-9]+|key(?= \S+$)"
    r"|\w*(?:auth|priv|encr\w*|shared)[_-](?:key|password|pass)|auth (?:md5|sha\S*)|priv \S+)"
    r"\b([\s:=\"]+)(?!<<)\S.*"
)
# Without one of these no line has such a word: to ask that first takes a tenth of the time.
_MAY_HOLD = ("pass", "secret", "key", "community", "token", "auth", "priv")


@dataclass(frozen=True, slots=True, order=True)
class FileDiff:
    """One file that differs; `text` is a unified diff without what could be a secret.

    `impact` is what the change does to traffic.
    """

    path: str
    impact: Impact
    text: str


def diff(
    old: Rendered,
    new: Rendered,
    showing: Showing | None = None,
    planned: Rendered | None = None,
) -> tuple[FileDiff, ...]:
    """The files that differ, sorted by path; empty exactly when `old` holds what `new` does.

    `planned` is what the plan says of the device, `new` where it is not named.
    """
    before = {file.path: said(file) for file in old.files}
    after = {file.path: said(file) for file in new.files}
    texts = {file.path: file for file in (planned or new).files}
    paths = sorted({*before, *after})
    return tuple(
        _file_diff(
            path,
            before.get(path),
            after.get(path),
            Planned(_chains(texts.get(path)), showing or Showing()),
        )
        for path in paths
        if before.get(path) != after.get(path)
    )


def shown(one: Rendered, planned: Rendered, showing: Showing) -> str:
    """A whole configuration without what could be a secret, each file below its path."""
    texts = {file.path: file for file in planned.files}
    lines: list[str] = []
    for file in one.files:
        known = Planned(_chains(texts.get(file.path)), showing)
        lines += [f"== {file.path}", *_lines(file, known)]
    return "\n".join(lines) + "\n"


def unplanned(one: Rendered, planned: Rendered) -> frozenset[str]:
    """The lines of a configuration, as they are, that hold what nobody planned."""
    texts = {file.path: file for file in planned.files}
    found: set[str] = set()
    for file in one.files:
        known = Planned(_chains(texts.get(file.path)), Showing())
        found |= {c[-1].strip() for c in below(file.text) if not known.fitting(c)[1]}
    return frozenset(found)


def said(file: ConfigFile) -> ConfigFile:
    """A file without what FRR does not read: its comments are for people, and no difference."""
    if not file.path.endswith("/frr.conf"):
        return file
    kept = [line for line in file.text.splitlines() if not is_comment(line)]
    return replace(file, text="".join(f"{line}\n" for line in kept))


def masked(text: str) -> str:
    """The text without the values that look like secrets."""
    plain = text.lower()
    may_hold = any(one in plain for one in _MAY_HOLD) or not text.isascii()
    return _SECRET.sub(rf"\1\2{HIDDEN}", text) if may_hold else text


def _file_diff(
    path: str, old: ConfigFile | None, new: ConfigFile | None, planned: Planned
) -> FileDiff:
    before, after = (_lines(file, planned) for file in (old, new))
    lines = difflib.unified_diff(before, after, f"device {path}", f"plan {path}", lineterm="")
    impact = new.impact if new else old.impact if old else "none"
    return FileDiff(path, impact, "\n".join(lines) or "only in a value that is not shown")


def _lines(file: ConfigFile | None, planned: Planned) -> list[str]:
    """Owner and mode, then the text: a change of the first is a difference too."""
    if file is None:
        return []
    head = f"({file.owner}:{file.group} {file.mode})"
    return [head, *map(planned.line, _chains(file))]


def _chains(file: ConfigFile | None) -> Iterator[Chain]:
    """Each line in its place, masked."""
    return below("\n".join(map(masked, file.text.splitlines() if file else ())))
