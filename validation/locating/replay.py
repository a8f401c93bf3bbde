"""All rounds of a run, from what was kept of them: planned ones, then the extra ones. Pure.

What the locator asks for follows from what it saw, so a judge who reads the same evidence asks
for the same rounds, and finds their frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.carried import Carried
from validation.judging.past import Past
from validation.stages.s15_optics.batch import Piece

from ..pairing.coverage import CoverageExpected, between, command
from ..pairing.load_result import Measured
from ..pairing.loads import LoadProbe
from ..pairing.own_past import lost
from ..pairing.schedule import FIRST_PORT, MOST_RAILS, schedule
from .again import again
from .extra import Planner
from .ground import Ground
from .located import Located, locate
from .seen import Seen

Flows = tuple[LoadProbe, ...]
_GBIT_PER_BYTE = 8e-9


class Replay:
    """The rounds of one run. `flow` and `counters` read what was kept, None where nothing was.

    `pieces` tells of optics and their batches; it is called where a flow is slow. They decide who
    is named, never what is asked for: who runs the rounds needs no evidence of optics. `past`
    has the figures of earlier runs: a flow that is below its own runs again.
    """

    def __init__(
        self,
        plan: Plan,
        wanted: Sequence[CoverageExpected],
        flow: Callable[[LoadProbe], Measured | None],
        counters: Callable[[str, str], Carried | None],
        pieces: Callable[[], Mapping[PortRef, Piece]] = dict,
        past: Past | None = None,
    ) -> None:
        self._plan, self._wanted, self._past = plan, wanted, past or {}
        self._flow, self._counters, self._pieces = flow, counters, pieces
        self.planned: list[Seen] = []
        self.extra: list[Seen] = []

    def add_planned(self, flows: Iterable[LoadProbe]) -> None:
        """The planned flows; their ports say in which round each ran."""
        rounds: dict[int, list[LoadProbe]] = {}
        for probe in flows:
            rounds.setdefault((probe.port - FIRST_PORT) // MOST_RAILS, []).append(probe)
        for name, (_, row) in enumerate(sorted(rounds.items()), 1):
            self.planned.append(self._seen(str(name), row))

    def add_round(self, name: str, flows: Iterable[LoadProbe]) -> None:
        """A round that was asked beyond the planned ones; its flows are judged like theirs."""
        self.planned.append(self._seen(name, flows))

    def add_counted(self, rounds: Iterable[tuple[str, LoadProbe]]) -> None:
        """Rounds of which only counters count: names, and a flow like those that ran."""
        for name, flow in rounds:
            if sent := self._sent(name):
                self.planned.append(Seen((), sent, asked=(flow,)))

    def rounds(self) -> Iterator[tuple[str, Flows]]:
        """The extra rounds with their names; each is looked up once the next one is asked for."""
        while self._is_open:
            flows = self._planner.next_round(self.planned, self.extra)
            if not flows:
                return
            name = f"extra {len(self.extra) + 1}"
            yield name, flows
            seen = self._seen(name, flows)
            if not seen.flows:
                return
            self.extra.append(seen)

    @property
    def measured(self) -> list[Measured]:
        """All results."""
        return [flow for each in (*self.planned, *self.extra) for flow in each.flows]

    @cached_property
    def located(self) -> Located:
        """Who is to blame, by all rounds."""
        return locate(self._ground, [*self.planned, *self.extra])

    def was_chance(self, flow: LoadProbe) -> bool:
        """Whether a flow was slow, or below its past, by chance alone.

        The same two NICs were good when they ran again, and so was all that lies between them.
        """
        ran = again(flow, self.extra, lambda one: one.good and not self._is_below_past(one))
        return ran.was_chance and self.located.clears(flow)

    @property
    def _is_open(self) -> bool:
        every = (flow for each in (*self.planned, *self.extra) for flow in each.flows)
        return any(one.slow or self._is_below_past(one) for one in every)

    def _is_below_past(self, one: Measured) -> bool:
        return bool(one.good and lost(one, self._past))

    @cached_property
    def _ground(self) -> Ground:
        return Ground(self._plan, self._pieces())

    @cached_property
    def _planner(self) -> Planner:
        return Planner(self._ground, len(schedule(self._plan)), self._is_below_past)

    def _seen(self, name: str, flows: Iterable[LoadProbe]) -> Seen:
        found = tuple(one for one in map(self._flow, flows) if one is not None)
        return Seen(found, self._sent(name) if Seen(found).crossing else {})

    def _sent(self, name: str) -> Mapping[PortRef, float]:
        """What each hop sent in a round; nothing where not all of them were counted."""
        sent: dict[PortRef, float] = {}
        for expectation in self._wanted:
            both = [
                self._counters(expectation.device, command(name, w)) for w in ("before", "after")
            ]
            before, after = both
            if before is None or after is None:
                return {}
            try:
                carried = between(expectation, before, after)
            except Unreadable:
                return {}
            for port, (down, up) in carried.items():
                lower = PortRef(expectation.device, port)
                cable = self._plan.cable_at[lower]
                upper = cable.b if cable.a == lower else cable.a
                sent[upper], sent[lower] = down * _GBIT_PER_BYTE, up * _GBIT_PER_BYTE
        return sent
