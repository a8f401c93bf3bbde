"""startup.yaml line by line, where every line is as `nv config show` writes it.

A YAML reader for the plainest of files, some ten times as fast as a whole one: comments on top,
`- header:`, `- set:`, then keys with a text, with `{}` or with deeper keys. At the first line
that is anything else it gives up, and `nvue_yaml` reads the whole text and says what is wrong.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .tree import Command

_LINE = re.compile(
    r"( *)"
    r"(?:'([^'\\]+)'|([A-Za-z0-9_/](?:[\w./+@-]|:(?=\S))*)):"
    r"(?: (?:(\{\})|'((?:[^']|'')*)'|([\w/](?:[\w./+@-]|[ :](?=[\w./+@]))*)"
    r"|\[([a-z0-9]+(?:, [a-z0-9]+)*)\]))?",
    re.ASCII,
)
_HEADER = re.compile(r"    (nvue-api-version|rev-id|version|model): ([A-Za-z0-9][A-Za-z0-9._ -]*)")
# The only leaf of the grammar that NVIDIA's OpenAPI document (5.15, 5.16) has as a list.
LISTS = {("system", "aaa", "authentication", "order")}
_PRINTED = re.compile(r"[\n -~]*")
_NULLS = {"null", "Null", "NULL"}
# YAML takes a key of at most 1024 characters.
_LONGEST = 1000
_DEEPEST = 30
# What stands below `- set:`.
_BASE = 4


def commands_of(text: str) -> tuple[list[Command], str] | None:
    """The commands of a text and its header's version; None where it is not that plain."""
    lines = text.split("\n")
    if lines.pop() != "" or not _PRINTED.fullmatch(text):
        return None
    start, version = _top(lines)
    if start is None:
        return None
    found = _tree(lines, start)
    return None if found is None else (found, version)


def _top(lines: list[str]) -> tuple[int | None, str]:
    """Where the tree begins, and the header's version; None where the top is another."""
    at, version = 0, ""
    seen: set[str] = set()
    while at < len(lines) and lines[at].startswith("# "):
        at += 1
    if lines[at : at + 1] != ["- header:"]:
        return None, ""
    for number in range(at + 1, len(lines)):
        if lines[number] == "- set:":
            return (number + 1 if seen else None), version
        match = _HEADER.fullmatch(lines[number])
        if not match or match[1] in seen or match[2].endswith(" "):
            return None, ""
        seen.add(match[1])
        version = match[2] if match[1] == "version" else version
    return None, ""


# Ports say the same lines over and over.
@lru_cache(maxsize=1 << 16)
def _said(line: str) -> tuple[int, str, str | None, str] | None:
    """A line's indent, key, text, and what brackets stand there; None where it is another."""
    match = _LINE.fullmatch(line)
    if match is None or len(line) > _LONGEST:
        return None
    spaces, quoted_key, plain_key, empty, quoted, plain, several = match.groups()
    if plain in _NULLS or plain_key in _NULLS:
        return None
    value = plain if quoted is None else quoted.replace("''", "'")
    if several:
        words = several.split(", ")
        return (
            None
            if _NULLS & {*words}
            else (len(spaces), quoted_key or plain_key, ",".join(words), "[]")
        )
    return len(spaces), quoted_key or plain_key, value, empty or ""


def _tree(lines: list[str], start: int) -> list[Command] | None:
    out: list[Command] = []
    # Of each open object: its indent, its path, its keys so far.
    stack: list[tuple[int, tuple[str, ...], set[str]]] = [(_BASE, (), set())]
    is_open = True  # whether the line before opened an object that has no keys yet
    for number, line in enumerate(lines[start:], start + 1):
        said = _said(line)
        if said is None:
            return None
        indent, key, value, brackets = said
        if is_open and stack[-1][0] < 0:
            if indent <= stack[-2][0]:
                return None
            stack[-1] = (indent, stack[-1][1], stack[-1][2])
        while indent < stack[-1][0] and not is_open:
            stack.pop()
            if not stack:
                return None
        at, path, keys = stack[-1]
        if indent != at or key in keys:
            return None
        keys.add(key)
        words = (*path, key)
        is_open = False
        if brackets == "[]" and words not in LISTS:
            return None
        if brackets == "{}":
            out.append(Command(number, words, leaf=False))
        elif value is not None:
            out.append(Command(number, (*words, value), leaf=True))
        else:
            stack.append((-1, words, set()))
            is_open = True
            if len(stack) > _DEEPEST:
                return None
    return None if is_open or not out else out
