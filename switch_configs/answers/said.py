"""What the command line of EOS and NX-OS has in common: answers, ASNs, refusals.

A line that is typed has no status of its own, so no answer is taken for its status alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole
from inventory.reading.numbers import count as _counts
from switch_configs.shown.said import why

_ASN = Whole("ASN", "1", 0, (1 << 32) - 1)
_HALF = Whole("half of an ASN", "1", 0, (1 << 16) - 1)
_COUNT = _counts("count")


class Said(NamedTuple):
    """What a device said to one line."""

    line: str
    status: int
    out: str
    errors: str = ""


class FeatureOff(Unreadable):
    """The switch says that what was asked of is switched off there: `what`, and how to mend it."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what} is switched off", hint)
        self.what = what


def ended_well(said: Said) -> str:
    """What it printed. Raises Unreadable where its status says that it failed."""
    if said.status != 0:
        words = why(said.errors, said.out, said.line)
        raise Unreadable(f"`{said.line}` ended with status {said.status} and said: {words}")
    return said.out


def asn(value: object, what: str) -> int:
    """An ASN, plain or as asdot (RFC 5396), as a number or as text. Raises Unreadable."""
    try:
        if not isinstance(value, str):
            return _ASN.of({"ASN": value}, "ASN", what)
        high, sign, low = value.partition(".")
        return (_HALF.read(high) << 16) + _HALF.read(low) if sign else _ASN.read(value)
    except Unreadable:
        raise Unreadable(f"{what}: {value!r} is no ASN") from None


def count(fields: Mapping[str, object], key: str, what: str, kind: Whole = _COUNT) -> int:
    """A number that must be there, as a number or as digits. Raises Unreadable."""
    value = fields.get(key)
    return kind.read(value) if isinstance(value, str) else kind.of(fields, key, what)
