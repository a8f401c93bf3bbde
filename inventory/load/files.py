"""Files to text and to marked values. Never raises for what a disk can hold."""

from __future__ import annotations

import stat
from pathlib import Path

from inventory.problems import Problem

from .yaml_positions import Marked, parse, place_of

# Far above any real site, far below what would hurt the reader.
_MOST_BYTES = 64 * 2**20
# A site has some hundred lines; the reader takes a minute for this much.
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 64
_MOST_YAML_BYTES = 2 * 2**20


def label(path: Path) -> str:
    """Return a path as messages print it: relative where it lies below the working folder."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def is_there(path: Path) -> bool:
    """Return whether something lies at a path; one that no disk can hold is not there."""
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def text_of(
    path: Path, problems: list[Problem], kind: str, most_bytes: int = _MOST_BYTES
) -> str | None:
    """Return the text of a file, or None and a problem. Never raises for what a disk can hold."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
            problems.append(Problem(label(path), 1, 1, "", what, kind))
            return None
        if status.st_size > most_bytes:
            found = f"{status.st_size} bytes"
            problems.append(Problem(label(path), 1, 1, "", found, f"at most {most_bytes} bytes"))
            return None
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no such path"
        problems.append(Problem(label(path), 1, 1, "", why.lower(), kind))
        return None
    if raw.startswith(_UTF_16) or (raw[:_HEAD_BYTES].count(0) > len(raw[:_HEAD_BYTES]) // 4):
        hint = "save it as UTF-8, or: iconv -f UTF-16 -t UTF-8 FILE >NEW"
        problems.append(Problem(label(path), 1, 1, "", "UTF-16 text", "UTF-8 text", hint))
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = place_of(raw[: error.start].decode("utf-8"), error.start)
        found = f"the byte 0x{raw[error.start]:02x}"
        hint = "save it as UTF-8, or, from Windows: iconv -f WINDOWS-1252 -t UTF-8 FILE >NEW"
        where = (label(path), place.line, place.column)
        problems.append(Problem(*where, "", found, "UTF-8 text", hint))
        return None


def yaml_mapping(path: Path, problems: list[Problem]) -> Marked | None:
    """Return a YAML file that holds a mapping, or None and why it does not."""
    text = text_of(path, problems, "a YAML file", _MOST_YAML_BYTES)
    if text is None:
        return None
    marked = parse(text, label(path))
    problems += marked.problems
    if isinstance(marked.value, dict):
        return marked
    if not marked.problems:
        kinds = {type(None): "an empty file", list: "a list"}
        kind = kinds.get(type(marked.value), "a single value")
        problems.append(marked.problem((), kind, "a mapping"))
    return None
