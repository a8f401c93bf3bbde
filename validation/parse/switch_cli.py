"""What the command line of EOS and NX-OS has in common: answers, ASNs, refusals.

FastCli and vsh may end with 0 after an error, so no answer is taken for its status alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .fields import Unreadable

_LARGEST_ASN = 2**32 - 1


class Said(NamedTuple):
    """What a device said to one line."""

    line: str
    status: int
    out: str
    errors: str = ""


class FeatureOff(Unreadable):
    """The switch says that what was asked of is switched off there: `what`, and how to mend it."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what} is switched off")
        self.what, self.hint = what, hint


def ended_well(said: Said) -> str:
    """What it printed. Raises Unreadable where its status says that it failed."""
    if said.status != 0:
        words = " ".join((said.errors or said.out).split())[:160] or "nothing"
        raise Unreadable(f"`{said.line}` ended with status {said.status} and said: {words}")
    return said.out


def asn(value: object, what: str) -> int:
    """An ASN, plain or as asdot (RFC 5396), as a number or as text. Raises Unreadable."""
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and _is_number(value):
        number = int(value)
    elif isinstance(value, str) and _is_dotted(value):
        high, low = value.split(".")
        number = int(high) * 65536 + int(low)
    else:
        raise Unreadable(f"{what}: {value!r} is no ASN")
    if not 0 <= number <= _LARGEST_ASN:
        raise Unreadable(f"{what}: {value!r} is no ASN")
    return number


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _is_dotted(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 2 and all(_is_number(one) and int(one) < 65536 for one in parts)


def count(fields: Mapping[str, object], key: str, what: str) -> int:
    """A number that must be there, as a number or as digits. Raises Unreadable."""
    value = fields.get(key)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and _is_number(value):
        return int(value)
    raise Unreadable(f"{what}: {key!r} is {value!r}, no number")
