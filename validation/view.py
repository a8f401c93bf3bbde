"""The fabric as far as evidence shows it, for locating a fault found somewhere else.

Nothing here decides a verdict: what cannot be seen is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Network
from typing import TypeVar

from testinfra.host import Host

from inventory.plan import Plan

from . import ask
from .backend import host
from .book import Book
from .expect import BandwidthExpected, RouteExpected
from .expectation import Expectation
from .load_result import Measured
from .loads import LoadProbe
from .pairs import retests
from .parse.fields import Unreadable
from .parse.frr import Bgp, Rib
from .parse.iproute import Links
from .parse.lldpcli import Neighbours
from .trust import MissingEvidence

T = TypeVar("T")


@dataclass
class View:
    """Other devices' answers. Asking notes what is missing, so the next trip may bring it."""

    plan: Plan
    book: Book
    wanted: tuple[Expectation, ...]
    _routes: dict[tuple[str, IPv4Network], RouteExpected] = field(default_factory=dict)
    _measured: list[Measured] | None = None

    def look(self, device: str, reader: Callable[[Host], T]) -> T | None:
        """What `reader` finds on a device, or None where it cannot be seen."""
        if device not in self.plan.management_mac:
            return None
        with self.book.aside():
            try:
                return reader(host(device, self.book))
            except (MissingEvidence, Unreadable):
                return None

    def silent(self, device: str) -> str:
        """Why the device did not answer, or ""."""
        return self.book.store.silent.get(device, "")

    def lldp(self, device: str) -> Neighbours | None:
        """What the device's ports hear."""
        return self.look(device, ask.lldp)

    def bgp(self, device: str) -> Bgp | None:
        """The switch's sessions."""
        return self.look(device, ask.bgp) if device in self.plan.switch else None

    def rib(self, device: str) -> Rib | None:
        """The routes that the switch's FRR selected."""
        return self.look(device, ask.rib) if device in self.plan.switch else None

    def ports(self, device: str) -> Links | None:
        """The device's ports as its kernel has them."""
        return self.look(device, ask.ports)

    @property
    def measured(self) -> list[Measured]:
        """What the loads measured, in both passes, as far as it can be read."""
        if self._measured is None:
            asked = [one.probe for one in self.wanted if isinstance(one, BandwidthExpected)]
            first = self._loads(asked)
            again = retests(self.plan, first)
            self._measured = first + self._loads(flow for row in again for flow in row)
        return self._measured

    def _loads(self, flows: Iterable[LoadProbe]) -> list[Measured]:
        found = (self.look(one.sender, partial(ask.load, one=one)) for one in flows)
        return [one for one in found if one is not None]

    @property
    def routes(self) -> Mapping[tuple[str, IPv4Network], RouteExpected]:
        """The planned routes by (device, prefix)."""
        if not self._routes:
            for one in self.wanted:
                if isinstance(one, RouteExpected):
                    self._routes[one.device, one.prefix] = one
        return self._routes
