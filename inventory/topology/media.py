"""What a cable is made of, by its rate and length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

# Twisted pair; passive copper, active copper and active optical cable, with fixed plugs; multi-mode
# and single-mode fibre, with a transceiver at each end.
Medium = Literal["TP", "DAC", "ACC", "AOC", "MMF", "SMF"]
# Fibre between two pluggable transceivers; the others bring their plugs.
# Into how many links a cable with fixed plugs may be split: DAC MCP7Y40, AOC MFS1S50-V0xxE.
MOST_WAYS: dict[Medium, int] = {"TP": 1, "DAC": 4, "ACC": 2, "AOC": 2}
PLUGGED: frozenset[Medium] = frozenset({"MMF", "SMF"})
# What may negotiate as IEEE 802.3, clause 73, has it; twisted pair always negotiates (clause 28).
_TWINAX: frozenset[Medium] = frozenset({"DAC", "ACC"})


@dataclass(frozen=True, slots=True)
class Reach:
    """Up to `rate_gbps`, each medium carries so many metres; the first that reaches is taken.

    The last medium of a row has no limit of its own: the schema ends at 2,000 m.
    """

    rate_gbps: float
    metres: tuple[tuple[Medium, float], ...]


_FAR = float("inf")
# 1000BASE-T: 100 m of category 5 (IEEE 802.3, clause 40). 10 to 100 Gb/s: IEEE 802.3by wants 5 m
# of its long class of passive copper (NVIDIA, Cumulus Linux, "Switch Port Attributes", FEC), and
# 30 m is the longest leg of the AOC MFS1S50-V0xxE. 200 Gb/s: 2 m is the longest 200G leg of the
# DAC MCP7Y60-Hxxx; the AOC as before. 400 Gb/s: MCP7Y10-Nxxx, passive to 3 m and active to 5 m;
# SR4 transceivers MMA4Z00-NS400 to 50 m of OM4, also as 2 x 200 Gb/s; taken for slower links too.
# 800 Gb/s: DAC MCP4Y10-Nxxx to 2 m, SR8 transceivers MMA4Z00-NS to 50 m. Beyond: single-mode
# (DR4 MMS4X00-NS to 100 m, FR4 MMS4X50-NM to 2 km). All: docs.nvidia.com/networking, Interconnect.
REACHES = (
    Reach(1, (("TP", 100), ("SMF", _FAR))),
    Reach(100, (("DAC", 5), ("AOC", 30), ("MMF", 50), ("SMF", _FAR))),
    Reach(200, (("DAC", 2), ("AOC", 30), ("MMF", 50), ("SMF", _FAR))),
    Reach(400, (("DAC", 3), ("ACC", 5), ("MMF", 50), ("SMF", _FAR))),
    Reach(_FAR, (("DAC", 2), ("MMF", 50), ("SMF", _FAR))),
)


@lru_cache(maxsize=1024)
def medium(rate_gbps: float, cable_m: float, ways: int = 1) -> Medium:
    """What carries `rate_gbps` over `cable_m` metres at the least cost and power.

    `ways` is into how many links the cage at one end is split.
    """
    reach = next(one for one in REACHES if rate_gbps <= one.rate_gbps)
    choices = (one for one in reach.metres if ways <= MOST_WAYS.get(one[0], ways))
    return next(kind for kind, metres in choices if cable_m <= metres)


def is_twinax(rate_gbps: float, cable_m: float, ways: int = 1) -> bool:
    """Whether it is a copper cable of fixed plugs, whose ends may negotiate or not."""
    return medium(rate_gbps, cable_m, ways) in _TWINAX
