"""A trip to a device that has a command line and no shell: lines go there, answers come back.

What a transport brings is one JSON list a typed line: status, answer, and what the device refused.
A question of several parts has a head before each part, and a wait where one is needed; both are
remarks to the device, and neither is typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inventory.reading.sections import Section, written

_SECTION = "! railbed-section "
_WAIT = re.compile(r"! railbed-wait (\d{1,2})")


class Typed(NamedTuple):
    """What came of one line; `status` is 0, or 1 where it was refused, as `why` says."""

    status: int
    out: str
    why: str


def wait(seconds: int) -> str:
    """A line at which a transport waits so long."""
    return f"! railbed-wait {seconds}"


def waited_s(line: str) -> int:
    """How long a line asks to wait; 0 for one that is typed."""
    match = _WAIT.fullmatch(line)
    return int(match[1]) if match else 0


def in_parts(asked: Mapping[str, str]) -> str:
    """One question of several parts, each with its name."""
    return "".join(f"{_SECTION}{name}\n{lines}\n" for name, lines in asked.items())


def script(questions: Sequence[str]) -> str:
    """The lines of some questions, as a transport takes them."""
    every = (line for one in questions for line in one.splitlines())
    return "".join(f"{line}\n" for line in every if not line.startswith(_SECTION))


def encoded(one: Typed) -> bytes:
    """As a transport says it."""
    return f"{json.dumps(one)}\n".encode()


def decoded(stdout: bytes) -> tuple[Typed, ...]:
    """What a transport brought: the answers up to the last whole one."""
    *lines, _ = stdout.decode().split("\n")
    return tuple(Typed(*json.loads(line)) for line in lines)


def told(questions: Sequence[str], answers: Sequence[Typed]) -> Iterator[Typed]:
    """The answer to each question, in order, as far as they are whole."""
    at = 0
    for one in questions:
        lines = one.splitlines()
        typed = [line for line in lines if not line.startswith(_SECTION)]
        mine = answers[at : at + len(typed)]
        if len(mine) < len(typed):
            return
        at += len(typed)
        yield _in_sections(lines, iter(mine)) if len(lines) > len(typed) else joined(mine)


def joined(answers: Sequence[Typed]) -> Typed:
    """Several answers as one; of no line anything where one was refused."""
    for one in answers:
        if one.status:
            return one._replace(out="")
    return Typed(0, "".join(one.out for one in answers), "")


def _in_sections(lines: Sequence[str], answers: Iterator[Typed]) -> Typed:
    parts: dict[str, list[Typed]] = {}
    name = ""
    for line in lines:
        if line.startswith(_SECTION):
            name = line.removeprefix(_SECTION)
        else:
            parts.setdefault(name, []).append(next(answers))
    whole = {name: joined(mine) for name, mine in parts.items()}
    return Typed(
        0,
        written({name: Section(one.status, one.out or one.why) for name, one in whole.items()}),
        "",
    )
