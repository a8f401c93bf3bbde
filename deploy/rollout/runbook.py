"""The rollout: step, gate, wave, gate. It stops at the first gate that does not pass.

A wave's gate requires what the devices done so far must make true, and that nothing which
worked before is lost; the last gate requires everything.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.backups.taken import before_run
from deploy.context import Context
from deploy.errors import RailbedError
from deploy.measuring.requested import must_be_step
from deploy.measuring.stages import LOADED_STAGE, QUIET_STAGE
from deploy.packages.repo_run import pending, sync
from deploy.record.journal import Record
from deploy.record.rows import WaveRow
from deploy.record.under_way import journaled
from deploy.switches.push_session import PushStopped, SyntaxProof
from inventory.plan import Plan, Wave
from inventory.topology.waves import OOB_SWITCHES
from switch_configs.errors import DialectError
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.judging.gate import EXIT_CODES, GateDecision, Word
from validation.verdict import Finding

from .drain.drains import Drains
from .fabric_check import FabricCheck
from .gatekeeper import Gatekeeper
from .look import Difference
from .oob.way_check import STAGES as OF_A_WAY
from .oob.way_check import way_check
from .outcome import said_of
from .preconditions import deployable
from .proofs import Proofs
from .refused_early import refusal
from .saved_plan import SavedPlan, refuse_drifted
from .server_wave import STEPS as SERVER_STEPS
from .server_wave import ServerWaves
from .survey import Survey, explained, survey
from .switch_wave import Works, most_at_once, push_switches
from .time_left import left
from .unchanged import judged_as_they_are, servers_of

STEPS = ("oob", OOB_SWITCHES, "nodes", "switches")
SWITCH_STEPS = (OOB_SWITCHES, "switches")
LAST_GATE = "everything"
OWED = "look of the other engine"


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """How a rollout ended; `findings` are those of its last gate."""

    run: int | None
    plan_digest: str
    dry_run: bool
    outcome: str
    exit_code: int
    changed: tuple[str, ...]
    differences: tuple[Difference, ...]
    waves: tuple[WaveRow, ...]
    findings: tuple[Finding, ...]
    report: Path | None = None


def preview(
    context: Context, transport: Transport, only: str, saved: SavedPlan | None = None
) -> ApplyResult:
    """What a rollout would change now, and its impact; changes nothing.

    A `saved` plan is refused where the rollout would refuse it.
    """
    found = explained(context, transport, survey(context, transport))
    if saved is not None:
        refuse_drifted(saved, found)
    chosen = {name for wave in waves_of(context.plan, only) for name in wave.devices}
    differences = tuple(
        difference for difference in found.differences if difference.device in chosen
    )
    unknown = sorted(name for name, _ in found.silent if name in chosen)
    count = len(differences)
    outcome = f"dry run: {count} device{'' if count == 1 else 's'} would change"
    if most := _most_at_once(context, only, {one.device for one in differences}):
        outcome += f", at most {most} switch{'' if most == 1 else 'es'} at once"
    if refused := refusal(found.strays, chosen):
        outcome = f"dry run: apply refuses before any change: {refused}"
    exit_code = EXIT_CODES[Word.STOP] if refused else 0
    if chosen.issubset(unknown):
        outcome, exit_code = "dry run: nobody answered", EXIT_CODES[Word.HOLD]
    if unknown:
        outcome += f"; not known, because silent until earlier steps are done: {', '.join(unknown)}"
    if only not in SWITCH_STEPS and (packages := pending(context)):
        outcome += f"; packages: {packages}"
    return ApplyResult(None, context.plan.digest, True, outcome, exit_code, (), differences, (), ())


def _most_at_once(context: Context, only: str, differ: set[str]) -> int:
    """Of the switches that differ, how many are changed side by side at most; 0 where none does."""
    waves = [wave.devices for wave in waves_of(context.plan, only) if wave.step in SWITCH_STEPS]
    changed = [(one, len(differ.intersection(one))) for one in waves]
    return max(
        (min(most_at_once(context, one), count) for one, count in changed if count), default=0
    )


def rollout(
    context: Context,
    transport: Transport,
    record: Record,
    run: int,
    only: str,
    *,
    every_role: bool = False,
    saved: SavedPlan | None = None,
    accept_loss: bool = False,
) -> ApplyResult:
    """Bring the chosen steps to the plan, wave by wave, each gated on measurement.

    `every_role` runs all roles on all servers, not only those that differ. A `saved` plan is
    refused where a device is not as it was when the plan was saved. With `accept_loss` a switch is
    changed also where its traffic is not seen to be gone.
    """
    context = replace(context, timed=record.stopwatch(run))
    waves = waves_of(context.plan, only)
    owed = record.unchecked() & {name for wave in waves for name in wave.devices}
    changed: list[str] = []
    plain = only in SERVER_STEPS and not every_role and saved is None and not owed
    if plain and record.is_settled(context.plan.digest):
        quiet = _quiet(context, transport, record, run, only, changed)
        if quiet is not None:
            return quiet
    context.say("looking at every device ...")
    with context.timed("survey"):
        before = survey(context, transport)
    if saved is not None:
        refuse_drifted(saved, before)
    keeper = Gatekeeper(context, transport, record, run, accept_loss=accept_loss)
    _say_survey(context, before)
    servers = ServerWaves(before, every_role, owed)
    chosen = {name for wave in waves for name in wave.devices}
    waves = tuple(
        wave
        for wave in waves
        if (before.differs(wave.devices) if wave.step in SWITCH_STEPS else servers.work(wave))
    )
    servers.expect(waves)
    if waves and (refused := refusal(before.strays, chosen)):
        return _result(context, record, run, Word.STOP, f"nothing was changed: {refused}", changed)
    if waves:
        keeper.remember_what_worked(before)
    try:
        changed.extend(_bring_packages(context, record, run, only, waves))
        if not servers.last:
            servers.look(journaled(context, record, run, OWED), OWED)
            servers.judge(record, run, wait=True)
    except RailbedError as error:
        return _result(context, record, run, Word.STOP, error.message, changed)
    try:
        ended = _in_waves(keeper, waves, servers, before.as_planned, changed)
        return ended or _last_gate(keeper, servers, only, changed)
    finally:
        servers.close(record, run)


def heading(wave: Wave, number: int, of: int, left: str = "", most: int = 0) -> str:
    """What is said when a wave begins: the clock, how far the rollout is, time left, who.

    Of switches, at most how many at once.
    """
    clock = time.strftime("%H:%M:%S")
    progress = f"wave {number} of {of}" + (f", {left}" if left else "")
    at_once = f" (at most {most} at once)" if most else ""
    return f"{clock} wave {wave.name}, {progress}: {', '.join(wave.devices)}{at_once}"


def _in_waves(
    keeper: Gatekeeper,
    waves: Sequence[Wave],
    servers: ServerWaves,
    configured: frozenset[str],
    changed: list[str],
) -> ApplyResult | None:
    """Change wave by wave, each gated, until one stops or all that there is was required.

    None where a last gate has still to require the rest.
    """
    context, record, run = keeper.context, keeper.record, keeper.run
    everything = deployable(context.plan)
    switches = [name for one in waves if one.step in SWITCH_STEPS for name in one.devices]
    prove = Proofs(context.render, switches)
    took_s: list[tuple[str, float]] = []
    for number, wave in enumerate(waves, start=1):
        began_s = time.monotonic()
        # A node follows its own links: its switches are changed when nobody looks at it.
        if stopped := _looked(keeper, servers, changed, wait=_meets_nodes(context.plan, wave)):
            return stopped
        most = most_at_once(context, wave.devices) if wave.step in SWITCH_STEPS else 0
        context.say(heading(wave, number, len(waves), left(waves[number - 1 :], took_s), most))
        record.begin_wave(run, wave.name, wave.step, wave.devices)
        # A gate that requires everything is the last one.
        last = wave is waves[-1] and configured | set(wave.devices) >= everything
        try:
            works = _works(keeper, wave, configured)
            _change(context, record, run, wave, servers, prove, changed, works)
            if last:
                servers.judge(record, run, wait=True)
        except (RailbedError, DialectError) as error:
            record.end_wave(run, wave.name, Word.STOP, _reasons(error))
            return _result(context, record, run, Word.STOP, f"{wave.name}: {error}", changed)
        configured = configured | set(wave.devices)
        through = _through(context, record, changed) if last else QUIET_STAGE
        decision = keeper.gate(wave.name, configured, through)
        record.end_wave(run, wave.name, decision.word, map(str, decision.reasons))
        if decision.word is not Word.GO:
            return _stopped(context, record, run, wave, decision, changed)
        if last:
            outcome = said_of(context.plan, configured, decision.parked)
            return _result(context, record, run, Word.GO, outcome, changed)
        took_s.append((wave.step, time.monotonic() - began_s))
    return None


def _works(keeper: Gatekeeper, wave: Wave, configured: frozenset[str]) -> Works:
    """What is asked inside the window of each push of a wave."""
    if wave.step != OOB_SWITCHES:
        return FabricCheck(keeper, wave.name, configured)
    itself = FabricCheck(keeper, wave.name, configured, OF_A_WAY)
    try:
        return way_check(keeper, wave.devices, itself)
    except PushStopped as error:
        raise RailbedError(error.message, error.hint, exit_code=1) from None


def _meets_nodes(plan: Plan, wave: Wave) -> bool:
    """Whether a wave changes anything else than switches without a cable to a node."""
    ends = [{cable.a.device, cable.b.device} for cable in plan.cables]
    met = set[str]().union(*(pair for pair in ends if not pair.isdisjoint(plan.node)))
    return wave.step != "switches" or not met.isdisjoint(wave.devices)


def _looked(
    keeper: Gatekeeper, servers: ServerWaves, changed: list[str], *, wait: bool
) -> ApplyResult | None:
    """The end of a run in which the other engines found something; None while they did not."""
    record, run = keeper.record, keeper.run
    try:
        servers.judge(record, run, wait=wait)
    except RailbedError as error:
        record.begin_wave(run, OWED, "nodes", ())
        record.end_wave(run, OWED, Word.STOP, _reasons(error))
        return _result(keeper.context, record, run, Word.STOP, f"{OWED}: {error}", changed)
    return None


def _quiet(
    context: Context, transport: Transport, record: Record, run: int, only: str, changed: list[str]
) -> ApplyResult | None:
    """The end of a run in which nothing has to be done; None where something has."""
    if only == "oob":
        changed.extend(_bring_packages(context, record, run, only, ()))
        if changed:
            return None
    store = EvidenceStore(context.state_dir / "evidence" / f"run-{run}" / LAST_GATE)
    judged = judged_as_they_are(context, transport, servers_of(context.plan, only), store)
    if judged is None or judged[1].word is not Word.GO:
        return None
    findings, decision = judged
    record.begin_wave(run, LAST_GATE, "gate", ())
    record.add_findings(run, LAST_GATE, findings)
    record.end_wave(run, LAST_GATE, decision.word, map(str, decision.reasons))
    outcome = f"every server of the step '{only}' is as planned, read in one trip each"
    return _result(context, record, run, Word.GO, outcome, [])


def waves_of(plan: Plan, only: str) -> tuple[Wave, ...]:
    """The plan's waves of one step, or of all; without devices that have no as-built row."""
    must_be_step(only, STEPS)
    missing = set(plan.undeployable)
    asked = (wave for wave in plan.waves if only in ("", wave.step))
    kept = (
        replace(wave, devices=tuple(x for x in wave.devices if x not in missing)) for wave in asked
    )
    return tuple(wave for wave in kept if wave.devices)


