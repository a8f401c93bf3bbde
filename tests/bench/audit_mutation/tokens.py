"""One meaningful token of a text changed at a time: tokens are those of the text, by its form.

Nothing here knows what a line means. A token is a word of a command line, a key or value of
JSON or YAML, or an element of a list in one; what takes its place is the next number, the
opposite word, another address, a name misspelt, or what stands at the same place of a like line.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import ip_address

_OPPOSITE = {
    "on": "off", "enable": "disable", "enabled": "disabled", "true": "false", "yes": "no",
    "permit": "deny", "up": "down", "in": "out", "input": "output", "rx": "tx", "drop": "accept",
    "DROP": "FORWARD", "strict": "dwrr", "STRICT": "DWRR", "lossless": "lossy",
    "ingress": "egress", "dynamic": "static", "untagged": "tagged", "ecn_all": "ecn_none",
    "no-drop": "drop", "warning-only": "restart", "external": "internal", "ge": "le",
    "source": "destination", "forward": "drop", "shutdown": "no shutdown",
}  # fmt: skip
_OPPOSITE |= {new: old for old, new in _OPPOSITE.items() if " " not in new}
_TOKENS = {
    # Words between blanks; lists with commas, and what is in braces or quotes, are words too.
    "cli": re.compile(r"[^\s,;{}\"=]+"),
    "json": re.compile(r"(?<=\")[^\",:\[\]]+(?=[\",])|(?<=,)[^\",:\[\]]+(?=[\",])"),
    "yaml": re.compile(r"(?<=')[^']+(?=')|[^\s'{}]+(?=: |:$)|(?<=: )[^\s'{}][^\s']*"),
}
_COMMENT = re.compile(r"^\s*(!|#|$)")
_PROSE = re.compile(r"^\s*\"?(description|alias|Description)\b")
_KINDS = ("number", "address", "word", "name", "lost", "doubled", "swapped", "moved", "prose", "no")


@dataclass(frozen=True, slots=True)
class Text:
    """One file of one switch (or host) of a site."""

    site: str
    system: str
    device: str
    path: str
    text: str

    @property
    def form(self) -> str:
        """Which tokens it has."""
        ending = self.path.rpartition(".")[2]
        return "json" if ending == "json" else "yaml" if ending in {"yaml", "yml"} else "cli"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: what stood on `line` (from 1), and what stands there now.

    `other` is the other line of two that have exchanged a token, else 0.
    """

    of: Text
    kind: str
    line: int
    before: str
    after: str
    text: str
    other: int = 0

    def __str__(self) -> str:
        place = f"{self.of.system} {self.of.device}{self.of.path}:{self.line}"
        return f"{place} {self.kind}: {self.before.strip()!r} -> {self.after.strip()!r}"


@cache
def kinds_of_lines(text: Text) -> Mapping[str, tuple[int, ...]]:
    """Line numbers (from 0) by what they look like: words without numbers, below which others."""
    found: dict[str, list[int]] = defaultdict(list)
    above: list[tuple[int, str]] = []
    for at, line in enumerate(text.text.splitlines()):
        deep = len(line) - len(line.lstrip())
        if line.strip():
            above = [one for one in above if one[0] < deep]
            found[" / ".join([*(kind for _, kind in above[-2:]), _kind(line)])].append(at)
            above.append((deep, _kind(line)))
    return {kind: tuple(numbers) for kind, numbers in found.items()}


def _kind(line: str) -> str:
    if _COMMENT.match(line):
        return "comment"
    words = re.sub(r"\d[\d./:]*", "0", line.strip())
    if _PROSE.match(line):
        return words.split()[0]
    return re.sub(r"\S*0\S*", "0", re.sub(r"(0[ ,])+", "0 ", words))[:60]


