"""Output of `ethtool -m` (SFF-8636 and CMIS modules, ethtool's qsfp.c, cmis.c, sff-common.c).

`NAME : VALUE` a line. Power is printed as `0.9240 mW / -0.34 dBm`, without light `-inf dBm`.
`Transmitter technology` begins with a number: 0xa0 and above are copper (SFF-8636 table 6-26,
CMIS table 8-40 says so in words). The module's own limits are its warning thresholds.

The list has no end of its own, so whoever asks adds one: `END`, printed once ethtool is done.
"""

from __future__ import annotations

import re

from . import date_code
from .fields import Unreadable
from .module_form import NO_LIGHT_DBM, Band, Lanes, Module

_LINE = re.compile(r"\s*(\S[^:]*?)\s*:\s+(.*?)\s*")
_DBM = re.compile(r"[\d.]+ mW / (-?[\d.]+|-inf) dBm")
_MILLIAMPS = re.compile(r"(-?[\d.]+) mA")
_DEGREES = re.compile(r"(-?[\d.]+) degrees C / .*")
_METRES = re.compile(r"([\d.]+)\s*(?:m|km)?")
_COPPER = re.compile(r"copper|0xa[0-9a-f]", re.IGNORECASE)
_LENGTHS = ("Cable assembly length", "Length (Copper or Active cable)")

END = "end-of-module"
Fields = dict[str, list[str]]


def line(port: str) -> str:
    """The command that prints a module for this reader."""
    return f"ethtool -m {port} && echo {END}"


def module(text: str) -> Module:
    """The module in a port. Unreadable where it does not name itself, or a figure is no figure."""
    found = _fields(text)
    technology = " ".join(found.get("Transmitter technology", []))
    length = _length(found)
    return Module(
        serial=_word(found, "Vendor SN"),
        part=_word(found, "Vendor PN"),
        vendor=_word(found, "Vendor name"),
        copper=bool(_COPPER.search(technology)),
        fixed=bool(length),
        length_m=length,
        temperature_c=_one(found, "Module temperature", _DEGREES),
        rx_dbm=_lanes(found, r"Rcvr signal avg optical power ?\(Channel \d+\)", _DBM),
        tx_dbm=_lanes(found, r"Transmit avg optical power \(Channel \d+\)", _DBM),
        bias_ma=_lanes(found, r"Laser tx bias current \(Channel \d+\)", _MILLIAMPS),
        temperature=_band(found, "Module temperature", _DEGREES),
        rx=_band(found, "Laser rx power", _DBM),
        tx=_band(found, "Laser output power", _DBM),
        bias=_band(found, "Laser bias current", _MILLIAMPS),
        made=date_code.plain(_once(found, "Date code")),
    )


def _fields(text: str) -> Fields:
    *lines, last = text.splitlines() or [""]
    if last != END:
        raise Unreadable(f"ethtool -m was cut short: {' '.join(text.split())[:120] or 'nothing'}")
    found: Fields = {}
    for row in lines:
        if one := _LINE.fullmatch(row):
            found.setdefault(one[1], []).append(one[2])
    if "Identifier" not in found:
        raise Unreadable("ethtool -m names no module")
    return found


def _word(found: Fields, name: str) -> str:
    said = found.get(name, [])
    if len(said) != 1 or not said[0]:
        raise Unreadable(f"ethtool -m does not say {name!r} once")
    return said[0]


def _once(found: Fields, name: str) -> str:
    """What may be left out or blank, but not told twice."""
    said = found.get(name, [""])
    if len(said) != 1:
        raise Unreadable(f"ethtool -m tells {name!r} twice")
    return said[0]


def _one(found: Fields, name: str, form: re.Pattern[str]) -> float | None:
    return _figure(_word(found, name), name, form) if name in found else None


def _figure(said: str, name: str, form: re.Pattern[str]) -> float:
    match = form.fullmatch(said)
    if match is None:
        raise Unreadable(f"ethtool -m: {name} is {said!r}")
    return NO_LIGHT_DBM if match[1] == "-inf" else float(match[1])


def _lanes(found: Fields, name: str, form: re.Pattern[str]) -> Lanes:
    mine = [(key, said) for key, said in found.items() if re.fullmatch(name, key)]
    if any(len(said) != 1 for _, said in mine):
        raise Unreadable("ethtool -m tells a lane twice")
    return tuple(_figure(said[0], key, form) for key, said in mine)


def _band(found: Fields, name: str, form: re.Pattern[str]) -> Band:
    low, high = (_one(found, f"{name} {end} warning threshold", form) for end in ("low", "high"))
    return Band(low, high)


def _length(found: Fields) -> float | None:
    """Of a cable with fixed ends; 0 of a module on a fibre of its own."""
    for name in _LENGTHS:
        if name in found and (match := _METRES.fullmatch(found[name][0])):
            return float(match[1]) or None
    return None
