"""Measuring: gather, probe, judge, and at a gate decide. Changes nothing on any device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.loads.cut_off_drill import end_cut_off
from deploy.loads.loading import Loading, runner
from deploy.loads.probe_run import run as run_probes
from deploy.loads.work_run import run as run_work
from deploy.record.journal import Record
from deploy.record.runs import remember_plan
from deploy.record.under_way import drilling
from deploy.report.files import write_story
from deploy.rollout.moved_plan import told_as_one
from deploy.rollout.preconditions import by_people, deployable
from deploy.servers.saved_states import bios_texts, host_states
from deploy.session import Selection, open_context, open_offline
from deploy.switches.typed_run import way
from deploy.transport.ssh_run import hang_up
from inventory.plan import Plan
from validation.evidence import age
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.evidence.trust import utc_now
from validation.expect import expectations
from validation.host_state import archives, bios
from validation.host_state.archives import Archives
from validation.judging.absence import absence, allowance, told
from validation.judging.advisory import is_advisory, settles_late
from validation.ladder import ladder
from validation.pairing.matchings import Matchings, asked_in
from validation.probes.planned import probes
from validation.run import ValidationResult, validate
from validation.stages.s42_loss import wire
from validation.verdict import Figure, Finding, Verdict, worst

from .requested import refuse_empty
from .stages import (
    NODE_STATE_STAGE,
    PROBED_STAGE,
    QUIET_STAGE,
    asked_stages,
    left_out,
    load_phase,
    loading,
    own_stages,
)

VALIDATE = "validate"
MOST_TRIES = 3  # of a stage of which most fails at once
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
        return worst([finding.verdict for finding in self.findings])

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 inconclusive."""
        return _EXIT[self.verdict]


def _has_settled(findings: Iterable[Finding]) -> bool:
    """Whether probes can tell anything; a clock that does not follow yet is in no packet's way."""
    return all(
        finding.verdict is Verdict.PASS or is_advisory(finding) or settles_late(finding)
        for finding in findings
    )


def passes_quietly(findings: Iterable[Finding]) -> bool:
    """Whether all stages pass that load nothing: only then do loads mean anything."""
    quiet = [finding.verdict for finding in findings if finding.stage <= QUIET_STAGE]
    return worst(quiet) is Verdict.PASS


def fails_everywhere(findings: Iterable[Finding], number: int) -> bool:
    """Whether most of what one check of a stage asks fails."""
    asked = Counter(
        (finding.check, finding.verdict is Verdict.FAIL)
        for finding in findings
        if finding.stage == number
    )
    return any(count > asked[check, False] for (check, fails), count in asked.items() if fails)


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
    of: frozenset[str] | None = None

    def judged(self, last: int, scope: frozenset[str]) -> ValidationResult:
        """What the stages up to `last` say of the devices in `scope`, gathering what is missing."""
        with self.context.timed("stages"):
            found = validate(
                self.context.plan,
                last,
                self.store,
                self.transport,
                scope,
                self.context.state_dir / "learned.json",
                changed=self.record.last_changed(),
                since=self.record.since(),
                leave_out=self.skip,
                history=self.past,
                own=own_stages(self.context.site),
                of=self.of,
                unconfirmed=self.of or frozenset(),
            )
        if self.transport is not None and (times := [frame.time for frame in self.store]):
            self.record.saw(max(times))
        # The OOB server is asked for all leases, whoever answers on them.
        left = self.configured - scope
        kept = tuple(finding for finding in found.findings if finding.device not in left)
        return replace(found, findings=kept) if left else found

    def unasked(
        self, last: int, scope: frozenset[str], found: Iterable[Finding]
    ) -> tuple[Finding, ...]:
        """What else the stages up to `last` want to know: nobody knows, so nothing may pass."""
        answered = {finding.expectation for finding in found}
        asked = asked_in(self.store)
        due = expectations(
            self.context.plan,
            scope,
            last,
            self.skip,
            asked,
            own_stages(self.context.site),
            words=self.store.asked,
        )
        why = "not asked while earlier stages do not pass"
        rows = (expectation for expectation in due if expectation.id not in answered)
        return tuple(
            Finding(
                *(expectation.stage, expectation.check, expectation.device, expectation.id),
                *(Verdict.INCONCLUSIVE, "", why, expectation.says),
            )
            for expectation in rows
        )

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
            found = self._by_loads(number, scope, self.transport)
        return found

    def _by_loads(
        self, number: int, scope: frozenset[str], transport: Transport
    ) -> ValidationResult:
        """Run the loads of one stage and judge it; anew where most of it fails at once.

        No single part slows all: nodes whose processors were busy with something else do, for a
        moment, and a wrong setting on all of them does, every time.
        """
        known = {(frame.device, frame.command) for frame in self.store}
        tries = MOST_TRIES if ladder()[number].compared else 1
        while True:
            with self.context.timed(load_phase(number)):
                runner(number)(Loading(self.context, transport, self.store, scope, self.past))
            found, tries = self.judged(number, scope), tries - 1
            if not tries or not fails_everywhere(found.findings, number):
                return found
            self.context.say(f"most of stage {number} fails at once: it is measured anew ...")
            for one in [*self.store]:
                if (one.device, one.command) not in known:
                    self.store.drop(one)


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
    sent, and nothing else is asked: later stages are inconclusive. Stages that load (of them
    `only` those, if any are named) run last, in order, each once all that can be measured without
    loads passes and every loading stage that it needs; else they stay without evidence. Nodes
    that do not answer are left out of probes and loads where the absence budget allows it.
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
        if patient and not _has_settled((early := mine.judged(NODE_STATE_STAGE, rest)).findings):
            unasked = mine.unasked(through, rest, early.findings)
            early = replace(early, findings=(*early.findings, *unasked))
            return _with_parked(early, away, configured - rest)
        with context.timed("probes"):
            _probe(plan, rest, transport, store)
    found = mine.judged(min(through, QUIET_STAGE), rest)
    if todo and passes_quietly(found.findings):
        mine.loaded(found, rest, todo)
    elif todo:
        context.say("nothing is loaded: earlier stages do not pass")
    return _with_parked(mine.judged(through, rest) if todo else found, away, configured - rest)


