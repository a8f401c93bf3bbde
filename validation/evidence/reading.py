"""Reading a frame that a run left: its text, or why it proves nothing."""

from __future__ import annotations

from collections.abc import Iterable

from testinfra.host import Host

from inventory.reading.fields import Unreadable
from switch_configs.shown.said import why

from .trust import MissingEvidence


def answer(host: Host, command: str) -> str:
    """What the command printed. Raises Unreadable where it failed, MissingEvidence without it."""
    told = host.run(command)
    if told.rc:
        raise Unreadable(f"`{command}` ended with status {told.rc} and said: {said(told, command)}")
    return str(told.stdout)


def answers(host: Host, commands: Iterable[str]) -> list[str]:
    """What each printed, as `answer`. What is missing is asked for at once, not one a trip."""
    texts: list[str] = []
    missing: list[MissingEvidence] = []
    for command in commands:
        try:
            texts.append(answer(host, command))
        except MissingEvidence as reason:
            missing.append(reason)
    if missing:
        raise missing[0]
    return texts


def said(told: object, ours: str = "") -> str:
    """The first words of a failed command."""
    return why(str(getattr(told, "stderr", "")), str(getattr(told, "stdout", "")), ours)
