"""Frames that a SONiC switch counts of a port, from COUNTERS_DB.

Names as sonic-utilities' scripts/portstat sums and prints them: RX_OK and TX_OK are the unicast and
the other packets, RX_ERR and TX_ERR errors, RX_DRP and TX_DRP discards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inventory.reading.fields import document, mapping
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.carried import settled
from switch_configs.answers.contract import Asked, FrameCounts
from switch_configs.answers.frames import Counted, Frames

from . import ask
from .counters import counted, table

_PORT = "SAI_PORT_STAT_IF_"
_SENT = ("OUT_UCAST_PKTS", "OUT_NON_UCAST_PKTS")
_RECEIVED = ("IN_UCAST_PKTS", "IN_NON_UCAST_PKTS")
_BROKEN, _THROWN = ("IN_ERRORS", "OUT_ERRORS"), ("IN_DISCARDS", "OUT_DISCARDS")


def _ask(ports: Sequence[str]) -> Asked:
    return {**ask.refresh(ask.PORTS), **ask.ports(ports)}


def _read(found: Mapping[str, Section]) -> Counted:
    settled(section(found, "refresh"))
    tables = mapping(document(section(found, "counters"), "sonic-db-dump"), "COUNTERS_DB")
    made: dict[str, Frames] = {}
    for port, oid in sorted(table(tables, "COUNTERS_PORT_NAME_MAP").items()):
        mine = table(tables, f"COUNTERS:{oid}")
        sent, received = (
            sum(counted(mine, f"{_PORT}{name}", port) for name in names)
            for names in (_SENT, _RECEIVED)
        )
        broken, thrown = (
            {name: counted(mine, f"{_PORT}{name}", port) for name in names}
            for names in (_BROKEN, _THROWN)
        )
        made[port] = Frames(sent, received, broken, thrown)
    return made


FRAMES = FrameCounts(_ask, _read)
