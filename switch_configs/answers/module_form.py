"""The forms in which readers tell of a pluggable module and of the link over it.

The ranges are those of what modules can measure (SFF-8472, table 9-14; SFF-8636, table 6-7; CMIS,
section 8.10), not of what is healthy: no light at all is a measurement.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole, count

from .media_lanes import Media

Lanes = tuple[float, ...]
NO_LIGHT_DBM = -40.0  # what tools print for none at all, or `-inf`
_UNTOLD = frozenset({"N/A"})
POWER = Real("optical power", "dBm", -60, 20, {"-inf": NO_LIGHT_DBM}, _UNTOLD)
TEMPERATURE = Real("module temperature", "C", -60, 130, untold=_UNTOLD)
BIAS = Real("laser bias current", "mA", 0, 525, untold=_UNTOLD)
LENGTH = Real("length of a cable", "m", 0, 100_000, untold=_UNTOLD)
RATIO = Real("bit error ratio", "1", 0, 1, untold=_UNTOLD)
MINUTES = Real("time since counters were cleared", "min", 0, 1e9, untold=_UNTOLD)
DOWNS = Whole("times that a link went down", "1", 0, (1 << 32) - 1, untold=_UNTOLD)
UNCORRECTED = count("blocks that could not be corrected")
LANE = Whole("lane", "1", 0, 16)
_LANES = (1, 2, 4, 8, 16)  # what modules have (SFF-8024, table 4-1; CMIS: banks of eight)
# Lanes of a memory map -> how many of them a module may have: 100G-DR1 is a QSFP, 400G-DR4 a
# QSFP-DD.
_FEWER = {4: (1,), 8: (1, 2, 4)}


@dataclass(frozen=True, slots=True)
class Band:
    """What a module itself calls normal; None: it does not tell."""

    low: float | None = None
    high: float | None = None

    @property
    def told(self) -> bool:
        """Whether it tells both ends."""
        return self.low is not None and self.high is not None


def band(low: float | None, high: float | None) -> Band:
    """The limits of one figure. Raises Unreadable where one end is lost, or above the other.

    Two equal ends are a table that its maker left blank.
    """
    if low is None or high is None:
        if low is not high:
            raise Unreadable("one end of a limit of the module is lost")
        return Band()
    if low > high:
        raise Unreadable("a limit of the module is above its opposite")
    return Band() if low == high else Band(low, high)


def all_or_none(named: Collection[str], told: Container[str]) -> None:
    """Limits are told all or not at all: what is lost would be judged by our wider ones.

    Raises Unreadable.
    """
    lost = [one for one in named if one not in told]
    if lost and len(lost) < len(named):
        raise Unreadable(f"the module's own limits are not whole: {lost[0]} is missing")


def whole_lanes(
    rx: Mapping[int, float], tx: Mapping[int, float], bias: Mapping[int, float], least: int = 1
) -> tuple[Lanes, Lanes, Lanes]:
    """The lanes of a module by their numbers, none lost: `least` it must have. Raises Unreadable.

    What is measured at all is measured of every lane. Readers of memory maps print as many lanes
    as the map has room for (ethtool's cmis.c: eight a bank): those at its end whose laser is off
    (no current, no light) and which receive no light either are no lanes of the module, but for the
    first `least`: those are dead.
    """
    told = [mapping for mapping in (rx, tx, bias) if mapping]
    if not told:
        return (), (), ()
    numbers = sorted(told[0])
    if any(set(mapping) != set(numbers) for mapping in told) or numbers[0] > 1:
        raise Unreadable("the module does not tell the same of every lane")
    whole = list(range(numbers[0], numbers[0] + len(numbers)))
    if numbers != whole or len(numbers) not in _LANES:
        raise Unreadable("a lane of the module is lost")
    if len(numbers) < least:
        raise Unreadable(f"{len(numbers)} of the module's {least} lanes are told")
    used = numbers
    if len(told) == len((rx, tx, bias)):
        dark = {at for at in numbers if not bias[at] and max(rx[at], tx[at]) <= NO_LIGHT_DBM}
        lit = [at for at in numbers if at not in dark]
        if len(lit) in _FEWER.get(len(numbers), ()) and lit == numbers[: len(lit)]:
            used = numbers[: max(len(lit), least)]
    at_rx, at_tx, at_bias = (
        tuple(mapping[at] for at in used if mapping) for mapping in (rx, tx, bias)
    )
    return at_rx, at_tx, at_bias


@dataclass(frozen=True, slots=True)
class Module:
    """A module or the end of a cable. Power in dBm, bias in mA, by lane; empty: not measured.

    `copper` cables have no light. `fixed` cables have both ends in one piece, so both tell the
    serial of the cable. `made` is when, and which lot
    (date_code.py); empty where it is not told. `media` is what it says of its lanes.
    """

    serial: str
    part: str
    vendor: str
    copper: bool
    fixed: bool
    temperature_c: float | None
    rx_dbm: Lanes
    tx_dbm: Lanes
    bias_ma: Lanes
    temperature: Band = field(default=Band())
    rx: Band = field(default=Band())
    tx: Band = field(default=Band())
    bias: Band = field(default=Band())
    made: str = ""
    media: Media | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """How well a link carries bits, counted for `minutes`. None: not told.

    Bit error ratios before and after correction (FEC); `downs` is how often it went down,
    `uncorrected` how many blocks could not be mended, since the link came up.
    """

    speed: str
    pre_fec_ber: float | None
    post_fec_ber: float | None
    downs: int | None
    minutes: float | None
    uncorrected: int | None = None
