"""Mutants of configurations, by their words alone: nothing here knows a grammar.

In the configurations of these tests every name has an upper-case letter, so a word of lower-case
letters is a keyword (or a name that the system brings).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from switch_configs.grammar import GrammarProblem, problems

FOLDER = Path(problems.__code__.co_filename).parents[1]

KEYWORD = re.compile(r"[a-z][a-z0-9+-]*")
NUMBER = re.compile(r"\d+(\.\d+)?")
ADDRESS = re.compile(r"(\d{1,3}\.){3}\d{1,3}(/\d{1,2})?")
# What follows is anybody's text.
FREE = re.compile(r"description|remark|regexp|expanded|snmp-server (contact|location)")


@dataclass(frozen=True)
class Mutant:
    """One word of one line changed or dropped."""

    kind: str
    before: str
    after: str
    text: str


def kind_of(word: str, before: str) -> str:
    """Keyword, number, address, or a name; what `context` names is one, whatever its letters."""
    if before == "context":
        return "name"
    forms = (("keyword", KEYWORD), ("number", NUMBER), ("address", ADDRESS))
    return next((kind for kind, form in forms if form.fullmatch(word)), "name")


CHANGED: dict[str, Callable[[str], str]] = {
    "keyword": lambda word: f"{word}x",
    "number": lambda _: "99999999999",
    "address": lambda word: word.replace(word.split(".")[0], "300", 1),
    "name": lambda word: f"{word}-GONE",
}


def mutants(text: str) -> Iterator[Mutant]:
    """Each word of each line changed, and each word dropped, one at a time."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        words = line.split()
        if not words or words[0].startswith("!"):
            continue
        end = len(words)
        if FREE.search(line):
            ends = enumerate(words, 1)
            end = next(i for i, word in ends if re.match("desc|rem|reg|exp|cont|loc", word))
        for index in range(end):
            kind = kind_of(words[index], words[index - 1] if index else "")
            for name, new in (
                (f"{kind} changed", [CHANGED[kind](words[index])]),
                (f"{kind} dropped", []),
            ):
                after = " ".join([*words[:index], *new, *words[index + 1 :]])
                indent = line[: len(line) - len(line.lstrip())]
                mutated = [*lines[:number], indent + after, *lines[number + 1 :]]
                yield Mutant(name, line.strip(), after, "\n".join(mutated))


def survivors(dialect: str, text: str) -> dict[str, tuple[int, list[str]]]:
    """By kind of mutant: how many there are, and those that the grammar takes."""
    found: dict[str, tuple[int, list[str]]] = {}
    for mutant in mutants(text):
        count, taken = found.get(mutant.kind, (0, []))
        if not problems(dialect, mutant.text):
            taken.append(f"{mutant.before} -> {mutant.after}")
        found[mutant.kind] = (count + 1, taken)
    return found


def in_block(*lines: str, indent: int) -> str:
    """Lines, each one level below the one before."""
    return "".join(f"{' ' * indent * depth}{line}\n" for depth, line in enumerate(lines))


def whys(found: tuple[GrammarProblem, ...]) -> list[tuple[int, str]]:
    """The line and the reason of each problem."""
    return [(one.line, one.why) for one in found]


def commands_of(dialect: str) -> set[str]:
    """The pattern of every command in a grammar's text."""
    lines = (
        (FOLDER / dialect / "grammar" / f"{dialect}.grammar")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    commands = [line for line in lines if line and line[0] not in "#=" and not is_head(line)]
    return {re.split(r"\s+(?:->|needs)\s", line)[0].strip() for line in commands}


def is_head(line: str) -> bool:
    """Whether a line of a grammar begins a context."""
    return re.fullmatch(r"\[[\w-]+( <( [\w-]+)+)?\]", line) is not None