def _change(
    context: Context,
    record: Record,
    run: int,
    wave: Wave,
    servers: ServerWaves,
    prove: SyntaxProof,
    changed: list[str],
    works: Works,
) -> None:
    """Change the devices of one wave, add their names; RailbedError where one refused."""
    inside = journaled(context, record, run, wave.name)
    if wave.step in SWITCH_STEPS:
        keep, drains = before_run(context, run), Drains(works.keeper, wave.name)
        push_switches(inside, wave.devices, prove, changed, works, drains, keep)
    else:
        servers.run(inside, record, run, wave, changed)


def _bring_packages(
    context: Context, record: Record, run: int, only: str, waves: Sequence[Wave]
) -> list[str]:
    """Have the OOB server offer what nodes will install, before a node is changed."""
    if only not in ("", "oob") and not any(wave.step == "nodes" for wave in waves):
        return []
    try:
        with context.timed("packages"):
            sent = sync(journaled(context, record, run, "packages"))
    except RailbedError as error:
        raise RailbedError(f"packages: {error.message}", error.hint, error.exit_code) from None
    return [context.plan.oob.name] if sent else []


def _last_gate(
    keeper: Gatekeeper, servers: ServerWaves, only: str, changed: list[str]
) -> ApplyResult:
    """Everything must hold; after a part of the steps, everything that they can make true."""
    context, record, run = keeper.context, keeper.record, keeper.run
    if stopped := _looked(keeper, servers, changed, wait=True):
        return stopped
    everything = deployable(context.plan)
    configured = survey(context, keeper.transport).as_planned if only else everything
    record.begin_wave(run, LAST_GATE, "gate", ())
    decision = keeper.gate(LAST_GATE, configured, _through(context, record, changed))
    record.end_wave(run, LAST_GATE, decision.word, map(str, decision.reasons))
    if decision.word is Word.GO:
        outcome = said_of(context.plan, configured, decision.parked)
        return _result(context, record, run, Word.GO, outcome, changed)
    nothing = Wave(LAST_GATE, "gate", (), canary=False)
    return _stopped(context, record, run, nothing, decision, changed)


