"""Makes faults in a lab that is as planned, measures, undoes them, and sees that all is well."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.context import Context, no_journal
from deploy.loads.s60_congestion_run import TURN_FILE
from deploy.measuring.measure import measure
from deploy.measuring.stages import LOADED_STAGE, QUIET_STAGE, loading
from deploy.record.journal import Record
from deploy.rollout.change import apply_site
from deploy.rollout.preconditions import deployable
from deploy.session import Selection, open_context
from deploy.transport.ssh_run import SshTransport, hang_up
from validation.evidence.store import EvidenceStore
from validation.judging.advisory import is_advisory
from validation.verdict import Finding, Verdict

from . import cables, collectives, congestion, nodes, routing, switches
from .fault import FAULTS, Fault, Lab
from .judge import Outcome, outcome

__all__ = [
    "FAULTS",
    "LAST_STAGE",
    "Driver",
    "cables",
    "collectives",
    "congestion",
    "nodes",
    "routing",
    "switches",
]
HEALS_S = SETTLES_S = 60.0
LAST_STAGE = 70  # that loads the rails


@dataclass
class Driver:
    """One lab under test. `say` tells a person what goes on."""

    selection: Selection
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self.lab = Lab(self.selection.lab)
        self.context: Context = open_context(self.selection, lambda _: None, no_journal)
        self.transport = SshTransport(self.context.ssh_config)
        self.folder: Path = self.selection.state_dir / "evidence" / "faults"

    def look(self, through: int = QUIET_STAGE, *, patient: bool = False) -> tuple[Finding, ...]:
        """Measure once, by new logins, as `railbed validate` does; of the loads those of the rails.

        Each run of stage 60 has other receivers; here all have the same ones.
        """
        (self.context.state_dir / TURN_FILE).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        devices = deployable(self.context.plan)
        hang_up(self.context.ssh_config, devices)
        record = Record(self.selection.state_dir / "record.sqlite")
        try:
            found = measure(
                self.context,
                self.transport,
                EvidenceStore(self.folder),
                devices,
                record,
                through,
                only=frozenset(one for one in loading(through) if one >= LOADED_STAGE),
                patient=patient,
            )
        finally:
            record.close()
        return found.findings

    def one(self, fault: Fault) -> Outcome:
        """One fault, made, measured and undone."""
        begin = time.monotonic()
        through = fault.stage if fault.loads else QUIET_STAGE
        with self._made(fault):
            while True:
                # Where the trick itself shows in an early stage, later ones are asked all the same.
                found = self.look(through, patient=not fault.hidden)
                seconds = time.monotonic() - begin
                said = outcome(fault, found, seconds)
                # What protocols say on their way is not the fault's; what they stay with is.
                done = said.caught and said.right and said.in_place
                if done or not fault.settles or seconds > SETTLES_S:
                    return said

    @contextmanager
    def _made(self, fault: Fault) -> Iterator[None]:
        steps = fault.make(self.lab)
        next(steps)
        try:
            yield
        finally:
            next(steps, None)

    def heal(self, fault: Fault) -> None:
        """Wait until all is well; where it does not come by itself, the plan is applied."""
        end = time.monotonic() + HEALS_S
        through = fault.stage if fault.stage in (40, 42) else 30
        while bad := _bad(self.look(through)):
            if time.monotonic() > end:
                self.say(f"{fault.name}: not undone: {bad[0].expectation}: {bad[0].found}")
                self._apply()
                return

    def _apply(self) -> None:
        """Bring the lab back by its plan. RuntimeError where that does not go: stop here."""
        result = apply_site(self.selection, "", dry_run=False, say=lambda _: None)
        if result.exit_code:
            raise RuntimeError(result.outcome)

    def run(self, faults: Sequence[Fault]) -> Iterator[Outcome]:
        """Each fault in turn, the lab well before and after each."""
        for fault in faults:
            try:
                yield self.one(fault)
            except RuntimeError as error:
                self.say(f"{fault.name} could not be made or undone: {error}")
                self._apply()
                yield Outcome(fault, None, Verdict.PASS, (), 0)
            self.heal(fault)


def _bad(findings: Sequence[Finding]) -> list[Finding]:
    return [one for one in findings if one.verdict is not Verdict.PASS and not is_advisory(one)]
