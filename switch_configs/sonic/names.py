"""SONiC's words for what the plan names, and which hardware wants which."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from inventory.plan import Switch
from switch_configs.errors import DialectError


@dataclass(frozen=True, slots=True)
class Release:
    """One release: its schema in CONFIG_DB, and the FRR that it ships.

    sonic-utilities scripts/db_migrator.py (CURRENT_VERSION) and sonic-buildimage rules/frr.mk,
    each in the branch of the release.
    """

    database: str
    frr: str


RELEASES = {
    "202405": Release("version_202405_02", "8.5.4"),
    "202411": Release("version_202411_02", "10.0.1"),
    "202505": Release("version_202505_01", "10.3"),
}

# The device type chooses the seed of the hash: 10, 25 and 0 (sonic-buildimage,
# dockers/docker-orchagent/switch.json.j2). Superspines with the spines' type would choose
# alike. frr.conf is ours, so no type adds anything to BGP.
DEVICE_TYPE = {"leaf": "LeafRouter", "spine": "SpineRouter", "superspine": "ToRRouter"}

# sonic-buildimage, platform.json of the platform: the words of `config interface breakout`.
_BREAKOUT = {
    "x86_64-nvidia_sn5600-r0": {
        1: "1x800G[400G,200G,100G,50G,40G,25G,10G]",
        2: "2x400G[200G,100G,50G,40G,25G,10G]",
        4: "4x200G[100G,50G,25G,10G]",
    },
    "x86_64-mlnx_msn4700-r0": {
        1: "1x400G[200G,100G,50G,40G,25G,10G,1G]",
        2: "2x200G[100G,50G,40G,25G,10G,1G]",
        4: "4x100G[50G,25G,10G,1G]",
    },
    "x86_64-arista_7060x6_64pe": {2: "2x400G"},
}

LOOPBACK = "Loopback0"
_NUMBER = re.compile(r"(\d+)")


def is_dynamic(asic: str) -> bool:
    """Whether SONiC works out the buffers itself: on Spectrum.

    sonic-utilities, config/main.py: vendors_supporting_dynamic_buffer.
    """
    return asic.startswith("spectrum")


def brkout_mode(platform: str, ways: int) -> str | None:
    """The word for a cage split into `ways`; None where no platform.json was read."""
    return _BREAKOUT.get(platform, {}).get(ways)


@lru_cache(maxsize=1 << 16)
def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key to sort by: Ethernet8 before Ethernet16."""
    parts = (one for one in _NUMBER.split(text) if one)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def checked(switch: Switch, value: str, what: str, most: int) -> str:
    """A text that JSON, and whoever reads it on the switch, takes as it is."""
    wrong = not value or len(value) > most or any(not one.isprintable() for one in value)
    if wrong:
        raise DialectError(
            f"{switch.name}: {what} {value!r} cannot be said in SONiC",
            f"use 1 to {most} characters, none of them a control character",
        )
    return value
