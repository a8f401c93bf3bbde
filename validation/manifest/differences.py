"""The words of drift: what differs, what is not known, and what is only to be told. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from inventory.reading.fields import Unreadable
from validation.parse.host.node_state import Told

from .owned import Manifest

T = TypeVar("T")
DriftKind = Literal[
    "file", "folder", "package", "unit", "sysctl", "kernel arguments", "sshd option", "stray"
]
"""What can differ; `deploy/rollout/unmended.py` has a row for each."""
UNREAD = "this user may not read it, so what is in it is not known"
_NOT_TOLD = "the device did not speak of it"
_FOR_PEOPLE = frozenset({"sshd option", "stray"})


@dataclass(frozen=True, slots=True, order=True)
class Drift:
    """One thing that is not as planned; `wanted` and `found` are words."""

    device: str
    role: str
    kind: DriftKind
    what: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what}: found {self.found}, wanted {self.wanted}"

    @property
    def is_mended_by_role(self) -> bool:
        """Whether running the role helps.

        Nobody's file is not its to remove, and another file's word on sshd neither: where our
        own file is otherwise, that is a drift of its own.
        """
        return self.kind not in _FOR_PEOPLE


@dataclass(frozen=True, slots=True, order=True)
class Unknown:
    """Things of one kind (or one thing) of a role that could not be read."""

    device: str
    role: str
    kind: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{' '.join(part for part in (self.kind, self.what) if part)}: {self.why}"


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """Something that is as planned, and has to be known: a reboot that is due."""

    device: str
    role: str
    kind: str
    what: str
    says: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what}: {self.says}"


class Answer(NamedTuple):
    """What a device said to one question."""

    status: int
    payload: bytes
    errors: str

    @property
    def text(self) -> str:
        """The payload as text; what is none can be no answer of ours, and is shown as is."""
        return self.payload.decode("utf-8", "backslashreplace")


# Gives the answer to a line of `node_state`; raises MissingEvidence where there is none.
Read = Callable[[str], Answer]


# Wanted and found, for each way in which a thing differs.
Pairs = Iterator[tuple[str, str]]


def each(
    manifest: Manifest,
    role: str,
    kind: DriftKind,
    what: str,
    told: Told[T],
    pairs: Callable[[T | None], Pairs],
) -> Iterator[Drift | Unknown]:
    """One thing that was told: each way in which it differs, or why it is not known."""
    if what not in told.found:
        why = told.unread.get(what, _NOT_TOLD)
        yield Unknown(manifest.device, role, kind, what, why)
        return
    try:
        for wanted, found in pairs(told.found[what]):
            yield Drift(manifest.device, role, kind, what, wanted, found)
    except Unreadable as why:
        yield Unknown(manifest.device, role, kind, what, str(why))
