"""Files that are whole or absent, never half written."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from validation.evidence.aside import aside

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_MODE = 0o644


def write_atomically(path: Path, text: str, mode: int | None = None) -> None:
    """Write beside `path`, sync, and rename over it (rename(2) is atomic).

    A link is followed. What is there and no plain file (a pipe, a terminal, this process's own
    output) is written into: another file in its place would serve nobody who reads it.
    Without a `mode` a file that is there keeps its own, its owner and attributes, and a new one is
    read by all.
    """
    if (stream := _stream(path)) is not None:
        with stream:
            stream.write(text)
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    made = aside(path)
    try:
        with os.fdopen(os.open(made, _NEW, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if mode is None and path.exists():
            _make_like(made, path)
        else:
            made.chmod(_MODE if mode is None else mode)
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def _make_like(made: Path, old: Path) -> None:
    """Give a file owner, attributes and mode of the one whose place it takes.

    As far as this user may. Where the group cannot be kept, another one gets nothing of its rights.
    """
    status = old.stat()
    mode = stat.S_IMODE(status.st_mode)
    if not _given(made, status.st_uid, status.st_gid) and not _given(made, -1, status.st_gid):
        mode &= ~stat.S_IRWXG
    for name in os.listxattr(old):
        with suppress(OSError):  # of the system, or not for this user to set
            os.setxattr(made, name, os.getxattr(old, name))
    made.chmod(mode)  # last: with an access list it is what the list may give at most (acl(5))


def _given(made: Path, owner: int, group: int) -> bool:
    try:
        os.chown(made, owner, group)
    except PermissionError:
        return False
    return True


def _stream(path: Path) -> TextIO | None:
    """What `path` leads to where it is no plain file that can be replaced; None where it is."""
    try:
        there = path.stat()
    except FileNotFoundError:
        return None
    for number in (1, 2):
        if os.path.samestat(there, os.fstat(number)):
            return os.fdopen(os.dup(number), "w", encoding="utf-8")
    return None if path.is_file() else path.open("w", encoding="utf-8")
