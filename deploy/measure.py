"""Measuring: gather, probe, judge, and at a gate decide. Changes nothing on any device."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inventory.plan import Plan
from validation import archives, bios
from validation.absence import absence, allowance, told
from validation.archives import Archives
from validation.evidence import EvidenceStore
from validation.expect import expectations
from validation.gate import BUDGET, GateDecision, Word, decide
from validation.gather import Transport
from validation.ladder import ladder
from validation.let_go import is_let_go
from validation.pairing.matchings import Matchings
from validation.probes import probes
from validation.run import ValidationResult, validate
from validation.switches import wire
from validation.verdict import Figure, Finding, Verdict, worst

from .able import deployable
from .asked import refuse_empty
from .context import Context, no_journal
from .errors import RailbedError
from .probe_run import run as run_probes
from .record import Record
from .report_files import write_story
from .runs import remember_plan
from .saved_states import bios_texts, host_states
from .session import Selection, open_context, open_offline
from .ssh_run import SshTransport, hang_up
from .stage_runs import RUNS, Loading
from .stages import (
    LOADED_STAGE,
    NODE_STATE_STAGE,
    PROBED_STAGE,
    QUIET_STAGE,
    asked_stages,
    left_out,
    loading,
)
from .survey import Survey
from .work_run import run as run_work

# A gate polls: one sample taken right after a change would find half of it.
POLL_S = 0.5
VALIDATE = "validate"
_EXIT = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.INCONCLUSIVE: 3}


@dataclass(frozen=True, slots=True)
class Measured:
    """What a validation found, where its evidence lies, and what has to be known of that."""

    findings: tuple[Finding, ...]
    evidence_dir: Path
    report: Path | None
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst of all findings; none at all is inconclusive."""
        return worst([one.verdict for one in self.findings])

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 inconclusive."""
        return _EXIT[self.verdict]


@dataclass
class Gatekeeper:
    """Measures at the gates of one run, and knows what worked before it."""

    context: Context
    transport: Transport
    record: Record
    run: int
    answered_before: frozenset[str] = frozenset()
    worked_before: frozenset[str] = frozenset()

    def remember_what_worked(self, before: Survey) -> None:
        """Measure the state before the run, as far as devices answer."""
        silent = {name for name, _ in before.silent}
        answered = frozenset(self.context.plan.devices) - silent
        if answered <= {self.context.plan.oob.name}:
            return
        self.context.say("measuring the state before ...")
        store = self._store("before")
        found = measure(self.context, self.transport, store, answered, self.record)
        self.answered_before, self.worked_before = answered, found.passed

    def gate(
        self, name: str, configured: frozenset[str], through: int = QUIET_STAGE
    ) -> GateDecision:
        """Measure until the gate can let go, or until the fabric should have settled.

        The first look comes later than BFD would notice a broken path: a push verifies,
        confirms, saves and reads back after it has applied. While routing settles, no probe
        is sent: each would only wait for answers that cannot come; the last look asks all.
        Loads run once: what they find is no matter of settling.
        """
        deadline = time.monotonic() + settle_s(self.context.plan)
        while True:
            last = time.monotonic() > deadline
            findings, decision = self._look(name, configured, through, patient=not last)
            loaded = through >= LOADED_STAGE and passes_quietly(findings)
            if decision.word is Word.GO or loaded or last:
                break
            # A server is asked again over a new login: an old one keeps its old limits.
            hang_up(self.context.ssh_config, _servers_at_fault(findings))
            time.sleep(POLL_S)
        asked = asked_stages(through, frozenset({LOADED_STAGE}))
        self.record.add_findings(self.run, name, findings, asked, decision.parked)
        self.context.say(f"gate {name}: {decision.word}, {len(findings)} expectations")
        return decision

    def _look(
        self, name: str, configured: frozenset[str], through: int, *, patient: bool
    ) -> tuple[tuple[Finding, ...], GateDecision]:
        """Measured twice: what must be true now, and what may not be lost.

        A path that is only half configured must have half its width now; where it had its
        whole width before, it must keep that. So what worked is asked exactly as it was
        then: probes are chosen among the members of a scope, and another scope has others.
        """
        store = self._store(name)
        now = measure(
            self.context,
            self.transport,
            store,
            configured,
            self.record,
            through,
            only=frozenset({LOADED_STAGE}),
            patient=patient,
        )
        away = absence(self.context.plan, now.findings)
        required = (one.expectation for one in now.findings)
        if away.parked:
            rest, skip = configured - set(away.parked), left_out(through, {LOADED_STAGE})
            wanted = expectations(self.context.plan, rest, through, skip)
            required = (one.id for one in wanted if one.device not in away.parked)
        asked = decide(now, required, away=away)
        if not self.worked_before:
            return now.findings, asked
        then = self.answered_before
        whole = measure(self.context, self.transport, store, then, self.record)
        kept = decide(whole, (), self.worked_before)
        lost = [
            one
            for one in whole.findings
            if one.expectation in self.worked_before and one.verdict is not Verdict.PASS
        ]
        merged = {one.expectation: one for one in (*now.findings, *lost)}
        return tuple(merged.values()), _graver(asked, kept)

    def _store(self, name: str) -> EvidenceStore:
        folder = self.context.state_dir / "evidence" / f"run-{self.run}" / name
        return EvidenceStore(folder)


def settle_s(plan: Plan) -> float:
    """How long a fabric may take to settle: twice the time in which BGP must have noticed.

    Hold time and connect retry of RFC 4271; BFD and LLDP are quicker here.
    """
    waits = [one.timers.bgp_hold_s + one.timers.bgp_connect_s for one in plan.switches]
    return 2.0 * max(waits, default=5)


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
    return GateDecision(word, tuple(ordered), one.parked)


def _has_settled(findings: Iterable[Finding]) -> bool:
    return all(one.verdict is Verdict.PASS or is_let_go(one) for one in findings)


def _servers_at_fault(findings: Iterable[Finding]) -> set[str]:
    bad = (one for one in findings if one.verdict is not Verdict.PASS)
    return {one.device for one in bad if one.stage == NODE_STATE_STAGE}


def passes_quietly(findings: Iterable[Finding]) -> bool:
    """Whether all stages pass that load nothing: only then do loads mean anything."""
    quiet = [one.verdict for one in findings if one.stage <= QUIET_STAGE]
    return worst(quiet) is Verdict.PASS


@dataclass
class _Measurement:
    """One `measure`: what all of its looks have in common."""

    context: Context
    transport: Transport | None
    store: EvidenceStore
    configured: frozenset[str]
    record: Record
    skip: frozenset[int]
    past: Mapping[str, tuple[Figure, ...]]

    def judged(self, last: int, scope: frozenset[str]) -> ValidationResult:
        """What the stages up to `last` say of the devices in `scope`, gathering what is missing."""
        found = validate(
            self.context.plan,
            last,
            self.store,
            self.transport,
            scope,
            self.context.state_dir / "learned.json",
            changed=self.record.last_changed(),
            leave_out=self.skip,
            history=self.past,
        )
        # The OOB server is asked for all leases, whoever answers on them.
        left = self.configured - scope
        kept = tuple(one for one in found.findings if one.device not in left)
        return replace(found, findings=kept) if left else found

    def loaded(
        self, found: ValidationResult, scope: frozenset[str], todo: Sequence[int]
    ) -> ValidationResult:
        """Run the loads of the stages that may be, in order; `found` is of the quiet ones."""
        if self.transport is None:
            return found
        for number in todo:
            if blocking := _not_passing(found.findings, ladder()[number].needs):
                self.context.say(f"stage {number} is not loaded: stage {blocking} does not pass")
                continue
            RUNS[number](Loading(self.context, self.transport, self.store, scope))
            found = self.judged(number, scope)
        return found


def measure(
    context: Context,
    transport: Transport | None,
    store: EvidenceStore,
    configured: frozenset[str],
    record: Record,
    through: int = QUIET_STAGE,
    *,
    only: frozenset[int] = frozenset(),
    patient: bool = False,
) -> ValidationResult:
    """Probe and gather (where there is a transport), judge, save the evidence.

    A `patient` caller comes again: where stages before the probes do not pass yet, no probe is
    sent, and what needs one stays without evidence. Stages that load (of them `only` those, if
    any are named) run last, in order, each once all that can be measured without loads passes
    and every loading stage that it needs; else they stay without evidence. Nodes that do not
    answer are left out of probes and loads where the absence budget allows it.
    """
    plan, todo = context.plan, loading(through, only)
    past = record.history() if todo else {}
    mine = _Measurement(
        context, transport, store, configured, record, left_out(through, only), past
    )
    if transport is None:
        return mine.judged(through, configured)
    rest, away = configured, None
    if allowance(plan):
        away = mine.judged(min(through, NODE_STATE_STAGE), configured)
        rest = configured - set(absence(plan, away.findings).parked)
    if through >= PROBED_STAGE:
        if patient and not _has_settled(mine.judged(NODE_STATE_STAGE, rest).findings):
            return _with_parked(mine.judged(through, rest), away, configured - rest)
        _probe(plan, rest, transport, store)
    found = mine.judged(min(through, QUIET_STAGE), rest)
    if todo and passes_quietly(found.findings):
        mine.loaded(found, rest, todo)
    elif todo:
        context.say("nothing is loaded: earlier stages do not pass")
    return _with_parked(mine.judged(through, rest) if todo else found, away, configured - rest)


def _probe(plan: Plan, scope: frozenset[str], transport: Transport, store: EvidenceStore) -> None:
    """All that is sent and loads nothing: packets between nodes, and over each single cable."""
    run_probes(plan, probes(plan, scope), transport, store)
    run_work(plan, (wire.step(plan, scope),), transport, store)


def _with_parked(
    found: ValidationResult, before: ValidationResult | None, parked: frozenset[str]
) -> ValidationResult:
    """What was asked of the rest, and what was open or failed of those that were left out."""
    if before is None or not parked:
        return found
    known = {one.expectation for one in found.findings}
    theirs = [one for one in before.findings if one.expectation not in known]
    every = sorted((*found.findings, *theirs), key=lambda one: (one.stage, one.expectation))
    return replace(found, findings=tuple(every))


def _not_passing(findings: Iterable[Finding], needs: Iterable[int]) -> int | None:
    """The first of the needed stages that was asked and does not pass."""
    bad = {one.stage for one in findings if one.verdict is not Verdict.PASS and not is_let_go(one)}
    return min(bad.intersection(needs), default=None)


def validate_site(
    selection: Selection,
    through: int,
    saved: Sequence[str],
    say: Callable[[str], None],
    only: frozenset[int] = frozenset(),
    asked: Matchings | None = None,
) -> Measured:
    """Validate live, or from what is saved; either way the run is on record.

    `only`: of the stages that load, these. `asked` are random matchings beyond the plan; saved
    evidence must hold these, and those that its own run was asked.
    """
    context = (open_offline if saved else open_context)(selection, say, no_journal)
    states = host_states(context.plan, saved)
    words = _asked_words(context.plan, asked, states)
    record = Record(context.state_dir / "record.sqlite")
    run = record.begin_run(context.plan.site, context.plan.digest, replay=bool(saved))
    remember_plan(record, context.plan)
    outcome = "failed"
    try:
        devices = deployable(context.plan)
        if states:
            folder = Path(saved[0].rpartition("=")[2])
            findings = _by_archives(context.plan, states, through, record)
            findings = (*bios.findings(context.plan, bios_texts(saved), states.nodes), *findings)
        elif saved:
            folder = Path(saved[0])
            store = EvidenceStore.load(folder)
            store.asked |= words
            findings = measure(context, None, store, devices, record, through, only=only).findings
        else:
            folder = context.state_dir / "evidence" / f"run-{run}" / VALIDATE
            transport, store = SshTransport(context.ssh_config), EvidenceStore(folder)
            store.asked |= words
            hang_up(context.ssh_config, devices)
            found = measure(context, transport, store, devices, record, through, only=only)
            findings = found.findings
        away = absence(context.plan, findings)
        record.add_findings(run, VALIDATE, findings, asked_stages(through, only), away.parked)
        outcome = str(worst([one.verdict for one in findings]))
    except KeyboardInterrupt:
        outcome = "interrupted by hand"
        raise
    finally:
        record.end_run(run, outcome)
        page = write_story(context, record, run)
        record.close()
    again = f"{asked.words}; the same pairs again: {asked.again}" if asked else ""
    why = "" if findings else _nothing_asked(context.plan, through)
    notes = (*(states.notes if states else ()), *filter(None, [told(away), again, why]))
    return Measured(findings, folder, page, notes)


def _nothing_asked(plan: Plan, through: int) -> str:
    """Why a site has no expectation at all."""
    here, every = len(deployable(plan)), len(set(plan.devices) - set(plan.oob_switch))
    rows = f"{here} of {every} devices have an as-built row (`railbed asbuilt`)"
    return f"nothing was asked: stages go to {through}, and {rows}"


def _asked_words(plan: Plan, asked: Matchings | None, states: Archives | None) -> set[str]:
    """As evidence keeps it; RailbedError where nothing could answer it."""
    if asked is None:
        return set()
    if states:
        raise RailbedError("--matchings with host states: they hold no loads")
    refuse_empty(plan, deployable(plan), asked)
    return {asked.words}


def _by_archives(plan: Plan, found: Archives, through: int, record: Record) -> tuple[Finding, ...]:
    """What host states answer, of the nodes that they are of."""
    trust = replace(found.trust, changed=record.last_changed())
    return validate(
        plan, through, found.store, None, found.nodes, checks=archives.CHECKS, trust=trust
    ).findings
