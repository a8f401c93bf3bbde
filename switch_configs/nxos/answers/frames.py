"""Frames that an NX-OS switch counts of a port: its row of `show interface | json`.

`eth_inpkts` and `eth_outpkts` are packets of all kinds; lost are `eth_inerr`, `eth_indiscard`,
`eth_outerr`, `eth_outdiscard`, some of them digits as text (names and forms: the structures of
public clients of NX-API, and the guide's own `show interface` in XML).
"""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.numbers import count as counter
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.contract import FrameCounts
from switch_configs.answers.frames import Counted, Frames
from switch_configs.answers.said import Said, count

from .ports import interfaces

_SHOW = "show interface | json"
_FRAMES = counter("frames of a port")
_BROKEN, _THROWN = ("eth_inerr", "eth_outerr"), ("eth_indiscard", "eth_outdiscard")


def _read(found: Mapping[str, Section]) -> Counted:
    return {
        name: Frames(
            count(row, "eth_outpkts", name, _FRAMES),
            count(row, "eth_inpkts", name, _FRAMES),
            *({key: count(row, key, name, _FRAMES) for key in keys} for keys in (_BROKEN, _THROWN)),
        )
        for name, row in interfaces(Said(_SHOW, 0, section(found, "ports"), ""))
        if name.startswith("Ethernet")
    }


FRAMES = FrameCounts(lambda _ports: {"ports": _SHOW}, _read)
