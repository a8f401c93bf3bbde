"""Whose time a Cumulus switch has: of ntpd, which is NTPsec's.

NVIDIA Cumulus Linux 5.14, Network Time Protocol - NTP: `ntpq -p`; NVUE's own show of servers cuts
their names to 15 characters.
"""

from __future__ import annotations

from switch_configs.answers.linux import ntpq
from switch_configs.answers.said import Said, ended_well
from switch_configs.answers.timekeeping import Clocks, Timekeeping


def read(said: Said) -> Timekeeping:
    """Every server. Raises Unreadable."""
    return Timekeeping(ntpq.peers(ended_well(said)))


CLOCKS = Clocks(lambda _servers: ntpq.PEERS, read, see="ntpq -p -n")
