"""Whether the fabric works through a switch that has just changed, before that is confirmed.

Asked inside the window of its push, of the switch itself: what it must make true of cables,
sessions, routes, its configuration, MTU and lossless class as they run, and what worked before.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from deploy.measuring.measure import measure_of
from inventory.problems import ExpectedError
from validation.evidence.store import EvidenceStore
from validation.judging.gate import Reason, Word, decide
from validation.run import ValidationResult

from .gatekeeper import Gatekeeper, pause_s

STAGES = frozenset({20, 25, 40})
_MOST_SAID = 4


@dataclass
class FabricCheck:
    """Judges the switches of one wave, for threads: all that wait are judged in one look.

    `configured` are the devices that are as planned: those before the wave, and then each of its
    switches that works. `stages` are those that are asked.
    """

    keeper: Gatekeeper
    wave: str
    configured: frozenset[str]
    stages: frozenset[int] = STAGES
    _waiting: dict[str, bool] = field(default_factory=dict)
    _judged: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _judging: Lock = field(default_factory=Lock)  # pytest judges: one run at a time in a process

    def missing(self, switch: str, deadline: float, *, whole: bool) -> tuple[str, ...]:
        """What does not hold at `deadline` (`time.monotonic`), in words; () once all does.

        A change that is not the `whole` of one is asked for what worked before, and no more.
        """
        begun = time.monotonic()
        while True:
            asked = time.monotonic()
            found = self._look(switch, whole)
            now = time.monotonic()
            last = deadline - (now - asked)  # the next look takes as long as this one did
            if not found or now >= last:
                return found
            time.sleep(pause_s(now - begun, last - begun))

    def _look(self, switch: str, whole: bool) -> tuple[str, ...]:
        self._waiting[switch] = whole
        with self._judging:
            if switch not in self._judged:
                asked = dict(self._waiting)
                try:
                    self._judged |= self._judge(asked)
                finally:  # who is not judged asks again, or has gone
                    for name in asked:
                        del self._waiting[name]
            return self._judged.pop(switch)

    def _judge(self, asked: Mapping[str, bool]) -> dict[str, tuple[str, ...]]:
        changed = frozenset(name for name, whole in asked.items() if whole)
        before = self.keeper.worked_before
        store = self.keeper.store(f"{self.wave}-unconfirmed")
        try:
            now = self._measured(store, self.configured | changed, changed)
            then = replace(now, findings=())
            if before:
                then = self._measured(store, self.keeper.answered_before, frozenset(asked))
        except ExpectedError as error:
            return dict.fromkeys(asked, (error.message,))
        said: dict[str, tuple[str, ...]] = {}
        for name in asked:
            brought, kept = _of(now, name), _of(then, name)
            due = decide(brought, (one.expectation for one in brought.findings)).reasons
            held = (one.expectation for one in kept.findings if one.expectation in before)
            said[name] = _words((*due, *decide(kept, (), held).reasons))
        self.configured |= {name for name in changed if not said[name]}
        return said

    def _measured(
        self, store: EvidenceStore, configured: frozenset[str], of: frozenset[str]
    ) -> ValidationResult:
        context, transport = self.keeper.timed(self.wave)
        record = self.keeper.record
        return measure_of(context, transport, store, configured, record, self.stages, of)


def _of(found: ValidationResult, switch: str) -> ValidationResult:
    return replace(found, findings=tuple(one for one in found.findings if one.device == switch))


def _words(reasons: Iterable[Reason]) -> tuple[str, ...]:
    said = [*dict.fromkeys(str(one) for one in reasons if one.word is not Word.GO)]
    more = [f"and {len(said) - _MOST_SAID} more"] if len(said) > _MOST_SAID else []
    return (*said[:_MOST_SAID], *more)
