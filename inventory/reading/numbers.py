"""One strict reader of numbers: a field says what it can be, and nothing else is a number.

A parser declares each of its numeric fields once, by name, at the top of its module, and reads it
through that declaration alone (a test refuses whatever else makes a number, here and in every room
that reads devices, and a declaration that no hostile text reaches):

    _POWER = Real("optical power", "dBm", -60, 20, words={"-inf": NO_LIGHT_DBM})
    _STRATUM = Whole("stratum", "1", 1, 15)

`nan`, an overflow, an empty or cut field, a comma for a point, other digits than ASCII and whatever
lies outside the range are Unreadable: nothing may follow from them. The range is what the thing can
physically or formally be, not what is healthy: a limit of health belongs to a check, which must
still see a sick value to fail it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from .fields import Unreadable, needed

_REAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WHOLE = {
    8: re.compile(r"[+-]?[0-7]+"),
    10: re.compile(r"[+-]?[0-9]+"),
    16: re.compile(r"[+-]?(?:0[xX])?[0-9a-fA-F]+"),
}
_LONGEST = 40  # digits: no field of a tool has more, and int() of many is slow
COUNTER_MOST = (1 << 64) - 1  # what a 64-bit counter can hold


@dataclass(frozen=True, slots=True)
class Real:
    """A field with a decimal point or an exponent. `unit` is that of what `read` returns.

    `words` stand for a value of their own (`-inf`: no light), `untold` for none (`N/A`).
    """

    name: str
    unit: str
    least: float
    most: float
    words: Mapping[str, float] = field(default_factory=dict)
    untold: frozenset[str] = frozenset()

    def read(self, said: str) -> float:
        """The number that a tool printed. Raises Unreadable."""
        word = said.strip()
        if word in self.words:
            return self.words[word]
        if len(word) > _LONGEST or not _REAL.fullmatch(word):
            raise Unreadable(f"{self.name} is {_shown(said)}, not a number")
        value = float(word)
        _inside(self, value, said)
        return value

    def maybe(self, said: str) -> float | None:
        """The same; None where a word says that it is not told."""
        return None if said.strip() in self.untold else self.read(said)

    def of(self, fields: Mapping[str, object], key: str, what: str) -> float:
        """A JSON number that must be there. Raises Unreadable."""
        value = needed(dict(fields), key, what)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Unreadable(f"{what}: {key!r} is {_shown(value)}, not a number")
        real = _finite(self, value)
        _inside(self, real, value)
        return real


@dataclass(frozen=True, slots=True)
class Whole:
    """A field without a fraction, written in `base` 8, 10 or 16; `words`, `untold` as `Real`."""

    name: str
    unit: str
    least: int
    most: int
    base: int = 10
    words: Mapping[str, int] = field(default_factory=dict)
    untold: frozenset[str] = frozenset()

    def read(self, said: str) -> int:
        """The number that a tool printed. Raises Unreadable."""
        word = said.strip()
        if word in self.words:
            return self.words[word]
        if len(word) > _LONGEST or not _WHOLE[self.base].fullmatch(word):
            raise Unreadable(f"{self.name} is {_shown(said)}, not a whole number")
        value = int(word, self.base)
        _inside(self, value, said)
        return value

    def maybe(self, said: str) -> int | None:
        """The same; None where a word says that it is not told."""
        return None if said.strip() in self.untold else self.read(said)

    def of(self, fields: Mapping[str, object], key: str, what: str) -> int:
        """A JSON integer that must be there. Raises Unreadable."""
        value = needed(dict(fields), key, what)
        if isinstance(value, bool) or not isinstance(value, int):
            raise Unreadable(f"{what}: {key!r} is {_shown(value)}, not an integer")
        _inside(self, value, value)
        return value


def count(name: str, unit: str = "1") -> Whole:
    """A field that counts events or bytes up to what 64 bits hold."""
    return Whole(name, unit, 0, COUNTER_MOST)


def _inside(kind: Real | Whole, value: float, said: object) -> None:
    if not kind.least <= value <= kind.most:  # nan compares false
        raise Unreadable(
            f"{kind.name} is {_shown(said)}: it lies between {kind.least:g} and {kind.most:g}"
            f" {kind.unit}"
        )


def _finite(kind: Real, value: float) -> float:
    try:
        real = float(value)
    except OverflowError:
        real = float("inf")
    if not isfinite(real):
        raise Unreadable(f"{kind.name} is no finite number")
    return real


def _shown(said: object) -> str:
    return repr(said)[:60]
