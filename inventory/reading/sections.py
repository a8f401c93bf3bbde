"""Several outputs in one frame: each under a head that names it and counts its lines.

Written by `shell`, a piece of POSIX sh, so that an output without an end of its own (a list of
counters) cannot be cut without being noticed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from .fields import Unreadable
from .numbers import Whole
from .one_program import is_one_program

_STATUS = Whole("status of a command", "1", 0, 255)
_LINES = Whole("lines of a section", "1", 0, 999_999_999)
_SECTIONS = Whole("sections", "1", 0, 999_999)
_HEAD = re.compile(r"railbed-section (\S+) (\d{1,3}) (\d{1,9})")
_END = re.compile(r"railbed-sections (\d{1,6})")
_SHELL = """\
section() {
  name=$1; shift
  said=$(timeout 30 "$@" 2>/dev/null); status=$?
  lines=$(wc -l <<END
$said
END
)
  printf 'railbed-section %s %d %d\\n' "$name" "$status" "$lines"
  printf '%s\\n' "$said"
}
"""


@dataclass(frozen=True, slots=True)
class Section:
    """What one command printed, and the status it ended with."""

    status: int
    text: str


def shell(commands: Mapping[str, str]) -> str:
    """POSIX sh that runs every command and prints each answer as a section.

    Names have no space in them.
    """
    lines = [f"section {shlex.quote(name)} {_run(one)}\n" for name, one in commands.items()]
    return f"{_SHELL}{''.join(lines)}echo railbed-sections {len(lines)}\n"


def _run(command: str) -> str:
    return command if is_one_program(command) else f"sh -c {shlex.quote(command)}"


def written(found: Mapping[str, Section]) -> str:
    """What `sections` reads, of answers that no shell of ours printed."""
    texts = {name: one.text.removesuffix("\n") for name, one in found.items()}
    parts = [
        f"railbed-section {name} {one.status} {texts[name].count(chr(10)) + 1}\n{texts[name]}\n"
        for name, one in found.items()
    ]
    return f"{''.join(parts)}railbed-sections {len(parts)}\n"


def sections(text: str) -> dict[str, Section]:
    """The sections by name; Unreadable where one is cut, missing or there twice."""
    lines, found, at = text.split("\n"), dict[str, Section](), 0
    while head := _HEAD.fullmatch(lines[at] if at < len(lines) else ""):
        end = at + 1 + _LINES.read(head[3])
        if head[1] in found:
            raise Unreadable(f"{head[1]!r} is there twice")
        found[head[1]] = Section(_STATUS.read(head[2]), "\n".join(lines[at + 1 : end]) + "\n")
        at = end
    end_of_all = _END.fullmatch(lines[at] if at < len(lines) else "")
    if end_of_all is None or _SECTIONS.read(end_of_all[1]) != len(found) or any(lines[at + 1 :]):
        raise Unreadable("the sections are not whole")
    return found


def needed(found: Mapping[str, Section], name: str) -> str:
    """The text of a section whose command ended well; Unreadable else."""
    one = found.get(name)
    if one is None:
        raise Unreadable(f"{name!r} was not asked")
    if one.status != 0:
        said = " ".join(one.text.split())[:120]
        raise Unreadable(f"{name!r} ended with status {one.status}: {said or 'nothing'}")
    return one.text