def _through(context: Context, record: Record, changed: Sequence[str]) -> int:
    """The last gate's last stage: loads are repeated only after a change since they passed."""
    if not context.loads:
        return QUIET_STAGE
    stale = changed or record.is_unmeasured(context.plan.digest, LOADED_STAGE)
    return LOADED_STAGE if stale else QUIET_STAGE


def _stopped(
    context: Context,
    record: Record,
    run: int,
    wave: Wave,
    decision: GateDecision,
    changed: list[str],
) -> ApplyResult:
    outcome = (
        f"{decision.word} at the gate after '{wave.name}': {decision.reasons[0]}. "
        f"Later waves were not touched; {decision.mended_by} and run apply again."
    )
    return _result(context, record, run, decision.word, outcome, changed)


def _result(
    context: Context, record: Record, run: int, word: Word, outcome: str, changed: list[str]
) -> ApplyResult:
    return ApplyResult(
        run=run,
        plan_digest=context.plan.digest,
        dry_run=False,
        outcome=outcome,
        exit_code=EXIT_CODES[word],
        changed=tuple(sorted(set(changed))),
        differences=(),
        waves=record.waves(run),
        findings=record.findings(run),
    )


def _reasons(error: RailbedError | DialectError) -> list[str]:
    return [error.message, *([error.hint] if error.hint else [])]


def _say_survey(context: Context, found: Survey) -> None:
    context.say(
        f"{len(found.as_planned)} as planned, {len(found.differences)} differ, "
        f"{len(found.silent)} do not answer yet"
    )
