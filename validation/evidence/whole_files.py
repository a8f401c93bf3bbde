"""Files of a site's state: whole or as they were, and their owner's alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .aside import aside

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def private_folder(folder: Path) -> None:
    """Make a folder that its owner alone may enter; one of ours that is there is closed to others.

    Not one where everybody keeps things, like /tmp.
    """
    for path in (*reversed(folder.parents), folder):
        path.mkdir(mode=0o700, exist_ok=True)
    found = folder.stat()
    if found.st_mode & 0o077 and found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX:
        folder.chmod(stat.S_IMODE(found.st_mode) & 0o700)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader finds all of it or the old one; only its owner reads it."""
    part = aside(path)
    try:
        with os.fdopen(os.open(part, _NEW, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
