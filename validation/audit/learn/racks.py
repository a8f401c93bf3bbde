"""The management plane: its zones, and racks as its switches show them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from inventory.oob.switches import ZONE_VLANS
from inventory.schema import SwitchProfile
from switch_configs.readback.facts import PortFacts
from validation.audit.box import Box
from validation.audit.network import Network

from .guess import Notes, Shelf
from .maxima import management_number
from .networks import address
from .people import People
from .planes import Fabrics
from .ports import best_profile, data_ports, names_of
from .seen import End, far_of, is_oob

Section = dict[str, Any]
_WORDS = {vlan: zone for zone, vlan in ZONE_VLANS.items()}
_USUAL = {"nodes": 4, "servers": 16, "network": 16, "pdus": 2}


@dataclass
class Racks:
    """What switches of the management plane show. `width` is devices of a rack by its kind.

    `first` is the number of the first rack of each kind and group; `above` the far end of a
    rack's uplink, with its rate in Gb/s.
    """

    zones: set[str] = field(default_factory=set)
    access: list[Box] = field(default_factory=list)
    profile: str = ""
    width: dict[str, int] = field(default_factory=dict)
    pdus: int = 0
    kinds: dict[str, str] = field(default_factory=dict)
    above: list[tuple[End, float | None]] = field(default_factory=list)


def racks(network: Network, people: People, shelf: Shelf, notes: Notes) -> Racks:
    """Read the boxes of the management plane."""
    out = Racks()
    boxes = [box for box in network.boxes if is_oob(box)]
    for box in boxes:
        out.zones |= {_WORDS[vlan.id] for vlan in box.facts.vlans if vlan.id in _WORDS}
    out.access = [box for box in boxes if any(_zone(port) for port in box.facts.ports)]
    if not out.access:
        return out
    out.profile, by = best_profile(out.access, shelf.switches)
    notes.say("oob.switches.access_profile", out.profile, "likely", by)
    known = names_of(shelf.switches[out.profile]).by_ways[1]
    widths: dict[str, Counter[int]] = defaultdict(Counter)
    pairs = [(cable.a, cable.b) for cable in network.cables]
    far = {end: there for pair in pairs for end, there in (pair, pair[::-1])}
    for box in out.access:
        _one_rack(out, box, known, people, far, widths)
    for kind, votes in widths.items():
        out.width[kind] = votes.most_common(1)[0][0]
        notes.say(f"racks: {kind} of a rack", out.width[kind], "likely", "first port of a PDU")
    return out


def _zone(port: PortFacts) -> str:
    return _WORDS.get(port.vlans[0], "") if len(port.vlans) == 1 and not port.trunk else ""


def _one_rack(
    out: Racks,
    box: Box,
    known: Mapping[str, object],
    people: People,
    cables: Mapping[End, End],
    widths: dict[str, Counter[int]],
) -> None:
    numbers = {name: at for at, name in enumerate(known, start=1)}
    first_pdu, pdus = 0, 0
    for port in data_ports(box):
        zone, far = _zone(port), cables.get((box.name, port.name)) or far_of(port)
        if zone == "power" and port.name in numbers:
            pdus += 1
            first_pdu = min(first_pdu or numbers[port.name], numbers[port.name])
        elif far and zone == "hostmgmt":
            out.kinds[box.name] = "nodes" if far[0] in people.nodes else "servers"
        elif far and zone == "netmgmt":
            out.kinds[box.name] = "network"
        elif far and not zone:
            out.above.append((far, port.rate_gbps))
    kind = out.kinds.get(box.name, "")
    if first_pdu and kind:
        widths[kind][(first_pdu - 1) // (1 if kind == "network" else 2)] += 1
    out.pdus = max(out.pdus, pdus)


def sections(out: Racks, shelf: Shelf, notes: Notes) -> tuple[Section, Section]:
    """The sections `racks` and `oob.switches`; both empty where no rack has a known switch."""
    if not out.access or not out.above:
        return {}, {}
    pair = _aggregation(out, shelf.switches)
    if pair is None:
        notes.unsaid.append("switches of the management plane: no profile has their upper ports")
        return {}, {}
    name, ways = pair
    notes.say("oob.switches.aggregation_profile", name, "likely", "ports of uplinks and their rate")
    notes.say("racks.power_w", "not known", "guess", "no configuration says what a rack may draw")
    own: Section = {
        "access_profile": out.profile,
        "aggregation_profile": name,
        "breakout": ways,
        "core_profile": name,
    }
    room: Section = {
        "units": 60,
        "power_w": 200_000,
        "pdus": max(out.pdus, 1),
        "pdu_power_w": 200_000,
        "switches_per_rack": out.width.get("network", _USUAL["network"]),
    }
    return room, own


def _aggregation(out: Racks, shelf: Mapping[str, SwitchProfile]) -> tuple[str, int] | None:
    """The smallest switch whose ports have the names and the rate that uplinks end on."""
    ports, rates = {far[1] for far, _ in out.above}, {rate for _, rate in out.above}
    fits = []
    for name, profile in shelf.items():
        known = names_of(profile)
        for ways, names in known.by_ways.items():
            if ports <= names.keys() and rates <= {known.rates[ways], None}:
                fits.append((profile.ports.count, ways, name))
    if not fits:
        return None
    _, ways, name = min(fits)
    return name, ways


def racks_of_group(
    out: Racks, found: Fabrics, people: People, network: Network, per_pod: int
) -> int | None:
    """Racks of a group of servers: by the numbers of racks, None where nothing shows them."""
    if found.netmgmt is None or not people.max_groups:
        return None
    compute, most = found.by_plane["compute"], found.most["compute"]
    leaves = most.pods * compute.places.units * compute.places.slots
    spines = (most.pods if compute.places.three_tier else 1) * compute.nic_planes * most.spines
    tops = compute.nic_planes * most.spines * most.superspines if compute.superspines else 0
    base = leaves + spines + tops + most.pods * per_pod
    core = []
    for name, kind in out.kinds.items():
        said = address(network.box[name].facts.services.management_address)
        number = management_number(int(said) - int(found.netmgmt[0])) - base
        if kind == "network" and number >= 0:
            core.append(number)
    return min(core) // people.max_groups if core else None
