"""Reads the switches' uplink counters around rounds, and plans rounds for those not loaded yet."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Literal

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from switch_configs.answers.carried import Carried
from validation.counters.ask import carried as asked
from validation.counters.read import carried
from validation.evidence.gather import WORKERS, Ask, Transport, gather
from validation.evidence.store import EvidenceStore
from validation.pairing.coverage import (
    CoverageExpected,
    Lane,
    command,
    is_counted,
    lanes,
    seen,
)
from validation.pairing.loads import LoadProbe
from validation.pairing.top_up import top_up

MOST_AT_ONCE = 128
_READ_S = 60.0  # counters that are refreshed every few seconds are waited for, on the switch
_FIRST_TOP_UP = 400  # numbers of rounds, which name ports: beyond those of any schedule


class UplinkWatch:
    """The counters of one run: what is asked before and after rounds, what they have shown."""

    def __init__(
        self,
        plan: Plan,
        wanted: Sequence[CoverageExpected],
        transport: Transport,
        store: EvidenceStore,
    ) -> None:
        self._plan, self._transport, self._store = plan, transport, store
        self._wanted = tuple(
            expectation for expectation in wanted if is_counted(plan, expectation.device)
        )

    @property
    def wanted(self) -> tuple[CoverageExpected, ...]:
        """What is counted."""
        return self._wanted

    def kept(self, device: str, line: str) -> Carried | None:
        """The counters in a frame, None where there are none that can be read."""
        with suppress(Unreadable):
            return self._kept(device, line)
        return None

    @contextmanager
    def over(self, name: str, crosses: bool, errors: MutableMapping[str, str]) -> Iterator[None]:
        """Count a round, if it crosses leaves at all."""
        if crosses:
            self._read(name, "before", errors)
        yield
        if crosses:
            self._read(name, "after", errors)

    def top_ups(self, configured: frozenset[str]) -> Iterator[tuple[str, tuple[LoadProbe, ...]]]:
        """Round after round, with its name, until all is seen loaded or none is left.

        A switch whose counters cannot be read is loaded for no longer than the others need.
        """
        names = self._wanted[0].top_ups if self._wanted else ()
        for number, name in enumerate(names, _FIRST_TOP_UP):
            missing = self._missing()
            flows = top_up(self._plan, configured, missing, number) if missing else ()
            if not flows:
                return
            yield name, flows

    def _missing(self) -> frozenset[Lane]:
        left: set[Lane] = set()
        for expectation in self._wanted:
            try:
                left |= lanes([expectation]) - seen(
                    expectation, partial(self._kept, expectation.device)
                )
            except Unreadable:
                continue
        return frozenset(left)

    def _kept(self, device: str, line: str) -> Carried | None:
        frame = self._store.get(device, line)
        if frame is None:
            return None
        if frame.exit_status:
            raise Unreadable(f"{line}: ended with status {frame.exit_status}")
        dialect = self._plan.switch[device].dialect
        return carried(dialect, frame.payload.decode("utf-8", "replace"))

    def _read(
        self, name: str, when: Literal["before", "after"], errors: MutableMapping[str, str]
    ) -> None:
        asks = {
            expectation.device: [self._ask(expectation, name, when)] for expectation in self._wanted
        }
        workers = min(MOST_AT_ONCE, max(WORKERS, len(asks)))
        found = gather(self._plan, self._transport, asks, None, workers)
        self._store.add(found.frames)
        errors.update(found.errors)

    def _ask(self, one: CoverageExpected, name: str, when: Literal["before", "after"]) -> Ask:
        dialect = self._plan.switch[one.device].dialect
        shell = asked(dialect, [uplink.port for uplink in one.uplinks])
        if shell is None:
            raise ValueError(f"{one.device}: dialect {dialect} is read, and cannot be asked")
        return Ask(command(name, when), shell, _READ_S)
