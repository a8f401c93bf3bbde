"""The gates of a rollout: measured until all that must be true is, or has had its time."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from deploy.context import Context
from deploy.measuring.measure import measure, passes_quietly
from deploy.measuring.stages import (
    LOADED_STAGE,
    NODE_STATE_STAGE,
    QUIET_STAGE,
    asked_stages,
    left_out,
    own_stages,
)
from deploy.record.journal import Record
from deploy.record.timing import TimedTransport
from deploy.transport.ssh_run import hang_up
from inventory.plan import Plan
from switch_configs.answers import answers
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.expect import expectations
from validation.judging.absence import absence
from validation.judging.advisory import is_advisory, settles_late
from validation.judging.gate import BUDGET, GateDecision, Word, decide
from validation.verdict import Finding, Verdict

from .survey import Survey

LOG = logging.getLogger(__name__)
# A gate polls: one sample taken right after a change would find half of it.
POLL_S = 0.2
# What settles does so in the first third of its time (sessions come up one connect retry after
# the push); from then on each wait is a fifth of the time that has passed, so that devices and
# controller are not asked without end about a fault that stays.
_QUICK_SHARE = 3
_LATER_SHARE = 5


@dataclass
class Gatekeeper:
    """Measures at the gates of one run, and knows what worked before it.

    `accept_loss`: a person lets switches be changed that still carry traffic.
    """

    context: Context
    transport: Transport
    record: Record
    run: int
    answered_before: frozenset[str] = frozenset()
    worked_before: frozenset[str] = frozenset()
    accept_loss: bool = False

    def remember_what_worked(self, before: Survey) -> None:
        """Measure the state before the run, as far as devices answer."""
        silent = {name for name, _ in before.silent}
        answered = frozenset(self.context.plan.devices) - silent
        if answered <= {self.context.plan.oob.name}:
            return
        self.context.say("measuring the state before ...")
        store = self.store("before")
        found = measure(*self.timed("before"), store, answered, self.record)
        self.answered_before, self.worked_before = answered, found.passed

    def gate(
        self, name: str, configured: frozenset[str], through: int = QUIET_STAGE
    ) -> GateDecision:
        """Measure until the gate can let go, or until the fabric should have settled.

        The first look comes later than BFD would notice a broken path: a push verifies,
        confirms, saves and reads back after it has applied. While routing settles, no probe
        is sent: each would only wait for answers that cannot come; the last look asks all.
        Once loads have run no look follows: what they find is no matter of settling. Where only
        clocks of switches do not follow yet, they are given their own time, which is longer.
        """
        settle, begun = settle_s(self.context.plan), time.monotonic()
        limit = settle
        while True:
            last = time.monotonic() > begun + limit
            findings, decision = self._look(name, configured, through, patient=not last)
            waited_s = time.monotonic() - begun
            LOG.debug("gate %s: %s after %.1f s", name, decision.word, waited_s)
            loaded = through >= LOADED_STAGE and passes_quietly(findings)
            if decision.word is Word.GO or loaded or last:
                break
            asked_of = [one for one in findings if one.device not in decision.parked]
            limit = max(settle, clocks_s(self.context.plan)) if _only_clocks(asked_of) else settle
            # A server is asked again over a new login: an old one keeps its old limits.
            with self.record.stopwatch(self.run, name)("wait"):
                hang_up(self.context.ssh_config, _servers_at_fault(findings))
                time.sleep(pause_s(time.monotonic() - begun, limit))
        asked = asked_stages(through, frozenset({LOADED_STAGE}))
        self.record.add_findings(self.run, name, findings, asked, decision.parked)
        waited_s, parked = time.monotonic() - begun, len(decision.parked)
        told = (name, decision.word, waited_s, len(findings), len(decision.reasons), parked)
        LOG.info("gate %s: %s after %.1f s, %d findings, %d reasons, %d parked", *told)
        self.context.say(f"gate {name}: {decision.word}, {len(findings)} expectations")
        return decision

    def _look(
        self, name: str, configured: frozenset[str], through: int, *, patient: bool
    ) -> tuple[tuple[Finding, ...], GateDecision]:
        """Measured twice: what must be true now, and what may not be lost.

        A path that is only half configured must have half its width now; where it had its
        whole width before, it must keep that. So what worked is asked exactly as it was
        then: probes are chosen among the members of a scope, and another scope has others.
        A patient look at which not all is true yet asks no second time: another look follows.
        """
        store, (context, transport) = self.store(name), self.timed(name)
        now = measure(
            context,
            transport,
            store,
            configured,
            self.record,
            through,
            only=frozenset({LOADED_STAGE}),
            patient=patient,
        )
        away = absence(self.context.plan, now.findings)
        required = (finding.expectation for finding in now.findings)
        if away.parked:
            rest, skip = configured - set(away.parked), left_out(through, {LOADED_STAGE})
            own = own_stages(self.context.site)
            wanted = expectations(self.context.plan, rest, through, skip, own=own)
            required = (
                expectation.id for expectation in wanted if expectation.device not in away.parked
            )
        asked = decide(now, required, away=away)
        comes_again = patient and asked.word is not Word.GO and not passes_quietly(now.findings)
        if not self.worked_before or comes_again:
            return now.findings, asked
        then = self.answered_before
        whole = measure(context, transport, store, then, self.record)
        kept = decide(whole, (), self.worked_before)
        lost = [
            finding
            for finding in whole.findings
            if finding.expectation in self.worked_before and finding.verdict is not Verdict.PASS
        ]
        merged = {finding.expectation: finding for finding in (*now.findings, *lost)}
        return tuple(merged.values()), _graver(asked, kept)

    def timed(self, name: str) -> tuple[Context, Transport]:
        """The context and the way to devices, both with the watch of one gate."""
        timed = self.record.stopwatch(self.run, name)
        return replace(self.context, timed=timed), TimedTransport(self.transport, timed)

    def store(self, name: str) -> EvidenceStore:
        """Where evidence goes that is asked for at this gate of the run."""
        folder = self.context.state_dir / "evidence" / f"run-{self.run}" / name
        return EvidenceStore(folder)


def pause_s(waited_s: float, settle_s: float) -> float:
    """How long to wait before the next look, having waited so long; never far past the end."""
    if waited_s < settle_s / _QUICK_SHARE:
        return POLL_S
    return max(POLL_S, min(waited_s / _LATER_SHARE, settle_s - waited_s + POLL_S))


def settle_s(plan: Plan) -> float:
    """How long a fabric may take to settle: twice the time in which BGP must have noticed.

    Hold time and connect retry of RFC 4271; BFD and LLDP are quicker here.
    """
    waits = [switch.timers.bgp_hold_s + switch.timers.bgp_connect_s for switch in plan.switches]
    return 2.0 * max(waits, default=5)


def clocks_s(plan: Plan) -> float:
    """How long clocks of switches may take to follow the servers that a push has told them."""
    systems = {one.dialect for one in plan.any_switch.values()}
    return max((known.follows_s for one in systems if (known := answers(one).clocks)), default=0.0)


def _only_clocks(findings: Iterable[Finding]) -> bool:
    bad = [one for one in findings if one.verdict is not Verdict.PASS and not is_advisory(one)]
    return bool(bad) and all(map(settles_late, bad))


def _graver(one: GateDecision, other: GateDecision) -> GateDecision:
    counting = [
        reason
        for decision in (one, other)
        for reason in decision.reasons
        if reason.word is not Word.GO or reason.suspect == BUDGET
    ]
    rank = list(Word)
    word = max((one.word, other.word), key=rank.index)
    ordered = sorted(counting, key=lambda reason: -rank.index(reason.word))
    reboot = tuple(sorted({*one.reboot, *other.reboot}))
    return replace(one, word=word, reasons=tuple(ordered), reboot=reboot)


def _servers_at_fault(findings: Iterable[Finding]) -> set[str]:
    bad = (finding for finding in findings if finding.verdict is not Verdict.PASS)
    return {finding.device for finding in bad if finding.stage == NODE_STATE_STAGE}
