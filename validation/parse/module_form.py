"""The forms in which readers tell of a pluggable module and of the link over it."""

from __future__ import annotations

from dataclasses import dataclass, field

Lanes = tuple[float, ...]
NO_LIGHT_DBM = -40.0  # what tools print for none at all; ethtool says -inf


@dataclass(frozen=True, slots=True)
class Band:
    """What a module itself calls normal; None: it does not tell."""

    low: float | None = None
    high: float | None = None

    @property
    def told(self) -> bool:
        """Whether it tells both ends."""
        return self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class Module:
    """A module or the end of a cable. Power in dBm, bias in mA, by lane; empty: not measured.

    `copper` cables have no light. `fixed` cables have both ends in one piece, so both tell the
    serial of the cable. `length_m` is None where it is not told. `made` is when, and which lot
    (date_code.py); empty where it is not told.
    """

    serial: str
    part: str
    vendor: str
    copper: bool
    fixed: bool
    length_m: float | None
    temperature_c: float | None
    rx_dbm: Lanes
    tx_dbm: Lanes
    bias_ma: Lanes
    temperature: Band = field(default=Band())
    rx: Band = field(default=Band())
    tx: Band = field(default=Band())
    bias: Band = field(default=Band())
    made: str = ""


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
