"""`show lldp neighbors detail | json` of Cisco NX-OS.

Form: `TABLE_nbor_detail`, local ports by their short names (netests,
netests/converters/lldp/nxos; netapp/harvest, testdata of its switch poller). Where nobody is heard,
NX-OS says so in a line that begins as a refusal does.
"""

from __future__ import annotations

from inventory.reading.fields import text_of
from switch_configs.answers.forms import Neighbour, Neighbours
from switch_configs.answers.said import Said

from .cli import port_name, rows, shown

_NOBODY = "ERROR: No neighbour "  # `information`: no word that evidence shows
_NOT_SENT = {"", "null", "not advertised"}


def neighbours(said: Said) -> Neighbours:
    """Local port -> the neighbours heard on it, sorted. Raises Unreadable."""
    if said.status != 0 and _NOBODY in said.errors:
        return {}
    found: dict[str, set[Neighbour]] = {}
    for row in rows(shown(said), "nbor_detail"):
        here = port_name(text_of(row, "l_port_id", "neighbour"))
        found.setdefault(here, set()).add(_neighbour(row, here))
    return {name: tuple(sorted(heard)) for name, heard in sorted(found.items())}


def _neighbour(row: dict[str, object], here: str) -> Neighbour:
    system = text_of(row, "sys_name", here).strip()
    port = port_name(text_of(row, "port_id", here))
    return Neighbour("" if system.lower() in _NOT_SENT else system, port)
