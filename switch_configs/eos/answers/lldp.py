"""`show lldp neighbors detail | json` of Arista EOS.

Form: ANTA's recorded data (aristanetworks/anta, tests/units/anta_tests/test_connectivity.py) and
napalm's (napalm-automation/napalm, test/eos/mocked_data/test_get_lldp_neighbors_detail). Older
releases have the neighbour's port in quotes, and no `interfaceId_v2`.
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, full_lines, mapping, needed, sequence, text_of
from switch_configs.answers.forms import Neighbour, Neighbours
from switch_configs.answers.said import Said

from .cli import shown

OFF = "no lldp run"


def neighbours(said: Said) -> Neighbours:
    """Local port -> the neighbours heard on it, sorted. Raises Unreadable."""
    told = mapping(needed(shown(said), "lldpNeighbors", "EOS"), "lldpNeighbors")
    found: Neighbours = {}
    for name, entry in sorted(told.items()):
        rows = sequence(needed(mapping(entry, name), "lldpNeighborInfo", name), name)
        heard = {_neighbour(mapping(row, name), name) for row in rows}
        if heard:
            found[name] = tuple(sorted(heard))
    return found


def _neighbour(row: dict[str, object], name: str) -> Neighbour:
    if "systemName" not in row and "chassisId" not in row:
        raise Unreadable(f"{name}: a neighbour is neither named nor identified")
    system = text_of(row, "systemName", name) if "systemName" in row else ""
    port = mapping(needed(row, "neighborInterfaceInfo", name), name)
    if "interfaceId_v2" in port:
        return Neighbour(system, text_of(port, "interfaceId_v2", name))
    return Neighbour(system, text_of(port, "interfaceId", name).strip('"'))


def is_off(text: str) -> bool:
    """Whether the running configuration says that LLDP does not run; EOS runs it unless told.

    `text` ends with `end`: without it something was cut. (AVD golden lldp.cfg; EOS User Manual,
    LLDP, `lldp run`.)
    """
    lines = [line.strip() for line in full_lines(text, "EOS")]
    if not lines or lines[-1] != "end":
        raise Unreadable("what EOS says of `lldp run` was cut off")
    return OFF in lines[:-1]
