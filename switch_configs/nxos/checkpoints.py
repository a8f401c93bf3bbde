"""What marks a change of ours that nobody confirmed: its checkpoint, and its candidate file.

Both are made before anything is applied, and go once a change was confirmed, so a change that was
cut off anywhere is found. Checkpoints stay until `write erase` (Cisco Nexus NX-OS System Management
guides, "Configuring Rollback"); a reload of a single supervisor may take them (others say so), and
then loads the startup file, which is the old one.
"""

from __future__ import annotations

import re
from secrets import token_hex

_FILE = "railbed-candidate.cfg"
CANDIDATE = f"bootflash:/{_FILE}"
FORGET_FILE = f"delete {CANDIDATE} no-prompt"
SUMMARY = "show checkpoint summary"
PENDING_COMMAND = f"{SUMMARY}\ndir {CANDIDATE}"

_LISTED = re.compile(r"(?m)^\s*\d+\)\s*(railbed-[0-9a-f]{8}):?\s*$")
_LIES_THERE = re.compile(rf"(?m)^\s*\d+\s.*\s{re.escape(_FILE)}\s*$")


def new_name() -> str:
    """NX-OS overwrites no checkpoint, so each push has one of its own."""
    return f"railbed-{token_hex(4)}"


def pending(answer: str) -> tuple[str, ...]:
    """Our checkpoints, and our file; those of others are theirs."""
    answer = answer.replace("\r", "")
    file = (_FILE,) if _LIES_THERE.search(answer) else ()
    return (*sorted(set(_LISTED.findall(answer))), *file)


def undo(names: tuple[str, ...]) -> str:
    """Lines that bring back what ran at these checkpoints, and forget them and the file.

    A refused line ends them, so a checkpoint stays until its rollback was done: where NX-OS takes
    none while a commit timer runs, its timer is what leads back.
    """
    lines = []
    for name in names:
        if name != _FILE:
            lines += [f"rollback running-config checkpoint {name} atomic", f"no checkpoint {name}"]
    return "\n".join((*lines, FORGET_FILE))
