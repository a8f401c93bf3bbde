"""Whose time a SONiC switch has: of chronyd, or of ntpd in releases before it.

sonic-utilities, show/main.py, `show ntp`, asks chronyc since pull request 3574 (sonic-buildimage
20497), and before it ntpq, in the table of management. chronyc of root talks to chronyd by a local
socket, whatever table that runs in (chronyc(1), -h).
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable
from inventory.reading.sections import needed, sections, shell
from switch_configs.answers.linux import chrony, ntpq
from switch_configs.answers.said import Said, ended_well
from switch_configs.answers.timekeeping import Clocks, Timekeeping

_CHRONY, _NTPD = "chrony", "ntpd"
_LINE = shell(
    {
        "which": f"if command -v chronyc >/dev/null; then echo {_CHRONY}; else echo {_NTPD}; fi",
        "tracking": chrony.TRACKING,
        "sources": chrony.SOURCES,
        "peers": ntpq.PEERS,
    }
)


def read(said: Said) -> Timekeeping:
    """Every server. Raises Unreadable."""
    found = sections(ended_well(said))
    match needed(found, "which").strip():
        case "chrony":
            clock = chrony.tracking(needed(found, "tracking"))
            told = needed(found, "sources").lstrip("\n")
            return Timekeeping(chrony.sources(told, clock))
        case "ntpd":
            return Timekeeping(ntpq.peers(needed(found, "peers")))
    raise Unreadable("nobody says which program keeps the time")


CLOCKS = Clocks(lambda _servers: _LINE, read, see="show ntp")
