"""Output of `ethtool -m` (SFP, QSFP and CMIS modules: ethtool's sfpdiag.c, qsfp.c, cmis.c).

`NAME : VALUE` a line. Power is printed as `0.9240 mW / -0.34 dBm`, without light `-inf dBm`, and
temperature as `51.20 degrees C / 124.16 degrees F`: both halves are of one register, so they must
agree. Lanes are `(Channel N)`; a module with one lane has no such word (sfpdiag.c).
`Transmitter technology` begins with a number: 0xa0 and above are copper (SFF-8636 table 6-26,
CMIS table 8-40 says so in words). The module's own limits are its warning thresholds, of which
sff_show_thresholds (sff-common.c) prints all or none.

The list has no end of its own, so whoever asks adds one: `END`, printed once ethtool is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, log10

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import Real
from switch_configs.answers import date_code
from switch_configs.answers.media_lanes import media
from switch_configs.answers.module_form import (
    BIAS,
    LANE,
    LENGTH,
    NO_LIGHT_DBM,
    POWER,
    TEMPERATURE,
    Band,
    Module,
    all_or_none,
    band,
    whole_lanes,
)

_LINE = re.compile(r"\s*(\S[^:]*?)\s*:\s+(.*?)\s*")
_COPPER = re.compile(r"copper|0xa[0-9a-f]", re.IGNORECASE)
_LENGTHS = ("Cable assembly length", "Length (Copper or Active cable)", "Length (Copper)")
# Lanes by SFF-8024, table 4-1; of CMIS those of the form, or of the whole map (cmis.c).
_FORM = {
    "0x03": (1,), "0x0c": (4,), "0x0d": (4,), "0x11": (4,), "0x18": (8, 16), "0x19": (8, 16),
    "0x1a": (2, 8), "0x1b": (2, 8), "0x1e": (4, 8), "0x1f": (2, 8), "0x20": (1, 8),
}  # fmt: skip
_RX = "Rcvr signal avg optical power|Receiver [Ss]ignal (?:average optical power|OMA)"
_TX = "Transmit avg optical power|Laser output power"
_BIAS = "Laser tx bias current|Laser bias current"
_MILLIWATTS = Real("optical power", "mW", 0, 100)
_FAHRENHEIT = Real("module temperature", "F", -80, 270)
_STEP_MW, _STEP_DBM, _STEP_F = 0.00006, 0.011, 0.03  # half of what is printed, and a little

END = "end-of-module"
Fields = dict[str, list[str]]
Form = Callable[[str], float]


def line(port: str) -> str:
    """The command that prints a module for this reader."""
    return f"ethtool -m {port} && echo {END}"


def module(text: str) -> Module:
    """The module in a port. Raises Unreadable.

    So it is where it does not name itself, a figure is no figure, or a lane or a limit is lost.
    """
    found = _fields(text)
    kind = " ".join(found.get("Transmitter technology", []) + found.get("Connector", []))
    names = [*found.get("Transceiver type", []), _word(found, "Vendor PN")]
    said = media(_word(found, "Identifier"), names)
    rx, tx, bias = whole_lanes(
        _lanes(found, _RX, _dbm),
        _lanes(found, _TX, _dbm),
        _lanes(found, _BIAS, _milliamps),
        said.lanes if said else 1,
    )
    warm, rx_band, tx_band, bias_band = _bands(found)
    return Module(
        serial=_word(found, "Vendor SN"),
        part=_word(found, "Vendor PN"),
        vendor=_word(found, "Vendor name"),
        copper=bool(_COPPER.search(kind)),
        fixed=_has_length(found),
        temperature_c=_temperature(found),
        rx_dbm=rx,
        tx_dbm=tx,
        bias_ma=bias,
        temperature=warm,
        rx=rx_band,
        tx=tx_band,
        bias=bias_band,
        made=date_code.plain(_once(found, "Date code")),
        media=said,
    )


def _fields(text: str) -> Fields:
    *lines, last = full_lines(text, "ethtool -m") or [""]
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


def _temperature(found: Fields) -> float | None:
    """It is printed with the voltage or not at all (qsfp.c, cmis.c, sfpdiag.c)."""
    if "Module temperature" in found or "Module voltage" in found:
        return _degrees(_word(found, "Module temperature"))
    return None


def _halves(said: str, first: str, second: str) -> tuple[str, str]:
    """`A FIRST / B SECOND`."""
    one, sign, other = said.partition(" / ")
    if not (sign and one.endswith(f" {first}") and other.endswith(f" {second}")):
        raise Unreadable(f"ethtool -m: {said!r} is not in {first} and {second}")
    return one.removesuffix(first), other.removesuffix(second)


def _dbm(said: str) -> float:
    one, other = _halves(said, "mW", "dBm")
    milliwatts, power = _MILLIWATTS.read(one), POWER.read(other)
    low, high = (_decibels(milliwatts + step) for step in (-_STEP_MW, _STEP_MW))
    if not low - _STEP_DBM <= power <= max(high, NO_LIGHT_DBM) + _STEP_DBM:
        raise Unreadable(f"ethtool -m: {said!r} contradicts itself")
    return power


def _decibels(milliwatts: float) -> float:
    return 10 * log10(milliwatts) if milliwatts > 0 else -inf


def _degrees(said: str) -> float:
    one, other = _halves(said, "degrees C", "degrees F")
    celsius, fahrenheit = TEMPERATURE.read(one), _FAHRENHEIT.read(other)
    if abs(celsius * 1.8 + 32 - fahrenheit) > _STEP_F:
        raise Unreadable(f"ethtool -m: {said!r} contradicts itself")
    return celsius


def _milliamps(said: str) -> float:
    if not said.endswith(" mA"):
        raise Unreadable(f"ethtool -m: {said!r} is not in mA")
    return BIAS.read(said.removesuffix("mA"))


def _lanes(found: Fields, name: str, form: Form) -> dict[int, float]:
    """A figure by the number of its lane; as many as a module of its form has."""
    made: dict[int, float] = {}
    for key in found:
        if match := re.fullmatch(rf"(?:{name})(?: ?\(Channel (\d+)\))?", key):
            lane = LANE.read(match[1]) if match[1] else 1
            if lane in made:
                raise Unreadable("ethtool -m tells a lane twice")
            made[lane] = form(_word(found, key))
    form_of = _word(found, "Identifier").split()[0]
    if made and len(made) not in _FORM.get(form_of, (len(made),)):
        raise Unreadable(f"ethtool -m tells {len(made)} lanes of {found['Identifier'][0]}")
    return made


def _bands(found: Fields) -> tuple[Band, ...]:
    flags = found.get("Alarm/warning flags implemented", [])
    if "Yes" in flags and not any(" threshold" in name for name in found):
        raise Unreadable("ethtool -m tells none of the limits that the module has")
    all_or_none([f"{name} {end} warning threshold" for name, _ in _LIMITS for end in _ENDS], found)
    return tuple(_band(found, name, form) for name, form in _LIMITS)


def _band(found: Fields, name: str, form: Form) -> Band:
    ends = [f"{name} {end} warning threshold" for end in _ENDS]
    low, high = (form(_word(found, end)) if end in found else None for end in ends)
    return band(low, high)


def _has_length(found: Fields) -> bool:
    """Whether it is a cable with fixed ends; 0 m is a module on a fibre of its own."""
    for name in _LENGTHS:
        if name in found:
            said = _word(found, name)
            if not said.endswith("m"):
                raise Unreadable(f"ethtool -m: {name} is {said!r}")
            return LENGTH.read(said.removesuffix("m").removesuffix("k")) > 0
    raise Unreadable("ethtool -m does not tell the length of a cable")


_ENDS = ("low", "high")
_LIMITS: tuple[tuple[str, Form], ...] = (
    ("Module temperature", _degrees),
    ("Laser rx power", _dbm),
    ("Laser output power", _dbm),
    ("Laser bias current", _milliamps),
)
