"""What a push saw and did, in values: diffs, impact, outcomes. Pure."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from switch_configs.intent import ConfigFile, Impact, Phase, Rendered

Outcome = Literal["done", "failed", "undone"]

# A configuration that others wrote may hold secrets in clear; people read our diffs.
_SECRET = re.compile(
    r"(?i)\b(password|passphrase|secret|key-string|snmp-server community)(\s+\d)?\s+\S+"
)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """How one file differs, as a unified diff with secrets masked."""

    path: str
    impact: Impact
    text: str

    @property
    def added_lines(self) -> int:
        """Lines that the plan adds."""
        return sum(1 for line in self.text.splitlines()[2:] if line.startswith("+"))

    @property
    def removed_lines(self) -> int:
        """Lines that the plan takes away."""
        return sum(1 for line in self.text.splitlines()[2:] if line.startswith("-"))


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A step that was run, and the end of what the device said."""

    name: str
    phase: Phase
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PushResult:
    """The end of one push.

    `changed`: the device's configuration differed from the plan's. `confirmed`: the plan's
    configuration is now the device's, also after a restart. `rolled_back`: it was seen that
    the device has its old configuration again. `ok` is False when the device is not as the
    plan (or, in a dry run, the difference could not be told); `message` and `hint` say why.
    """

    device: str
    ok: bool
    changed: bool
    diffs: tuple[FileDiff, ...] = ()
    impact: Impact = "none"
    steps: tuple[StepOutcome, ...] = ()
    confirmed: bool = False
    rolled_back: bool = False
    message: str = ""
    hint: str = ""


def digest(rendered: Rendered) -> str:
    """Name exactly these files, with owners and modes."""
    total = hashlib.sha256()
    for one in rendered.files:
        for part in (one.path, one.owner, one.group, one.mode, one.text):
            total.update(part.encode() + b"\0")
    return total.hexdigest()


def diffs(old: Rendered, new: Rendered) -> tuple[FileDiff, ...]:
    """List the files that differ, by path."""
    before = {one.path: one for one in old.files}
    after = {one.path: one for one in new.files}
    found = (_diff(before.get(path), after.get(path)) for path in sorted({*before, *after}))
    return tuple(one for one in found if one is not None)


def worst_impact(impacts: Iterable[Impact]) -> Impact:
    """Pick the heaviest, in the order in which `Impact` names them."""
    order: tuple[Impact, ...] = get_args(Impact)
    return max(impacts, key=order.index, default="none")


def masked(text: str) -> str:
    """Return the text without the values that look like secrets."""
    return _SECRET.sub(lambda match: f"{match[1]}{match[2] or ''} ***", text)


def _diff(old: ConfigFile | None, new: ConfigFile | None) -> FileDiff | None:
    known = new or old
    if known is None or (old and new and _facts(old) == _facts(new)):
        return None
    lines = difflib.unified_diff(
        _lines(old), _lines(new), f"device {known.path}", f"plan {known.path}", lineterm=""
    )
    return FileDiff(known.path, known.impact, masked("\n".join(lines)))


def _facts(one: ConfigFile) -> tuple[str, ...]:
    return (one.text, one.owner, one.group, one.mode)


def _lines(one: ConfigFile | None) -> list[str]:
    """Content, headed by owner and mode so that their change is seen too."""
    if one is None:
        return []
    return [f"# {one.owner}:{one.group} {one.mode}", *one.text.splitlines()]
