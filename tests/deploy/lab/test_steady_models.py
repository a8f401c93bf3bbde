"""Models that are asked twice tell what flapped or was reset, as Linux and FRR count it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from deploy.lab.models.eos import shows as eos
from deploy.lab.models.nxos import shows as nxos
from deploy.lab.models.wanted import Port, Wanted, kernel_name
from inventory.reading.fields import Unreadable
from inventory.reading.sections import Section
from switch_configs.answers import answers
from switch_configs.answers.steady import Held

SHOWS = {"eos": (eos.told, "Ethernet5/1"), "nxos": (nxos.told, "Ethernet1/5")}


@dataclass
class Linux:
    """A port and a session over it: how often its carrier changed, and what FRR says."""

    port: str
    changes: int = 1
    since: int = 1795888224
    dropped: int = 0

    def __call__(self, *argv: str) -> object:
        name = kernel_name(self.port)
        if argv[0] == "ip" and argv[-2:] == ("address", "show"):
            count = dict.fromkeys(("bytes", "packets", "dropped", "errors"), 0)
            # ip-address(8): transitions of the carrier are told where -s is there twice.
            more = {"carrier_changes": self.changes} if argv.count("-s") == 2 else {}
            held = {"stats64": {"rx": count, "tx": count | more}, "mtu": 1500, "addr_info": []}
            flags = ["UP", "LOWER_UP"]
            return [{"ifname": name, "address": "02:00:00:00:00:01", "flags": flags, **held}]
        if argv[-1] == "show bgp neighbors json":
            up = {"bgpTimerUpEstablishedEpoch": self.since, "connectionsDropped": self.dropped}
            return {name: {"bgpNeighborAddr": "fe80::1"} | up}
        peer = {"state": "Established", "remoteAs": 65001, "pfxRcd": 2}
        return {"as": 65000, "routerId": "10.0.0.1", "peers": {name: peer}}


def held(system: str, run: Linux) -> Held:
    told, port = SHOWS[system]
    name = kernel_name(port)
    known = answers(system).steady
    assert known
    ports = {name: Port(name, True, 1500)}
    wanted = Wanted("leaf", ports, {}, {}, None, set(), {}, features=frozenset({"bgp"}))
    said = {part: told(line, run, wanted, 0.0) or "" for part, line in known.ask.items()}
    return known.read({part: Section(0, text) for part, text in said.items()})


@pytest.mark.parametrize("system", sorted(SHOWS))
def test_a_flap_and_a_reset_are_told(system):
    port = SHOWS[system][1]
    was = held(system, Linux(port))
    assert (set(was.carrier), set(was.sessions)) == ({port}, {port})
    assert held(system, Linux(port)) == was
    flapped = held(system, Linux(port, changes=3))
    assert flapped.carrier != was.carrier
    assert flapped.sessions == was.sessions
    reset = held(system, Linux(port, since=1795888324, dropped=1))
    assert reset.carrier == was.carrier
    assert abs(reset.sessions[port][1] - was.sessions[port][1]) > was.slack


def test_what_is_not_counted_is_not_taken_for_none():
    found = eos.interfaces(Linux("Ethernet5/1"), Wanted("x", {}, {}, {}, None, set(), {}), 0.0)
    text = json.dumps(found).replace("linkStatusChanges", "other")
    known = answers("eos").steady
    assert known
    with pytest.raises(Unreadable):
        known.read({"ports": Section(0, text), "sessions": Section(0, "{}")})
