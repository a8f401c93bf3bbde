"""Which counters of ports each switch system has: said by hand, and found in what is read of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields

import pytest

from inventory.reading.sections import sections
from inventory.switches.systems import packages
from switch_configs.answers import answers
from switch_configs.answers.port_counters import PortCounters
from tests.validation import frames_says, roce_site, typed_counters_says
from tests.validation.roce_site import Port
from validation.counters.read import ports as read

# ECN marks, drops at egress by queue, pauses by priority both ways, storms of the watchdog.
_CLASSES = frozenset({"ecn_marked", "queue_drops", "rx_pause", "tx_pause", "storms"})
TABLE: Mapping[str, frozenset[str]] = {
    "cumulus": _CLASSES | {"global_pause", "group_drops"},
    "sonic": _CLASSES | {"global_pause", "group_drops"},
    # Of what a full buffer refused as it came in EOS has no sourced JSON; NX-OS tells it by port.
    "eos": _CLASSES,
    "nxos": _CLASSES | {"ingress_drops"},
    # A kernel has no PFC, and no buffers to tell of.
    "linux_frr": frozenset({"ecn_marked"}),
}
FRAMES = frozenset({"cumulus", "eos", "nxos", "sonic"})
_TEXTS: Mapping[str, Callable[[Mapping[str, Port]], str]] = {
    "cumulus": roce_site.cumulus,
    "sonic": roce_site.sonic,
    "eos": typed_counters_says.eos,
    "nxos": typed_counters_says.nxos,
}
_PORTS = {"cumulus": "swp1", "sonic": "Ethernet0", "linux_frr": "swp1"}
# Beside what `tells` is asked for: drops of a whole port, which no rule of a class takes.
_BESIDE = frozenset({"drops"})


def test_every_system_is_in_the_table():
    assert set(TABLE) == set(packages())
    assert {name for name in TABLE if answers(name).frames} == FRAMES == set(frames_says.SAYS)


@pytest.mark.parametrize("system", sorted(TABLE))
def test_a_system_says_what_its_ports_tell_and_tells_it(system):
    """What `tells` promises is there, what it leaves out is None: no 0 that nobody counted."""
    known = answers(system).counters
    assert known is not None
    assert known.tells == TABLE[system]
    port = _PORTS.get(system, "Ethernet1/1")
    (found,) = (one for name, one in read(system, text_of(system, port)).items() if name == port)
    told = {one.name for one in fields(PortCounters) if getattr(found, one.name) is not None}
    assert told - _BESIDE == TABLE[system] | {"port", "rx_bytes", "tx_bytes"}


@pytest.mark.parametrize("system", sorted(FRAMES))
def test_frames_are_told_both_ways_with_all_that_was_lost(system):
    known = answers(system).frames
    assert known is not None
    port = _PORTS.get(system, "Ethernet1/1")
    found = known.read(sections(frames_says.SAYS[system]([port], 9000, {})))[port]
    assert (found.sent, found.received, sum(found.lost.values())) == (9000, 9000, 0)
    # Errors and discards, of both ways: with what came, and with what was to leave.
    assert len(found.lost) >= 4


def text_of(system: str, port: str) -> str:
    """What a port printed that counted something of all; of Linux, with a root that marks."""
    if system == "linux_frr":
        rx = tx = {"bytes": 5, "packets": 1, "errors": 0, "dropped": 0}
        links = [{"ifname": port, "stats64": {"rx": rx, "tx": tx}}]
        red = {"kind": "red", "dev": port, "root": True, "drops": 0, "marked": 7}
        parts = {"links": json.dumps(links) + "\n", "queues": json.dumps([red]) + "\n"}
        return roce_site.sectioned(parts)
    return _TEXTS[system]({port: Port(5, 7, {3: 1}, {3: 2}, {3: 4}, {3: 6}, storms=2)})