def mutants(texts: list[Text], count: int, rng: random.Random) -> Iterator[Mutant]:
    """So many of these texts, no two alike; each kind of line has its turn."""
    lines = [(text, numbers) for text in texts for numbers in kinds_of_lines(text).values()]
    alike: dict[str, list[tuple[Text, int]]] = defaultdict(list)
    for text in texts:
        for kind, numbers in kinds_of_lines(text).items():
            alike[f"{text.path} {kind}"] += [(text, at) for at in numbers]
    assert lines
    turns, seen, dry = sorted(alike), set[tuple[Text, str]](), 0
    while count and dry < 50:
        rng.shuffle(turns)
        dry += 1
        for turn in turns:
            text, at = rng.choice(alike[turn])
            made = mutant(text, at, rng)
            if made and count and (text, made.text) not in seen:
                seen.add((text, made.text))
                count, dry = count - 1, 0
                yield made


def mutant(text: Text, at: int, rng: random.Random) -> Mutant | None:
    """A change of this line; None where the kind of change that was drawn finds nothing there."""
    lines = text.text.splitlines()
    weights = (30, 20, 14, 22, 18, 6, 10, 6, 0, 8)
    old, kind = lines[at], rng.choices(_KINDS, weights)[0]
    if _COMMENT.match(old) or _PROSE.match(old):
        kind = rng.choice(("prose", "lost", "swapped", "doubled"))
    new = [*lines]
    if kind in {"number", "address", "word", "name"}:
        changed = _changed(text, at, kind, rng)
        if changed is None:
            return None
        new[at] = changed
    elif kind == "prose":
        new[at] = f"{old[:-1]}x{old[-1]}" if len(old.strip()) > 3 else old
    elif kind == "no":
        if text.form != "cli" or ("/etc/" in text.path and "frr.conf" not in text.path):
            return None
        bare = old.lstrip()
        deep = old[: len(old) - len(bare)]
        new[at] = deep + (bare[3:] if bare.startswith("no ") else f"no {bare}")
    else:
        return _of_lines(text, at, kind, rng)
    if new[at] == old:
        return None
    return _made(text, kind, at, old, new[at], new)


def _made(text: Text, kind: str, at: int, old: str, after: str, new: list[str]) -> Mutant:
    return Mutant(text, kind, at + 1, old, after, "\n".join(new) + "\n")


def _of_lines(text: Text, at: int, kind: str, rng: random.Random) -> Mutant | None:
    """A line lost, doubled, before the next one, or with a token that a like line has."""
    lines = text.text.splitlines()
    old, new = lines[at], [*lines]
    if kind == "lost":
        del new[at]
        last = at and text.form == "json" and not old.endswith(",") and new[at - 1].endswith(",")
        if last:
            new[at - 1] = new[at - 1][:-1]
        return _made(text, kind, at, old, "", new)
    if kind == "doubled":
        if text.form == "json" and not old.endswith(","):
            return None
        return _made(text, kind, at, old, f"{old} | {old}", [*new[:at], old, *new[at:]])
    if kind == "moved":
        deep = len(old) - len(old.lstrip())
        after = at + 1
        if after == len(lines) or len(lines[after]) - len(lines[after].lstrip()) != deep:
            return None
        if lines[after] == old or (text.form == "json" and not lines[after].endswith(",")):
            return None
        if text.form != "cli" and (old.endswith((":", "{")) or lines[after].endswith((":", "{"))):
            return None
        new[at], new[after] = new[after], new[at]
        return _made(text, kind, at, f"{old} | {lines[after]}", f"{new[at]} | {new[after]}", new)
    like = [n for n in _like(text, at) if n != at]
    if not like:
        return None
    other = rng.choice(like)
    mine, theirs = _last(text.form, old), _last(text.form, lines[other])
    if mine is None or theirs is None or mine[0] == theirs[0]:
        return None
    new[at] = old[: mine.start()] + theirs[0] + old[mine.end() :]
    new[other] = lines[other][: theirs.start()] + mine[0] + lines[other][theirs.end() :]
    both = f"{old} | {lines[other]}", f"{new[at]} | {new[other]}"
    return replace(_made(text, kind, at, *both, new), other=other + 1)


