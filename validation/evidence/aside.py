"""What is made aside, for one run or until it is whole: its name says who makes it.

Such a name has `railbed.PID.START.WHERE` in it: a process, when it began (field 22 of
proc_pid_stat(5), so that a number given again is no owner), and the boot and PID namespace in which
both mean that process. The next that makes something in the same folder takes away what one left
that was killed outright. What lives, is a link, another user's, or of another boot or container,
stays. Scripts on devices do the same (`gather.py`).
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_NAME = re.compile(r".*railbed\.([0-9]+)\.([0-9]+)\.([0-9a-f]{8}-[0-9]+)(\..*)?")
_PROC = Path("/proc")
_SHOWN = 40  # of a file's own name; a name may have 255 bytes


def aside(path: Path) -> Path:
    """A name that nobody has, hidden beside `path`; nothing is made."""
    _tidied(path.parent.absolute())
    return path.with_name(f".{path.name[:_SHOWN]}.{_mine()}")


@contextmanager
def scratch(what: str, folder: Path | None = None) -> Iterator[Path]:
    """A folder for one run in `folder` (else where temporary files are); gone afterwards."""
    base = folder or Path(tempfile.gettempdir())
    _tidied(base.absolute())
    made = base / f"{what}-{_mine()}"
    made.mkdir(mode=0o700)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _mine() -> str:
    pid = os.getpid()
    return f"railbed.{pid}.{_started(str(pid))}.{_where()}.{secrets.token_hex(5)}"


def _started(pid: str) -> str:
    """When a process began, in clock ticks since the boot; empty for one that runs no more."""
    try:
        fields = (_PROC / pid / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *others = fields.rpartition(")")[2].split()
    return "" if state in "ZX" else others[18]


@cache
def _where() -> str:
    boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii")
    return f"{boot[:8]}-{(_PROC / 'self/ns/pid').stat().st_ino}"


@cache
def _tidied(folder: Path) -> None:
    """Once a run and folder: a folder may have a file for each of many thousand devices."""
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if name := _NAME.fullmatch(entry.name):
                pid, start, where = name.group(1, 2, 3)
                if where == _where() and _started(pid) != start:
                    _take_away(Path(entry.path))


def _take_away(path: Path) -> None:
    with suppress(OSError):
        status = path.lstat()
        if status.st_uid != os.geteuid():
            return
        if stat.S_ISDIR(status.st_mode):
            shutil.rmtree(path)
        elif stat.S_ISREG(status.st_mode):
            path.unlink()
