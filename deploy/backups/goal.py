"""What is pushed to bring back what a switch ran: its files as they were, words for secrets. Pure.

Systems hide secrets in different ways. One that is shown in the clear, or in a form that its system
takes back, is sent as it was. Of any other there is the site's own, where the plan has the same
line; where it has not, nobody can bring that line back, and nothing is tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from deploy.errors import RailbedError
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Whole
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.shown.secrets import HELD, WORD, bare, word

_ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Goal:
    """A configuration to push, and the secrets that words in it stand for.

    Secrets that nobody planned stand in it as they are.
    """

    rendered: Rendered = field(repr=False)
    secrets: Secrets


def goal(whole: Whole, asked: Rendered, secrets: Secrets) -> Goal:
    """What it ran, to be pushed; `asked` is what the plan renders, with the site's `secrets`.

    RailbedError where a secret of it can be had from nobody.
    """
    known = _by_value(asked, secrets)
    hidden = {bare(line): line for line in _lines(asked) if WORD.search(line)}
    raw = [line.strip() for line in _lines(whole.held)]
    values: dict[str, str] = {}
    lost = 0

    def said(line: str) -> str:
        nonlocal lost
        if HELD not in line:
            return known.get(line, line)
        if (shown := _as_shown(line.strip(), raw)) is not None:
            names = [f"held_{len(values) + at}" for at in range(1, len(shown) + 1)]
            values.update(zip(names, shown, strict=True))
            parts = line.split(HELD)
            return "".join(
                [parts[0], *(word(n) + p for n, p in zip(names, parts[1:], strict=True))]
            )
        lost += bare(line) not in hidden
        return hidden.get(bare(line), line)

    files = tuple(
        replace(file, text="".join(map(said, file.text.splitlines(keepends=True))))
        for file in _real(whole.running, asked)
    )
    if lost:
        lines = f"{lost} line{'s' if lost > 1 else ''}"
        raise RailbedError(
            f"{asked.device}: {lines} of what it ran then had a secret in a form that its system "
            "does not take back, and that the plan does not name",
            hint="name it in the site, or bring these back by hand: `railbed backup --list`",
        )
    return Goal(replace(whole.running, files=files), Secrets({**secrets.values, **values}))


def _real(running: Rendered, asked: Rendered) -> Iterator[ConfigFile]:
    """The files that can be sent: no marks of a change that waits, or of what is not saved.

    What ran without a file gets one as the plan would lay it there.
    """
    planned = {file.path: file for file in asked.files}
    for file in running.files:
        like = planned.get(file.path)
        if file.mode != _ABSENT and (like or file.owner):
            yield file
        elif like:
            yield replace(file, owner=like.owner, group=like.group, mode=like.mode)


def _by_value(asked: Rendered, secrets: Secrets) -> dict[str, str]:
    """The planned lines that hold a secret, by what they are once it is put in."""
    pairs = zip(_lines(secrets.filled(asked)), _lines(asked), strict=True)
    return {filled: line for filled, line in pairs if filled != line}


def _lines(one: Rendered) -> list[str]:
    return [line for file in one.files for line in file.text.splitlines(keepends=True)]


def _as_shown(line: str, raw: list[str]) -> tuple[str, ...] | None:
    """What stood where secrets are hidden in a line; None unless that is one and the same."""
    shape = re.compile(r"(\S+)".join(map(re.escape, line.split(HELD))))
    found = {match.groups() for one in raw if (match := shape.fullmatch(one))}
    return next(iter(found)) if len(found) == 1 else None
