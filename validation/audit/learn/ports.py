"""Which kind of switch a box is, and which part of which cage each of its ports is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from inventory.schema.switch_profile import SwitchPorts, SwitchProfile
from switch_configs.readback.facts import LOOPBACK, PortFacts
from validation.audit.box import Box

NOT_BUILT = ("lab-", "generated-")


@dataclass(frozen=True, slots=True, order=True)
class Seat:
    """A part of a cage, all from 1: cage, in how many ports it is split, which of them."""

    cage: int
    ways: int
    part: int

    @property
    def index(self) -> int:
        """Its place among ports split so, from 0."""
        return (self.cage - 1) * self.ways + self.part - 1


class Names:
    """The names of a profile's ports, by the way that a cage is split."""

    def __init__(self, ports: SwitchPorts) -> None:
        self.rates = {ways: ports.rate_of(ways) for ways in ports.ways()}
        self.by_ways = {
            ways: {
                ports.port_name(cage, ways, part): Seat(cage, ways, part)
                for cage in range(1, ports.count + 1)
                for part in range(1, ways + 1)
            }
            for ways in ports.ways()
        }
        self.known = frozenset().union(*self.by_ways.values())

    def seats(self, ports: Sequence[tuple[str, float | None]]) -> Mapping[str, Seat]:
        """The seats of ports that are split alike; empty where no split has all their names.

        Ports are filled from the first one, so the split with the fewest gaps comes first; then
        one at the ports' rate (Gb/s), for a slow NIC may be in a fast port; then the coarsest.
        """
        names = {name for name, _ in ports}
        rates = {rate for _, rate in ports if rate}
        fitting = [ways for ways, seats in self.by_ways.items() if names <= seats.keys()]
        if not fitting or not names:
            return {}
        best = min(fitting, key=lambda w: (self._gaps(w, names), rates != {self.rates[w]}, w))
        return {name: self.by_ways[best][name] for name in names}

    def _gaps(self, ways: int, names: Iterable[str]) -> int:
        used = {self.by_ways[ways][name].index for name in names}
        return max(used) - min(used) + 1 - len(used)


_CACHE: dict[int, tuple[SwitchPorts, Names]] = {}


def names_of(profile: SwitchProfile) -> Names:
    """Its ports' names, made once for each profile."""
    key = id(profile)
    if key not in _CACHE or _CACHE[key][0] is not profile.ports:
        _CACHE[key] = profile.ports, Names(profile.ports)
    return _CACHE[key][1]


def data_ports(box: Box) -> tuple[PortFacts, ...]:
    """Its ports with a cage of their own."""
    return tuple(port for port in box.facts.ports if port.name != LOOPBACK and "." not in port.name)


def best_profile(boxes: Iterable[Box], shelf: Mapping[str, SwitchProfile]) -> tuple[str, str]:
    """The profile that fits boxes of one tier best, and by what; "" where none is of the system."""
    every = list(boxes)
    ranked = max(
        ((_fit(every, name, one), name) for name, one in shelf.items()),
        key=lambda item: item[0],
        default=((), ""),
    )
    fit, name = ranked
    if not fit or not fit[0]:
        return "", "no profile is of this system"
    words = ("system", "model", "port names", "release", "class", "rates")
    said = [word for word, told in zip(words, fit, strict=False) if told == 1]
    return name, ", ".join(said)


def _fit(boxes: Sequence[Box], name: str, profile: SwitchProfile) -> tuple[float, ...]:
    of_system = [box for box in boxes if box.system == profile.dialect]
    if not of_system:
        return ()
    known = names_of(profile)
    uplinks = profile.uplinks.names() if profile.uplinks else frozenset()
    ports = [port for box in of_system for port in data_ports(box)]
    named = sum(port.name in known.known or port.name in uplinks for port in ports)
    rates = {port.rate_gbps for port in ports if port.rate_gbps and port.name not in uplinks}
    return (
        len(of_system) / max(len(boxes), 1),
        float(bool(profile.model and all(_says(box, profile.model) for box in of_system))),
        named / max(len(ports), 1),
        float(all(box.facts.release in (None, profile.release) for box in of_system)),
        float(profile.lossless == _mode(ports)),
        float(rates <= set(known.rates.values())),
        float(max(rates, default=profile.ports.rate_gbps) == profile.ports.rate_gbps),
        float(not name.startswith(NOT_BUILT)),
        -float(profile.ports.count),
    )


def _mode(ports: Sequence[PortFacts]) -> str:
    """What of the lossless class some port has."""
    every = [port.qos for port in ports if port.qos]
    if any(qos.pfc_priorities for qos in every):
        return "full"
    return "ecn" if any(one.ecn for qos in every for one in qos.classes) else "marking-only"


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.replace('"', " ").split())


def _says(box: Box, model: str) -> bool:
    return any(model in _words(text) for text in box.texts.values())
