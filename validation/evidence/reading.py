"""Reading a frame that a run left: its text, or why it proves nothing."""

from __future__ import annotations

from testinfra.host import Host

from inventory.reading.fields import Unreadable
from switch_configs.shown.said import why


def answer(host: Host, command: str) -> str:
    """What the command printed. Raises Unreadable where it failed, MissingEvidence without it."""
    told = host.run(command)
    if told.rc:
        raise Unreadable(f"`{command}` ended with status {told.rc} and said: {said(told, command)}")
    return str(told.stdout)


def said(told: object, ours: str = "") -> str:
    """The first words of a failed command."""
    return why(str(getattr(told, "stderr", "")), str(getattr(told, "stdout", "")), ours)
