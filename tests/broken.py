"""Broken inventories: `errors/<case>/` holds whole files, and patches of those in `_bases/`."""

from __future__ import annotations

import re
from pathlib import Path

ERRORS = Path(__file__).parent / "errors"
NAMES = sorted(path.parent.name for path in ERRORS.glob("*/expected.txt"))

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def site(name: str, folder: Path) -> Path:
    """Write a case's files into a folder, made where it is missing; return the folder."""
    for file, content in case(name).items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
    return folder


def case(name: str) -> dict[str, bytes]:
    """A case's files by their paths in its folder; ValueError where a patch does not fit."""
    paths = [path for path in sorted((ERRORS / name).rglob("*")) if path.is_file()]
    return {
        str(path.relative_to(ERRORS / name)).removesuffix(".patch"): (
            patched(path) if path.suffix == ".patch" else path.read_bytes()
        )
        for path in paths
    }


def patched(patch: Path, bases: Path = ERRORS) -> bytes:
    """What a unified diff makes of its base, `--- <path below bases>`; no hunks: the base itself.

    Raises ValueError, with the patch's file and line, where it does not fit its base exactly.
    """

    def refuse(number: int, why: str) -> ValueError:
        return ValueError(f"{patch}:{number}: {why}")

    head, _, *lines = patch.read_bytes().splitlines(keepends=True)
    if not head.startswith(b"--- "):
        raise refuse(1, "found no `--- ` and the path of a base")
    old = (bases / head[4:].decode().rstrip("\n")).read_bytes().splitlines(keepends=True)
    new: list[bytes] = []
    at, due = 0, (0, 0)
    for number, line in enumerate(lines, start=3):
        if hunk := _HUNK.fullmatch(line):
            first, count, new_first, new_count = (int(one or 1) for one in hunk.groups())
            start = first - bool(count)
            if (at, len(new)) != due or start < at:
                raise refuse(number, "the hunk above is not as long or not where it says")
            new += old[at:start]
            at, due = start, (start + count, new_first - bool(new_count) + new_count)
        elif (kind := line[:1]) == b"+":
            new.append(line[1:])
        elif kind not in {b" ", b"-"} or old[at : at + 1] != [line[1:]]:
            raise refuse(number, f"found {line!r}, line {at + 1} of the base is {old[at : at + 1]}")
        else:
            new += [line[1:]] * (kind == b" ")
            at += 1
    if (at, len(new)) != due:
        raise refuse(len(lines) + 2, "the last hunk is not as long or not where it says")
    return b"".join(new + old[at:])
