"""Configuration sessions that wait, as EOS lists them.

A session whose commit timer runs is named at the top of the JSON from release 4.32 on, and its
state is then that of one that is committed; before, its state said so (napalm, "EOS 4.32+ Pending
Commit Syntax Change"; cEOS 4.35.0F says the same in its table, seen by others). "pending" is one
that was opened and neither committed nor aborted. EOS keeps five of these, and lets one timer run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from switch_configs.errors import DialectError

SESSIONS = "show configuration sessions detail | json"
_OURS = re.compile(r"railbed-[0-9a-f]{8}")
_HOW = "confirm or abort it on the switch: EOS lets one change at a time wait"


def pending(answer: str) -> tuple[str, ...]:
    """Our sessions that wait: for their confirmation, or for their commit.

    `DialectError` where somebody else's waits for its confirmation, for EOS then commits nothing
    more, and where a commit would be saved at once, for a restart would then not lead back.
    """
    try:
        told = json.loads(answer)
        sessions: Mapping[str, Mapping[str, object]] = told["sessions"]
        states = {name: one["state"] for name, one in sessions.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DialectError(
            f"the switch does not list its sessions ({type(error).__name__})"
        ) from None
    if told.get("saveToStartupConfigOnCommit"):
        raise DialectError(
            "the switch saves every commit at once, so a restart would not lead back",
            "take that away from its configuration of sessions",
        )
    timed = {name for name, state in states.items() if state == "pendingCommitTimer"}
    timed |= {told["commitTimerSessionName"]} if told.get("commitTimerSessionName") else set()
    if any(not _OURS.fullmatch(name) for name in timed):
        raise DialectError("a change of somebody else waits for its confirmation", _HOW)
    opened = {name for name, state in states.items() if state == "pending"}
    return tuple(sorted(timed | set(filter(_OURS.fullmatch, opened))))


def undo(names: tuple[str, ...]) -> str:
    """Lines that take these back: EOS brings back what ran before a timed commit."""
    return "\n".join(f"configure session {name} abort" for name in names)
