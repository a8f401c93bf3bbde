"""Reading a frame that a run left: its text, or why it proves nothing."""

from __future__ import annotations

from testinfra.host import Host

from .parse.fields import Unreadable


def answer(host: Host, command: str) -> str:
    """What the command printed. Raises Unreadable where it failed, MissingEvidence without it."""
    told = host.run(command)
    if told.rc:
        raise Unreadable(f"`{command}` ended with status {told.rc} and said: {said(told)}")
    return str(told.stdout)


def said(told: object) -> str:
    """The first words of a failed command."""
    texts = (str(getattr(told, "stderr", "")), str(getattr(told, "stdout", "")))
    return " ".join(next((one for one in texts if one.strip()), "nothing").split())[:200]