def _like(text: Text, at: int) -> tuple[int, ...]:
    return next((found for found in kinds_of_lines(text).values() if at in found), ())


def _last(form: str, line: str) -> re.Match[str] | None:
    return next(reversed([*_TOKENS[form].finditer(line)]), None)


def _changed(text: Text, at: int, kind: str, rng: random.Random) -> str | None:
    """The line with one token of this kind changed."""
    line = text.text.splitlines()[at]
    tokens = [one for one in _TOKENS[text.form].finditer(line) if _kind_of(one[0]) == kind]
    # The first word of a command names it: a misspelt command is a line lost.
    if kind == "name":
        tokens = [one for one in tokens if _is_name(line, one, text.form)]
    if not tokens:
        return None
    one = rng.choice(tokens)
    new = _other(text, at, one, kind, rng)
    return None if new == one[0] else line[: one.start()] + new + line[one.end() :]


def _kind_of(token: str) -> str:
    if token in _OPPOSITE:
        return "word"
    if re.fullmatch(r"0x[0-9a-f]+(/0x[0-9a-f]+)?|\d+(\.\d+)?", token):
        return "number"
    if re.fullmatch(r"\d+(\.\d+){3}(/\d+)?", token):
        return "address"
    return "name"


def _is_name(line: str, token: re.Match[str], form: str) -> bool:
    if form == "yaml":
        return not re.fullmatch(r"[a-z]+", token[0])
    if form == "json":
        return bool(re.search(r"[\d_A-Z-]", token[0])) or line[token.end() :].startswith('",')
    return token.start() > len(line) - len(line.lstrip()) and bool(
        re.search(r"[\d_-]|^[A-Z]", token[0]) or token.end() == len(line.rstrip())
    )


def _other(text: Text, at: int, one: re.Match[str], kind: str, rng: random.Random) -> str:
    token = one[0]
    if kind == "word":
        return _OPPOSITE[token]
    beside = _beside(text, at, one, kind) - {token}
    if beside and rng.random() < (0.5 if kind == "name" else 0.3):
        return rng.choice(sorted(beside))
    if kind == "number":
        return _number(token, rng)
    if kind == "address":
        return _address(token, rng)
    return token[:-1] + ("y" if token[-1] == "x" else "x")


def _beside(text: Text, at: int, one: re.Match[str], kind: str) -> set[str]:
    """Tokens of this kind at this place of lines that look alike."""
    lines = text.text.splitlines()
    place = [found.start() for found in _TOKENS[text.form].finditer(lines[at])].index(one.start())
    found = set()
    for number in _like(text, at)[:80]:
        tokens = _TOKENS[text.form].findall(lines[number])
        if len(tokens) > place and _kind_of(tokens[place]) == kind:
            found.add(tokens[place])
    return found


def _number(token: str, rng: random.Random) -> str:
    if token.startswith("0x"):
        return (
            token.replace("0x", "0x1", 1)
            if len(token) < 4
            else f"0x{int(token[2:4], 16) ^ 4:x}{token[4:]}"
        )
    if "." in token:
        return rng.choice((str(round(float(token) * 2, 3)), str(round(float(token) / 4, 3))))
    value = int(token)
    return str(rng.choice((value + 1, max(value - 1, 0) if value else 2, value * 2 + 1)))


def _address(token: str, rng: random.Random) -> str:
    host, _, bits = token.partition("/")
    if bits and rng.random() < 0.4:
        return f"{host}/{int(bits) - 1 if int(bits) else 8}"
    step = (
        rng.choice((1, 2, 256, 65536)) if not bits else rng.choice((1, 1 << (32 - int(bits)), 256))
    )
    return f"{ip_address((int(ip_address(host)) + step) % 2**32)}" + (f"/{bits}" if bits else "")
