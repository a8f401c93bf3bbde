"""Every mutant of the lines of a text that are about the lossless class, token by token.

Of the systems whose configuration is lines, by indentation: nothing here knows what a line means.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

_TOKEN = re.compile(r"[^\s:'\"]+")
_NUMBER = re.compile(r"(\d+)(\.\d+)?")
_OTHER = [
    {"on", "off"}, {"enable", "disable"}, {"enabled", "disabled"}, {"strict", "dwrr"},
    {"drop", "no-drop", "forward", "errdisable"}, {"dscp", "cos", "port", "l3"},
    {"input", "output"}, {"bytes", "kbytes", "mbytes"}, {"min", "max"}, {"match-any", "match-all"},
    {"lossless", "lossy"}, {"mbps", "gbps", "kbps"}, {"timeout", "recovery-time"},
]  # fmt: skip
_Place = tuple[str, ...]


def mutants(text: str, about: str) -> Iterator[tuple[str, str]]:
    """By path and change: a block gone, or negated; a token gone, unknown, or another one."""
    lines = text.splitlines(keepends=True)
    paths = list(_paths(lines))
    chosen = [
        at
        for at, path in enumerate(paths)
        if re.search(about, " > ".join(path)) and not path[-1].startswith("!")
    ]
    seen = _tokens_by_place(lines, paths, chosen)
    for at in chosen:
        name, line = " > ".join(paths[at]), lines[at]
        end = at + 1
        while end < len(lines) and len(paths[end]) > len(paths[at]):
            end += 1
        yield f"{name}: gone", "".join(lines[:at] + lines[end:])
        for what, changed in _changed(line, paths[at], seen):
            yield f"{name}: {what}", "".join([*lines[:at], changed, *lines[at + 1 :]])


def _paths(lines: list[str]) -> Iterator[_Place]:
    """Each line with those that it stands under."""
    above: list[tuple[int, str]] = []
    for line in lines:
        depth = len(line) - len(line.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        above.append((depth, line.strip()))
        yield tuple(one for _, one in above)


def _places(line: str, path: _Place) -> Iterator[tuple[re.Match[str], _Place]]:
    """Each token with the words before it, and the line above."""
    before: list[str] = []
    for token in _TOKEN.finditer(line):
        yield token, (*path[-2:-1], *before)
        before.append(token[0])


def _tokens_by_place(
    lines: list[str], paths: list[_Place], chosen: list[int]
) -> dict[_Place, set[str]]:
    found: dict[_Place, set[str]] = defaultdict(set)
    for at in chosen:
        for token, place in _places(lines[at], paths[at]):
            found[place].add(token[0])
    return found


def _changed(line: str, path: _Place, seen: dict[_Place, set[str]]) -> Iterator[tuple[str, str]]:
    for token, place in _places(line, path):
        where = " ".join([*place[len(path[-2:-1]) :], token[0]])
        for other in sorted(_others(token[0]) | seen[place] - {token[0]}):
            yield f"{where} = {other}", line[: token.start()] + other + line[token.end() :]
    if not line.rstrip().endswith(":") and " no " not in f" {line}":
        yield "negated", re.sub(r"\S", lambda one: f"no {one[0]}", line, count=1)


def _others(token: str) -> set[str]:
    """Nothing, and numbers around it or other words; a word that nobody has."""
    number = _NUMBER.fullmatch(token)
    if number and number[2]:
        return {"", f"{float(token) * 10:g}", f"{float(token) / 10:g}", f"{float(token) + 0.1:g}"}
    if number:
        held = int(token)
        near = {held // 10, abs(held - 1), held + 1, held + 4, held * 10} - {held}
        return {"", *map(str, near)}
    others = {one for words in _OTHER if token in words for one in words}
    return {"", f"{token}x"} | others - {token}
