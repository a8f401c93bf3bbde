"""What ssh_config and known_hosts say of one device; each file is taken apart once, not per login.

Both name every device of a site: read whole by each login, as paramiko does, those to 1,000
switches cost 0.3 s of a processor each, under the one lock of this process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

Parts = dict[str, list[tuple[int, str]]]
"""Parts of a file with their places in it, by each name that they are of; "" for all."""

_BLOCK = re.compile(r"(?im)^(?=[ \t]*(?:host|match)\b)")
_HOST = re.compile(r"(?i)[ \t]*host[ \t]*[ \t=][ \t]*(.*)")
# Of known_hosts (sshd(8)): a name, or one with its port. What is hashed may be anybody's.
_NAME = re.compile(r"[\w.:-]+|\[[\w.:-]+\]:\d+")


def config_of(path: Path, device: str) -> str:
    """The blocks of an ssh_config(5) that can say anything of a device, in their order."""
    return "".join(_of(_blocks(path, _stamp(path)), device))


def keys_of(path: Path, name: str) -> list[str]:
    """The lines of a known_hosts that can hold keys of `name` (`[name]:port` but for port 22)."""
    return _of(_lines(path, _stamp(path)), name) if path.is_file() else []


def _of(parts: Parts, name: str) -> list[str]:
    found = {*parts.get(name, ()), *parts.get("", ())}
    return [text for _, text in sorted(found)]


def _stamp(path: Path) -> tuple[int, int, int]:
    """Another one once a file was written again."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


@lru_cache(8)
def _blocks(path: Path, stamp: object) -> Parts:
    del stamp
    texts = _BLOCK.split(path.read_text(encoding="utf-8"))
    return _parted((words[1].split() if (words := _HOST.match(t)) else (), t) for t in texts)


@lru_cache(8)
def _lines(path: Path, stamp: object) -> Parts:
    del stamp
    lines = map(str.strip, path.read_text(encoding="utf-8").splitlines())
    said = (one for one in lines if one and not one.startswith("#"))
    return _parted((one.split(maxsplit=1)[0].split(","), one) for one in said)


def _parted(named: Iterable[tuple[Sequence[str], str]]) -> Parts:
    """A part with a name that is none, but a pattern or a digest, is of all."""
    found: Parts = {}
    for place, (names, text) in enumerate(named):
        plain = [name for name in names if _NAME.fullmatch(name)]
        for name in plain if plain and len(plain) == len(names) else ("",):
            found.setdefault(name, []).append((place, text))
    return found
