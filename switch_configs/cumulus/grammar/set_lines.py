"""The words of `nv set` lines, as the switch's shell hands them to NVUE.

A value of more than one word stands in quotes (CumulusNetworks/docs,
content/nvue-reference/Set-and-Unset-Commands/System-Configuration.md, `system message`), and
may run over several lines, as a banner does.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from switch_configs.grammar.tree import GrammarProblem

from .kinds import SECRET
from .tree import Command, masked

START = "nv set "
MAX_LINES = 60
QUOTED = re.compile(r"\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
OF_THE_SHELL = re.compile(r"[;&|`<>()]")
OTHER = re.compile(r"nv (unset|config|show|action)\b")


def words_of(line: str) -> tuple[str, ...]:
    """The words of a line. Raises ValueError where quotes do not close."""
    if "'" in line or '"' in line or "\\" in line:
        return tuple(shlex.split(line))
    return tuple(line.split())


def refusal(line: str) -> str:
    """Why a line is no `nv set` at all; empty when it is one."""
    if not line.startswith(START) or line == START:
        other = OTHER.match(line)
        what = f"`{other[0]}` sets nothing" if other else "this is no command of NVUE"
        return f"{what}: a line is `nv set ...`, a comment (#) or empty"
    outside = OF_THE_SHELL.search(QUOTED.sub("", SECRET.sub("", line)))
    return f"`{outside[0]}` is the shell's: the word that holds it needs quotes" if outside else ""


def is_open(text: str) -> bool:
    """Whether a quote is open at the end of a text."""
    return ("'" in text or '"' in text) and bool(re.search(r"['\"]", QUOTED.sub("", text)))


def whole_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line with its number; one with an open quote goes on to where it closes."""
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        line, first = lines[place].strip(), place
        while is_open(line) and not line.startswith("#") and place - first < MAX_LINES:
            place += 1
            if place == len(lines):
                break
            line = f"{line}\n{lines[place].rstrip()}"
        yield first + 1, line
        place += 1


def commands_of(text: str) -> tuple[list[Command], list[GrammarProblem]]:
    """The commands of a text, and the lines that are none; never raises."""
    commands, problems = [], []
    for number, line in whole_lines(text):
        if not line or line.startswith("#"):
            continue
        why = refusal(f"{line} ")
        try:
            words = words_of(line)
        except ValueError:
            words, why = (), "the quotes of this line do not close"
        if why:
            problems.append(GrammarProblem(number, shown(words, line), why))
        else:
            commands.append(Command(number, words[2:]))
    return commands, problems


def texts_of(text: str) -> dict[int, str]:
    """Each line as a message may say it, by its number."""
    return {number: safe(line) for number, line in whole_lines(text) if line.startswith(START)}


def safe(line: str) -> str:
    """A line with nothing in it that could be a secret."""
    try:
        return shown(words_of(line), line)
    except ValueError:
        return shown((), line)


def shown(words: tuple[str, ...], line: str) -> str:
    """A line as a message may say it: nothing that could be a secret is repeated."""
    if not words:
        return line.split(" ", 3)[0]
    return line if masked(words) == words else " ".join(masked(words))
