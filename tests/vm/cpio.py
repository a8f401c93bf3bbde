"""Archives of the kernel's `newc` form.

Linux, Documentation/driver-api/early-userspace/buffer-format.rst.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

Entry = tuple[str, Path]


def archive(out: BinaryIO, *parts: Iterable[Entry]) -> None:
    """Write an archive of these paths, each under its name."""
    for part in parts:
        for number, (name, path) in enumerate(part, start=1):
            info = path.lstat()
            if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
                continue  # A whiteout of overlayfs.
            out.write(_entry(number, name, info, _content(path, info)))
    out.write(_entry(0, "TRAILER!!!", None, b""))


def below(root: Path, to: str, left_out: Iterable[str] = ()) -> Iterator[Entry]:
    """Every path below a folder, folders before what lies in them, under `to`."""
    if to:
        yield to, root
    for folder, names, files in os.walk(root):
        here = Path(folder).relative_to(root)
        names[:] = sorted(one for one in names if str(here / one) not in left_out)
        for name in sorted((*names, *files)):
            yield str(Path(to) / here / name), Path(folder) / name


def _content(path: Path, info: os.stat_result) -> bytes:
    if stat.S_ISLNK(info.st_mode):
        return bytes(path.readlink())
    return path.read_bytes() if stat.S_ISREG(info.st_mode) else b""


def _entry(number: int, name: str, info: os.stat_result | None, content: bytes) -> bytes:
    mode = info.st_mode if info else 0
    owner = (info.st_uid, info.st_gid) if info else (0, 0)
    device = (os.major(info.st_rdev), os.minor(info.st_rdev)) if info else (0, 0)
    said = name.encode() + b"\0"
    fields = (number, mode, *owner, 1, 0, len(content), 0, 0, *device, len(said), 0)
    head = b"070701" + "".join(f"{one:08x}" for one in fields).encode() + said
    return _filled(head) + _filled(content)


def _filled(part: bytes) -> bytes:
    return part + b"\0" * (-len(part) % 4)
