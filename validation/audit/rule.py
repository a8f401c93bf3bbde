"""What a rule of the audit is: a class, as in ANTA, found by being a subclass here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from switch_configs.readback.spoken import spoken

from .box import Box
from .hosts.facts import NicFacts
from .hosts.host import Host
from .hosts.join import NicLink
from .links import Link
from .network import Network

Severity = Literal["critical", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, why it hurts, what to do.

    `place` is `file:line` of the fact, or of what lacks it; `lines` are all places that it speaks
    of, `place` first.
    """

    rule: str
    severity: Severity
    subject: str
    place: str
    found: str
    why: str
    fix: str
    lines: tuple[str, ...] = ()


# What lines on QoS that nobody reads may say otherwise.
_OF_CLASSES = ("class.", "qos.")
Spot = tuple[Box, str]
"""A box and a port, session or other thing of it; "" is the box itself."""


class Rule:
    """One thing that must hold. The docstring's first line is what; `why` is how it hurts, sourced.

    `critical`: jobs lose packets of the lossless class, or the fabric can lock up. `major`: it
    breaks at the next failure or load. `minor`: it slows or hides something. `needs` names the
    facts that it judges as `Dialect.unsaid` does (`qos.headroom`, `port.fec`): of a system whose
    configuration never says one, the rule says nothing. `of` is the fact whose line it points at.
    `fixes` says the fix in a system's words, where the system's own folder (`spoken.yml`) does not;
    it stands behind the fix in words of no system.
    """

    id: ClassVar[str]
    severity: ClassVar[Severity]
    why: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()
    of: ClassVar[str] = ""
    fixes: ClassVar[Mapping[str, str]] = {}

    def of_box(self, box: Box) -> Iterator[Problem]:  # noqa: ARG002 # a rule of links has none
        """What is wrong inside one box."""
        yield from ()

    def of_link(self, link: Link) -> Iterator[Problem]:  # noqa: ARG002 # nor one of boxes
        """What is wrong between two ends of a cable."""
        yield from ()

    def of_host(self, host: Host) -> Iterator[Problem]:  # noqa: ARG002 # nor of servers
        """What is wrong inside one server."""
        yield from ()

    def of_nic(self, link: NicLink) -> Iterator[Problem]:  # noqa: ARG002 # nor of their cables
        """What is wrong between a NIC and the switch port that it is cabled to."""
        yield from ()

    def of_network(self, network: Network) -> Iterator[Problem]:  # noqa: ARG002 # nor of one box
        """What is wrong with paths, or with many boxes together."""
        yield from ()

    def problem(
        self,
        box: Box,
        at: str,
        found: str,
        fix: str,
        *,
        values: Iterable[object] = (),
        also: Iterable[Spot] = (),
    ) -> Problem:
        """A problem of this rule at a port or another thing of a box; "" is the box itself.

        `values` are words of the line that is wrong, `also` where else the same fact is said.
        """
        subject = f"{box.name}:{at}" if at else box.name
        words = [str(one) for one in values]
        places = [one.place(name, self.of, words) for one, name in ((box, at), *also)]
        typed = spoken(box.system).fixes.get(self.id) or self.fixes.get(box.system)
        fix = f"{fix}: {typed}" if typed else fix
        lines = tuple(dict.fromkeys(places))
        if box.unread_qos and any(fact.startswith(_OF_CLASSES) for fact in self.needs):
            found += f" ({box.unread_qos} lines on QoS here are not understood)"
        return Problem(self.id, self.severity, subject, lines[0], found, self.why, fix, lines)

    def host_problem(
        self, host: Host, key: str, found: str, fix: str, nic: NicFacts | None = None
    ) -> Problem:
        """A problem of this rule at a fact of a server: `ens1.trust`, `NCCL_IB_TC`, `rules`."""
        name = nic.name if nic else key.rpartition(".")[0]
        at = name if host.nic(name) else ""
        subject = f"{host.name}:{at}" if at else host.name
        return Problem(self.id, self.severity, subject, host.place(key), found, self.why, fix)
