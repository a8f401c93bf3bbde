"""Walks a configuration by its indentation: the enclosing block decides which commands are legal.

A line that is refused closes the way into its block: what lies below cannot be judged, and is
refused with it. Comments begin with `!`, at any depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from validation.grammar.commands import Grammar, Match


@dataclass(frozen=True)
class GrammarProblem:
    """A line that the system would refuse: its number (from 1), its text, and why."""

    line: int
    text: str
    why: str


@dataclass(frozen=True)
class Seen:
    """An accepted line, with the line numbers of the blocks around it, outermost first."""

    line: int
    text: str
    match: Match
    blocks: tuple[int, ...]

    @property
    def pattern(self) -> str:
        """The grammar's line that took it."""
        return self.match.command.pattern if self.match.command else ""

    @property
    def words(self) -> list[str]:
        """The words of the line."""
        return self.text.split()

    def refused(self, why: str) -> GrammarProblem:
        """The problem that this line has."""
        return GrammarProblem(self.line, self.text, why)


@dataclass(frozen=True)
class Block:
    """An open block: the context inside it (none if its line was refused), and that line."""

    context: str | None
    line: int


def form(raw: str, indent: int, depth: int) -> str:
    """What is wrong with the outer form of a line inside `depth` open blocks; empty if nothing."""
    spaces = len(raw) - len(raw.lstrip(" "))
    if raw != raw.rstrip() or "\t" in raw:
        return "white space that no running configuration has"
    if spaces % indent:
        return f"indented by {spaces}, not by a multiple of {indent}"
    if spaces // indent > depth:
        return "indented, but the line above opens no block"
    return ""


def read(raw: str, stack: list[Block], grammar: Grammar) -> Match:
    """Read a line in the innermost block of the stack."""
    context = stack[-1].context
    if context is None:
        return Match(None, why="stands in a block that was refused")
    return grammar.match(context, raw.strip())


def walk(grammar: Grammar, text: str) -> Iterator[Seen | GrammarProblem]:
    """Every line of a configuration but the comments: accepted, or refused with the reason."""
    stack = [Block("root", 0)]
    for number, raw in enumerate(text.split("\n"), 1):
        if not raw.strip() or raw.lstrip(" ").startswith("!"):
            continue
        if wrong := form(raw, grammar.indent, len(stack) - 1):
            yield GrammarProblem(number, raw.strip(), wrong)
            continue
        depth = (len(raw) - len(raw.lstrip(" "))) // grammar.indent
        del stack[depth + 1 :]
        found = read(raw, stack, grammar)
        if found.command is None:
            stack.append(Block(None, number))
            yield GrammarProblem(number, raw.strip(), found.why)
            continue
        yield Seen(number, raw.strip(), found, tuple(block.line for block in stack[1:]))
        if found.command.opens:
            stack.append(Block(found.command.opens, number))