def measure_of(
    context: Context,
    transport: Transport,
    store: EvidenceStore,
    configured: frozenset[str],
    record: Record,
    stages: frozenset[int],
    of: frozenset[str],
) -> ValidationResult:
    """Gather and judge what `stages` expect of the devices `of` once `configured` is in place.

    Nothing is sent but questions, and `of` alone is asked; others where they say more of a fault.
    """
    skip = frozenset(ladder()) - stages
    mine = _Measurement(context, transport, store, configured, record, skip, {}, of)
    return mine.judged(max(stages), configured)


def _probe(plan: Plan, scope: frozenset[str], transport: Transport, store: EvidenceStore) -> None:
    """All that is sent and loads nothing: packets between nodes, and over each single cable.

    Nodes send the ones, switches the others, side by side: each waits a second for its packets.
    What another scope of the same look has sent is not sent again.
    """
    cables = EvidenceStore()
    over = tuple(
        job for job in wire.step(plan, scope) if store.get(job.device, job.command) is None
    )
    between = [
        probe for probe in probes(plan, scope) if store.get(probe.sender, probe.command) is None
    ]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(run_work, plan, (over,), transport, cables)
        run_probes(plan, between, transport, store)
        asked.result()
    store.add(cables)
    store.silent.update(cables.silent)
    store.save()


def _with_parked(
    found: ValidationResult, before: ValidationResult | None, parked: frozenset[str]
) -> ValidationResult:
    """What was asked of the rest, and what was open or failed of those that were left out."""
    if before is None or not parked:
        return found
    known = {finding.expectation for finding in found.findings}
    theirs = [finding for finding in before.findings if finding.expectation not in known]
    every = sorted((*found.findings, *theirs), key=lambda one: (one.stage, one.expectation))
    return replace(found, findings=tuple(every))


def _not_passing(findings: Iterable[Finding], needs: Iterable[int]) -> int | None:
    """The first of the needed stages that was asked and does not pass."""
    bad = {
        finding.stage
        for finding in findings
        if finding.verdict is not Verdict.PASS and not is_advisory(finding)
    }
    return min(bad.intersection(needs), default=None)


def validate_site(
    selection: Selection,
    through: int,
    saved: Sequence[str],
    say: Callable[[str], None],
    only: frozenset[int] = frozenset(),
    asked: Matchings | None = None,
    more: frozenset[str] = frozenset(),
) -> Measured:
    """Validate live, or from what is saved; either way the run is on record.

    `only`: of the stages that load, these. `asked` are random matchings beyond the plan; saved
    evidence must hold these, and those that its own run was asked. `more` are
    words of stages that this run is asked beside.
    """
    context = (open_offline if saved else open_context)(selection, say, no_journal)
    states = host_states(context.plan, saved)
    words = _asked_words(context.plan, asked, states) | more
    record = Record(context.state_dir / "record.sqlite")
    run = record.begin_run(context.plan.site, context.plan.digest, replay=bool(saved))
    remember_plan(record, context.plan)
    outcome = "failed"
    try:
        devices = deployable(context.plan)
        if states:
            folder, store = Path(saved[0].rpartition("=")[2]), states.store
            findings = _by_archives(context.plan, states, through, record)
            findings = (*bios.findings(context.plan, bios_texts(saved), states.nodes), *findings)
        elif saved:
            folder = Path(saved[0])
            store = EvidenceStore.load(folder)
            store.asked |= words
            findings = measure(context, None, store, devices, record, through, only=only).findings
        else:
            folder = context.state_dir / "evidence" / f"run-{run}" / VALIDATE
            transport, store = way(context), EvidenceStore(folder)
            store.asked |= words
            hang_up(context.ssh_config, devices)
            end_cut_off(context, transport, record, run)
            held = replace(context, holding=partial(drilling, record, run))
            findings = measure(held, transport, store, devices, record, through, only=only).findings
        away = absence(context.plan, findings)
        findings = told_as_one(context.plan, record, findings)
        record.add_findings(run, VALIDATE, findings, asked_stages(through, only), away.parked)
        old = age.words(store, utc_now())
        outcome = (
            f"{worst([finding.verdict for finding in findings])}{old and f', by evidence {old}'}"
        )
    except KeyboardInterrupt:
        outcome = "interrupted by hand"
        raise
    finally:
        record.end_run(run, outcome)
        page = write_story(context, record, run)
        record.close()
    again = f"{asked.words}; the same pairs again: {asked.again}" if asked else ""
    why = "" if findings else _nothing_asked(context.plan, through)
    of_files = (*(states.notes if states else ()), *store.problems, *age.notes(store, utc_now()))
    notes = (*of_files, *filter(None, [told(away), again, why]))
    return Measured(findings, folder, page, notes)


def _nothing_asked(plan: Plan, through: int) -> str:
    """Why a site has no expectation at all."""
    here, every = len(deployable(plan)), len(set(plan.devices) - set(by_people(plan)))
    rows = f"{here} of {every} devices have an as-built row (`railbed asbuilt import --help`)"
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
    trust = replace(found.trust, changed=record.last_changed(), since=record.since())
    return validate(
        plan, through, found.store, None, found.nodes, checks=archives.CHECKS, trust=trust
    ).findings
