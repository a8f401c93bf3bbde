"""Which changes NVUE waits for: one read-only line of POSIX sh that prints their revisions.

A revision that was applied under a timer is in the state `confirm` until it is confirmed, taken
back or too late (`confirm_fail`); until it is applied, in `apply`. (NVIDIA Cumulus Linux 5.14, NVUE
CLI, "Configuration Management Commands", and NVUE API; the state `confirm` as napalm's driver for
NVUE reads it from `nv config revision -o json`.)
"""

from __future__ import annotations

_PROGRAM = (
    "import json, sys; "
    'waits = ("apply", "confirm", "confirm_yes", "confirm_no"); '
    "every = json.load(sys.stdin).items(); "
    'print(*sorted(name for name, one in every if one.get("state") in waits))'
)
# Fails where NVUE does not answer, or with something else.
WAITING = (
    "j=$(nv config revision -o json) && "
    f"""printf %s "$j" | LC_ALL=C.UTF-8 python3 -I -c '{_PROGRAM}'"""
)
