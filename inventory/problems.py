"""Problems of an inventory: data with a place, never a traceback, all of them at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from unicodedata import name as unicode_name

_MOST_HINTS = 10
_MOST_KINDS = 3
# No name has a longer number, and Python refuses to read one of 4,300 digits.
_NUMBER = re.compile(r"[0-9]{1,18}")
_LOGIN = re.compile(r"(?<=://)\S*@")
# Of a text as repr() prints it: up to its last quote.
_QUERY = re.compile(r"(?<=://)([^\s?]*\?).*(?=.$)")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong in one place of a file: what was found and what was expected.

    `line` and `column` count from 1; `path` names the value (`topology.pods`) and may be
    empty where the file itself is the problem.
    """

    file: str
    line: int
    column: int
    path: str
    found: str
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}"
        what = f"found {self.found}, expected {self.expected}"
        named = f"{where} {self.path}: {what}" if self.path else f"{where}: {what}"
        return f"{named}; {self.hint}" if self.hint else named


class ExpectedError(Exception):
    """An error that people are told as a sentence, never as a traceback.

    `message` is the sentence, `hint` what to do next; it may be empty. A command that ends with
    it exits with `exit_code`.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def told(self) -> str:
        """The sentence, and below it the hint where there is one."""
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class InventoryError(ExpectedError):
    """An inventory that cannot be used; `problems` holds all of them, sorted by place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def shown(value: object) -> str:
    """Return a value as an error may print it: one line, never long, no URL's login or query."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if isinstance(value, str):
        text = _QUERY.sub(r"\1(not shown)", _LOGIN.sub("(not shown)@", repr(value)))
    return text if len(text) <= 60 else f"{text[:57]}..."


def foreign_character(word: str) -> str:
    """Return a hint at the first character beyond ASCII, which eyes may take for another."""
    for at, one in enumerate(word, start=1):
        if not one.isascii():
            return f"character {at} is U+{ord(one):04X} {unicode_name(one, 'without a name')}"
    return ""


def close_to(word: str, known: Iterable[str]) -> str:
    """Return the hint "did you mean ...?" for a mistyped name, or "" where nothing is close.

    A letter of another script looks like ours, so that is said instead where there is one.
    """
    if foreign := foreign_character(word):
        return foreign
    names, mine, kinds = sorted(known), _numbers(word), dict[str, list[str]]()
    for name in names:
        kinds.setdefault(_letters(name) if mine else name.casefold(), []).append(name)
    letters = _letters(word) if mine else word.casefold()
    near = [letters] if letters in kinds else get_close_matches(letters, kinds, n=_MOST_KINDS)
    guesses = (_of_its_kind(mine, kinds[kind]) for kind in near)
    return next(filter(None, guesses), "") or _of_these_numbers(word, mine, names)


def _of_these_numbers(word: str, mine: tuple[int, ...], names: list[str]) -> str:
    near = get_close_matches(word, [name for name in names if _numbers(name) == mine], n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def _of_its_kind(mine: tuple[int, ...], alike: list[str]) -> str:
    """A name is guessed by its letters, never by another number: that is another device.

    `node-p1-1` is `node-p1-01`; of `node-p1-99` the hint says from where to where they go.
    """
    numbers = {name: _numbers(name) for name in alike}
    same = [name for name, one in numbers.items() if not (mine and one) or one == mine]
    if same:
        return f"did you mean {same[0]!r}?"
    for at in reversed(range(len(mine))):
        rest = mine[:at] + mine[at + 1 :]
        own = {one[at]: name for name, one in numbers.items() if _without(one, at) == rest}
        if own and max(own) - min(own) + 1 == len(own):
            first, last = own[min(own)], own[max(own)]
            return f"there are {first!r} to {last!r}" if len(own) > 1 else f"there is {first!r}"
    return ""


def _without(numbers: tuple[int, ...], at: int) -> tuple[int, ...] | None:
    return numbers[:at] + numbers[at + 1 :] if at < len(numbers) else None


def _letters(name: str) -> str:
    return _NUMBER.sub("#", name.casefold())


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(map(int, _NUMBER.findall(name)))


def few_hints() -> Callable[[str, Iterable[str]], str]:
    """`close_to` for lists: a guess costs a comparison with every name, so only ten are made."""
    left = iter(range(_MOST_HINTS))

    def hint(word: str, known: Iterable[str]) -> str:
        may_guess = word.isascii() and next(left, None) is not None
        return close_to(word, known) if may_guess else foreign_character(word)

    return hint


def one_of(words: Iterable[str]) -> str:
    """Return a choice in words: `a`, `b` or `c`."""
    names: Sequence[str] = [f"`{word}`" for word in words]
    if len(names) < 2:
        return "".join(names) or "nothing"
    return f"{', '.join(names[:-1])} or {names[-1]}"
