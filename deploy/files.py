"""Files that are whole or absent, never half written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TextIO


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Write beside `path`, sync, and rename over it (rename(2) is atomic).

    A link is followed. What is there and no plain file (a pipe, a terminal, this process's own
    output) is written into: another file in its place would serve nobody who reads it.
    """
    if (stream := _stream(path)) is not None:
        with stream:
            stream.write(text)
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


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
