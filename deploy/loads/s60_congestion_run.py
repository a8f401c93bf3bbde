"""Runs the incast schedule over a transport: each phase with the counters read around it.

A phase is three gatherings: receivers and switches are read and servers started; senders are read,
load all at once from a moment that their clocks agree on, and are read again; servers are stopped,
receivers and switches read again. Nothing but the loads lies between the two readings.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deploy.loads.loading import Loading
from inventory.plan import Plan
from validation.counters import host as hosts
from validation.counters.ask import port_counters
from validation.evidence.gather import WORKERS, Ask, Gathered, Transport, gather
from validation.evidence.store import EvidenceStore, Frame
from validation.evidence.whole_files import write_whole
from validation.stages.s60_congestion.again import Trial, starving, trials
from validation.stages.s60_congestion.incast import Incast, groups, incasts, slots
from validation.stages.s60_congestion.phases import (
    AFTER,
    BEFORE,
    INCAST,
    Phase,
    is_victims,
    of,
    phases,
    places,
    turn_command,
)

from .load_run import MOST_AT_ONCE, load_asks, results, serve_asks, stop_asks, unserved

Asks = Mapping[str, list[Ask]]
TURN_FILE = "congestion-turn"
MOST_TRIED = 4  # incasts of a run: three phases each, and what starves more senders has one cause
_READ_S = 60.0  # a switch whose counters are shown port by port needs a second for each
_NOW = "clock now"
_LEAD_S = 4  # for the senders' own trip and first reading
# A clock that is far behind may not hold its senders back for good.
_WAIT = (
    'n=0; while [ "$(date +%s)" -lt {at} ] && [ "$n" -lt 300 ]; do sleep 0.02; n=$((n + 1)); done\n'
)


@dataclass
class CongestionRun:
    """What a run left in the store, and why devices took no part in it."""

    turn: int
    frames: int = 0
    phases: int = 0
    errors: dict[str, str] = field(default_factory=dict)


def next_turn(state_dir: Path) -> int:
    """Counts the runs of a site, so that each has other receivers. Begins at 0."""
    path = state_dir / TURN_FILE
    said = path.read_text(encoding="ascii").strip() if path.exists() else ""
    turn = int(said) if said.isdecimal() else 0
    write_whole(path, f"{turn + 1}\n".encode())
    return turn


def run(
    plan: Plan,
    configured: frozenset[str],
    turn: int,
    transport: Transport,
    store: EvidenceStore,
    say: Callable[[str], None] = lambda _: None,
) -> CongestionRun:
    """Run every incast of a turn, and leave rates, counters and the turn itself as evidence."""
    done = CongestionRun(turn)
    rounds = incasts(plan, configured, turn)
    try:
        for number, row in enumerate(rounds):
            say(f"round {number + 1} of {len(rounds)}: {len(row)} incasts")
            for phase in phases(plan, number, row):
                _phase(plan, phase, transport, store, done)
        for trial in _trials(plan, configured, rounds, store):
            say(f"{trial.tried.node} starved: {trial.phase.name}")
            _phase(plan, trial.phase, transport, store, done)
        _keep(gather(plan, transport, _turns(plan, configured, turn)), store, done)
    finally:
        store.silent.update(sorted(done.errors.items()))
        store.save()
    return done


def _trials(
    plan: Plan, scope: frozenset[str], rounds: Sequence[Sequence[Incast]], store: EvidenceStore
) -> Iterator[Trial]:
    """What to run again of the first few incasts in which a sender starved."""
    left = MOST_TRIED
    for number, row in enumerate(rounds):
        loaded = next(phase for phase in phases(plan, number, tuple(row)) if phase.name == INCAST)
        for case in row:
            flows = [probe for probe in loaded.flows if of(probe, case) and not is_victims(probe)]
            sent = results(store, flows)
            slow = starving(plan, case, sent) if len(sent) == len(flows) else None
            if slow is not None and left:
                left -= 1
                yield from trials(plan, scope, loaded, case, slow.flow.sender)


def _turns(plan: Plan, configured: frozenset[str], turn: int) -> dict[str, list[Ask]]:
    asks: dict[str, list[Ask]] = {}
    by_rail = groups(plan, configured)
    for rail, leaf in sorted({(rail, leaf) for rail, leaf, _ in slots(plan, configured)}):
        first = by_rail[rail][leaf][0].node
        asks.setdefault(first, []).append(Ask(turn_command(rail, leaf), f"echo turn {turn}"))
    return asks


def _phase(
    plan: Plan, phase: Phase, transport: Transport, store: EvidenceStore, done: CongestionRun
) -> None:
    token, receivers = secrets.token_hex(8), {flow.receiver for flow in phase.flows}
    devices = sorted({end.device for end in places(plan, phase.flows)})
    still = {device for device in devices if device in plan.switch} | receivers
    workers = min(MOST_AT_ONCE, max(WORKERS, len(devices)))
    before, after = (_readings(plan, phase, when, devices) for when in (BEFORE, AFTER))
    served = serve_asks(phase.flows, token)
    clocks = {one: [Ask(_NOW, "date +%s")] for one in receivers}
    started = gather(plan, transport, _joined(still, before, served, clocks), workers=workers)
    try:
        loads = load_asks(phase.flows)
        senders = set(loads)
        _begin_together(loads, _latest(started.frames) + _LEAD_S)
        asks = _joined(senders, _less(before, still), loads, _less(after, still))
        sent = gather(plan, transport, asks, workers=workers)
    finally:
        stops = stop_asks(_pids(started.frames), token)
        stopped = gather(plan, transport, _joined(still, stops, after), workers=workers)
    for gathered in (stopped, sent, started):
        _keep(gathered, store, done)
    done.errors.update(unserved(_without(started, {phase.moment(BEFORE), _NOW})))
    done.phases += 1


def _readings(plan: Plan, phase: Phase, when: str, devices: Iterable[str]) -> dict[str, list[Ask]]:
    """One reading of the counters of each device whose form is known."""
    command, asks = phase.moment(when), dict[str, list[Ask]]()
    used = places(plan, phase.flows)
    for device in devices:
        if device in plan.node:
            shell: str | None = hosts.ask(plan.node[device])
        else:
            mine = [end.port for end in used if end.device == device]
            shell = port_counters(plan.switch[device].dialect, mine, when == AFTER)
        if shell is not None:
            asks[device] = [Ask(command, shell, _READ_S)]
    return asks


def _joined(devices: Iterable[str], *some: Asks) -> dict[str, list[Ask]]:
    """One trip for each device: its asks of all kinds, in this order."""
    made = {
        device: [ask for asks in some for ask in asks.get(device, [])] for device in sorted(devices)
    }
    return {device: asks for device, asks in made.items() if asks}


def _less(asks: Asks, devices: set[str]) -> dict[str, list[Ask]]:
    return {device: some for device, some in asks.items() if device not in devices}


def _begin_together(loads: dict[str, list[Ask]], at: int) -> None:
    for some in loads.values():
        first = some[0]
        waits = f"{_WAIT.format(at=at)}{first.shell}"
        some[0] = Ask(first.command, waits, first.timeout_s + 3 * _LEAD_S)


def _latest(frames: Iterable[Frame]) -> int:
    said = [frame.payload.strip() for frame in frames if frame.command == _NOW]
    return max((int(one) for one in said if one.isdigit()), default=0)


def _pids(frames: Iterable[Frame]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for frame in frames:
        if (
            frame.command.startswith("serve ")
            and not frame.exit_status
            and frame.payload.strip().isdigit()
        ):
            found.setdefault(frame.device, []).append(int(frame.payload))
    return found


def _without(found: Gathered, commands: set[str]) -> Gathered:
    return Gathered(
        tuple(frame for frame in found.frames if frame.command not in commands), found.errors
    )


def _keep(found: Gathered, store: EvidenceStore, done: CongestionRun) -> None:
    kept = [frame for frame in found.frames if frame.command.startswith("probe ")]
    store.add(kept)
    done.frames += len(kept)
    done.errors.update(found.errors)


def load(loading: Loading) -> None:
    """Run the stage; each run of a site loads other receivers."""
    context = loading.context
    turn = next_turn(context.state_dir)
    context.say(f"loading many to one, turn {turn} ...")
    run(context.plan, loading.configured, turn, loading.transport, loading.store, context.say)
