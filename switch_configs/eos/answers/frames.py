"""Frames that an EOS switch counts of a port: `interfaceCounters` of `show interfaces | json`.

Sent and received are unicast, multicast and broadcast together; lost are `totalInErrors`,
`inDiscards`, `totalOutErrors`, `outDiscards` (napalm-automation/napalm, eos.py,
get_interfaces_counters; aristanetworks/anta, tests/units/anta_tests/test_interfaces.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.fields import mapping, needed
from inventory.reading.numbers import count
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.contract import FrameCounts
from switch_configs.answers.frames import Counted, Frames
from switch_configs.answers.said import Said

from .ports import interfaces

_SHOW = "show interfaces | json"
_FRAMES = count("frames of a port")
_KINDS = ("UcastPkts", "MulticastPkts", "BroadcastPkts")
_BROKEN, _THROWN = ("totalInErrors", "totalOutErrors"), ("inDiscards", "outDiscards")


def _read(found: Mapping[str, Section]) -> Counted:
    told = Said(_SHOW, 0, section(found, "ports"), "")
    return {
        name: _port(mapping(needed(one, "interfaceCounters", name), name), name)
        for name, one in interfaces(told)
        if name.startswith("Ethernet")
    }


def _port(told: dict[str, object], name: str) -> Frames:
    sent, received = (
        sum(_FRAMES.of(told, f"{way}{kind}", name) for kind in _KINDS) for way in ("out", "in")
    )
    broken, thrown = (
        {key: _FRAMES.of(told, key, name) for key in keys} for keys in (_BROKEN, _THROWN)
    )
    return Frames(sent, received, broken, thrown)


FRAMES = FrameCounts(lambda _ports: {"ports": _SHOW}, _read)
