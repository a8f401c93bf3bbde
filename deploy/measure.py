"""Measuring: gather, probe, judge, and at a gate decide. Changes nothing on any device."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inventory.plan import Plan
from validation import archives, bios
from validation.archives import Archives
from validation.evidence import EvidenceStore
from validation.gate import GateDecision, Word, decide, is_let_go
from validation.gather import Transport
from validation.probes import probes
from validation.run import ValidationResult, validate
from validation.schedule import loads
from validation.verdict import Finding, Verdict, worst

from .able import deployable
from .context import Context, no_journal
from .errors import RailbedError
from .load_run import run as run_loads
from .probe_run import run as run_probes
from .record import Record
from .report_files import write_story
from .session import Selection, open_context, open_offline
from .ssh_run import SshTransport, hang_up
from .stages import LOADED_STAGE, NODE_STATE_STAGE, PROBED_STAGE, QUIET_STAGE
from .survey import Survey

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
        self.record.add_findings(self.run, name, findings)
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
            self.context, self.transport, store, configured, self.record, through, patient=patient
        )
        asked = decide(now, (one.expectation for one in now.findings))
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
        if reason.word is not Word.GO
    ]
    rank = list(Word)
    word = max((one.word, other.word), key=rank.index)
    ordered = sorted(counting, key=lambda reason: -rank.index(reason.word))
    return GateDecision(word, tuple(ordered))


def _has_settled(findings: Iterable[Finding]) -> bool:
    return all(one.verdict is Verdict.PASS or is_let_go(one) for one in findings)


def _servers_at_fault(findings: Iterable[Finding]) -> set[str]:
    bad = (one for one in findings if one.verdict is not Verdict.PASS)
    return {one.device for one in bad if one.stage == NODE_STATE_STAGE}


def passes_quietly(findings: Iterable[Finding]) -> bool:
    """Whether all stages pass that load nothing: only then do loads mean anything."""
    quiet = [one.verdict for one in findings if one.stage <= QUIET_STAGE]
    return worst(quiet) is Verdict.PASS


def measure(
    context: Context,
    transport: Transport | None,
    store: EvidenceStore,
    configured: frozenset[str],
    record: Record,
    through: int = QUIET_STAGE,
    *,
    patient: bool = False,
) -> ValidationResult:
    """Probe and gather (where there is a transport), judge, save the evidence.

    A `patient` caller comes again: where stages before the probes do not pass yet, no probe is
    sent, and what needs one stays without evidence. Loads run last, when all that can be
    measured without them passes; else the stages that need them stay without evidence.
    """
    plan = context.plan

    def judged(last: int) -> ValidationResult:
        learned, changed = context.state_dir / "learned.json", record.last_changed()
        return validate(plan, last, store, transport, configured, learned, changed=changed)

    if transport is None:
        return judged(through)
    if through >= PROBED_STAGE:
        if patient and not _has_settled(judged(NODE_STATE_STAGE).findings):
            return judged(through)
        run_probes(plan, probes(plan, configured), transport, store)
    found = judged(min(through, QUIET_STAGE))
    if through < LOADED_STAGE:
        return found
    if passes_quietly(found.findings):
        rounds = loads(plan, configured)
        context.say(f"loading {sum(map(len, rounds)) // 2} pairs in {len(rounds)} rounds ...")
        run_loads(plan, rounds, transport, store)
    else:
        context.say("no pair is loaded: earlier stages do not pass")
    return judged(through)


def validate_site(
    selection: Selection, through: int, saved: Sequence[str], say: Callable[[str], None]
) -> Measured:
    """Validate live, or from what is saved; either way the run is on record."""
    context = (open_offline if saved else open_context)(selection, say, no_journal)
    states = host_states(context.plan, saved)
    record = Record(context.state_dir / "record.sqlite")
    run = record.begin_run(context.plan.site, context.plan.digest)
    outcome = "failed"
    try:
        devices = deployable(context.plan)
        if states:
            folder = Path(saved[0].rpartition("=")[2])
            findings = _by_archives(context.plan, states, through, record)
            findings = (*bios.findings(context.plan, _bios_texts(saved), states.nodes), *findings)
        elif saved:
            folder = Path(saved[0])
            store = EvidenceStore.load(folder)
            findings = measure(context, None, store, devices, record, through).findings
        else:
            folder = context.state_dir / "evidence" / f"run-{run}" / VALIDATE
            transport, store = SshTransport(context.ssh_config), EvidenceStore(folder)
            hang_up(context.ssh_config, devices)
            findings = measure(context, transport, store, devices, record, through).findings
        record.add_findings(run, VALIDATE, findings)
        outcome = str(worst([one.verdict for one in findings]))
    except KeyboardInterrupt:
        outcome = "interrupted by hand"
        raise
    finally:
        record.end_run(run, outcome)
        page = write_story(context, record, run)
        record.close()
    return Measured(findings, folder, page, states.notes if states else ())


def _by_archives(plan: Plan, found: Archives, through: int, record: Record) -> tuple[Finding, ...]:
    """What host states answer, of the nodes that they are of."""
    trust = replace(found.trust, changed=record.last_changed())
    return validate(
        plan, through, found.store, None, found.nodes, checks=archives.CHECKS, trust=trust
    ).findings


def _bios_texts(saved: Sequence[str]) -> dict[str, str]:
    """What `railbed bios --save` left, by node: in a folder that was given, or as a file."""
    found = dict[str, str]()
    for path in (Path(one.rpartition("=")[2]) for one in saved):
        for one in sorted(path.glob(f"*{bios.SUFFIX}")) if path.is_dir() else [path]:
            if one.name.endswith(bios.SUFFIX):
                text = one.read_bytes().decode("utf-8", "replace")
                found[one.name.removesuffix(bios.SUFFIX)] = text
    return found


def host_states(plan: Plan, saved: Sequence[str]) -> Archives | None:
    """The host states that were named; None where a run's evidence folder was, or nothing.

    Raises RailbedError for a path that is not there, or leads to neither.
    """
    some: list[archives.Source] = []
    for one in saved:
        node, sign, file = one.partition("=")
        named = bool(sign) and node in plan.node
        path = Path(file if named else one)
        if not path.exists():
            hint = "a run's evidence folder, or what host_state.sh wrote; NODE=FILE names the node"
            raise RailbedError(f"{path}: no such file or folder", hint=hint)
        if not path.name.endswith(bios.SUFFIX):
            some += archives.sources(path, node if named else "")
    if not some:
        if len(saved) > 1:
            raise RailbedError("--from-evidence: one run's evidence folder goes, found several")
        return None
    found = archives.read(plan, some)
    if not found.nodes:
        raise RailbedError(
            "no host state is of a node of this plan", hint="; ".join(found.notes[2:])
        )
    return found
