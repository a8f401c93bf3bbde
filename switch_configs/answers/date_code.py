"""The day on which a module was made, and its lot, in one form: `YYMMDD`, then the lot if told.

Modules hold eight characters: two digits each of year (from 2000), month and day, and two for the
maker's lot, which may be blank (SFF-8636 page 00h, bytes 212 to 219; CMIS page 00h, bytes 182 to
189; SFF-8472 A0h, bytes 84 to 91). Makers write other things there, too: what is no day was not
told, which is never an error of the module.
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole

_MONTH = Whole("month", "1", 1, 12)
_DAY = Whole("day", "1", 1, 31)
NOT_TOLD = ""
# ethtool prints eight characters as they are, without blanks at the end, `_` for what has no print.
_PLAIN = re.compile(r"(\d\d)(\d\d)(\d\d)(.*)")
# sonic-platform-common, xcvr_field.py (DateField) and sffbase.py: `20YY-MM-DD LOT`.
_DASHED = re.compile(r"20(\d\d)-(\d\d)-(\d\d)(?: (.*))?")
# mstflint, mlxlink_amBER_collector.cpp (getDateCode): the four pairs backwards, without blank ones.
_BACKWARDS = re.compile(r"(?:(..?)_)?(\d\d)_(\d\d)_(\d\d)")
_LOT = re.compile(r"[!-~]{0,2}")


def plain(said: str) -> str:
    """What ethtool calls `Date code`: `240510A1`."""
    match = _PLAIN.fullmatch(said.strip())
    return _made(*match.groups()) if match else NOT_TOLD


def dashed(said: str) -> str:
    """What SONiC calls `vendor_date`: `2024-05-10 A1`."""
    match = _DASHED.fullmatch(said.strip())
    return _made(match[1], match[2], match[3], match[4] or "") if match else NOT_TOLD


def backwards(said: str) -> str:
    """What mlxlink calls `Manufacturing Date`: `A1_10_05_24`, or `10_05_24` without a lot."""
    match = _BACKWARDS.fullmatch(said.strip())
    return _made(match[4], match[3], match[2], match[1] or "") if match else NOT_TOLD


def _made(year: str, month: str, day: str, lot: str) -> str:
    piece = lot.strip(" _")
    try:
        _MONTH.read(month), _DAY.read(day)
    except Unreadable:
        return NOT_TOLD
    return f"{year}{month}{day}{piece}" if _LOT.fullmatch(piece) else NOT_TOLD
