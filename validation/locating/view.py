"""The fabric as far as evidence shows it, for locating a fault found somewhere else.

Nothing here decides a verdict: what cannot be seen is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from ipaddress import IPv4Network
from typing import TypeVar, cast

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.carried import Carried
from switch_configs.answers.forms import Bgp, Links, Neighbours, Rib
from switch_configs.answers.module_form import Module
from validation.evidence import ask
from validation.evidence.backend import host
from validation.evidence.lookup import Book
from validation.evidence.trust import MissingEvidence
from validation.expectation import Expectation
from validation.judging.past import Past, earlier
from validation.pairing.coverage import CoverageExpected, is_counted
from validation.pairing.latency_result import Waited
from validation.pairing.load_result import Measured
from validation.pairing.loads import LoadProbe, with_streams
from validation.pairing.schedule import MOST_RAILS
from validation.routing.systems import dialect_of
from validation.stages.s15_optics import ask as optics
from validation.stages.s15_optics.batch import Piece, pieces
from validation.stages.s15_optics.expect import OpticExpected
from validation.stages.s20_cabling_routing.expect import RouteExpected
from validation.stages.s50_pairs.expect import BandwidthExpected, LatencyExpected

from .replay import Replay

T = TypeVar("T")


@dataclass
class View:
    """Other devices' answers. Asking notes what is missing, so the next trip may bring it.

    Of switches that are `unconfirmed`, a change is judged that waits for its confirmation.
    """

    plan: Plan
    book: Book
    wanted: tuple[Expectation, ...]
    past: Past = field(default_factory=dict)
    unconfirmed: frozenset[str] = frozenset()
    _routes: dict[tuple[str, IPv4Network], RouteExpected] = field(default_factory=dict)
    _loads: Replay | None = None
    _waited: list[Waited] | None = None
    _once: dict[object, object] = field(default_factory=dict)

    def look(self, device: str, reader: Callable[[Host], T]) -> T | None:
        """What `reader` finds on a device, or None where it cannot be seen."""
        if device not in self.plan.management_mac:
            return None
        with self.book.aside():
            try:
                return reader(host(device, self.book))
            except (MissingEvidence, Unreadable):
                return None

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What `make` says, worked out once for all devices of a check."""
        if key not in self._once:
            self._once[key] = make()
        return cast("T", self._once[key])

    def history(self, expectation_id: str, terms: str = "") -> tuple[float, ...]:
        """What this expectation was judged by where it passed before, measured in the same terms.

        Oldest first; empty where nobody kept it. For `limits.judge(..., history=...)`.
        """
        return earlier(self.past, expectation_id, terms)

    def silent(self, device: str) -> str:
        """Why the device did not answer, or ""."""
        return self.book.store.silent.get(device, "")

    def lldp(self, device: str) -> Neighbours | None:
        """What the device's ports hear."""
        return self._told(device, ask.lldp)

    def bgp(self, device: str) -> Bgp | None:
        """The switch's sessions."""
        return self._told(device, ask.bgp) if device in self.plan.switch else None

    def rib(self, device: str) -> Rib | None:
        """The routes that the switch's routing selected."""
        return self._told(device, ask.rib) if device in self.plan.switch else None

    def ports(self, device: str) -> Links | None:
        """The device's ports as its system has them."""
        return self._told(device, ask.ports)

    def _told(self, device: str, reader: Callable[[Host, str], T]) -> T | None:
        dialect = dialect_of(self.plan, device)
        return self.look(device, lambda host: reader(host, dialect))

    @property
    def loads(self) -> Replay:
        """What the loads showed, extra rounds included, as far as it can be read."""
        if self._loads is None:
            asked_of = (one for one in self.wanted if isinstance(one, CoverageExpected))
            uplinks = [
                expectation for expectation in asked_of if is_counted(self.plan, expectation.device)
            ]
            found = Replay(self.plan, uplinks, self._load, self._counters, self._pieces, self.past)
            every = [one for one in self.wanted if isinstance(one, BandwidthExpected)]
            asked = [expectation.probe for expectation in every if not expectation.matching]
            found.add_planned(asked)
            for name, flows in _matched(every):
                found.add_round(name, flows)
            if crossing := [probe for probe in asked if probe.leaves[0] != probe.leaves[1]]:
                found.add_counted(_top_ups(uplinks, crossing[0]))
            for _ in found.rounds():
                pass  # each is read from what was kept
            self._loads = found
        return self._loads

    @property
    def measured(self) -> list[Measured]:
        """What the loads measured, in all rounds."""
        return self.loads.measured

    @property
    def modules(self) -> Mapping[PortRef, Module]:
        """The modules that stage 15 asks for, by port, as far as evidence shows them."""
        return self.once("modules", self._modules)

    def _modules(self) -> dict[PortRef, Module]:
        places = sorted({one.here for one in self.wanted if isinstance(one, OpticExpected)})
        seen = {end: self.look(end.device, partial(self._module, end)) for end in places}
        return {place: module for place, module in seen.items() if module is not None}

    def _module(self, place: PortRef, host: Host) -> Module:
        return optics.module(host, self.plan, place)

    def _pieces(self) -> Mapping[PortRef, Piece]:
        return pieces(self.plan, self.modules)

    def _load(self, flow: LoadProbe) -> Measured | None:
        return self.look(flow.sender, partial(ask.load, one=flow))

    def _counters(self, device: str, command: str) -> Carried | None:
        dialect = self.plan.switch[device].dialect
        return self.look(device, partial(ask.carried, command=command, dialect=dialect))

    @property
    def waited(self) -> list[Waited]:
        """What the latency probes measured, as far as it can be read."""
        if self._waited is None:
            asked = [one.probe for one in self.wanted if isinstance(one, LatencyExpected)]
            found = (self.look(probe.sender, partial(ask.latency, one=probe)) for probe in asked)
            self._waited = [one for one in found if one is not None]
        return self._waited

    @property
    def routes(self) -> Mapping[tuple[str, IPv4Network], RouteExpected]:
        """The planned routes by (device, prefix)."""
        if not self._routes:
            for one in self.wanted:
                if isinstance(one, RouteExpected):
                    self._routes[one.device, one.prefix] = one
        return self._routes


def _matched(every: Sequence[BandwidthExpected]) -> Iterator[tuple[str, list[LoadProbe]]]:
    """The flows of each random matching, in the order in which they ran."""
    found: dict[str, list[LoadProbe]] = {}
    for expectation in every:
        if expectation.matching:
            found.setdefault(expectation.matching, []).append(expectation.probe)
    yield from sorted(found.items(), key=lambda item: (item[1][0].port // MOST_RAILS, item[0]))


def _top_ups(
    uplinks: Sequence[CoverageExpected], flow: LoadProbe
) -> Iterator[tuple[str, LoadProbe]]:
    """The rounds that may have been added for uplinks, each with a flow like its own."""
    terms = with_streams(flow.terms, flow.terms.top_up_streams)
    return (
        (name, replace(flow, terms=terms))
        for expectation in uplinks[:1]
        for name in expectation.top_ups
    )
