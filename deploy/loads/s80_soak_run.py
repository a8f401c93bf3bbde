"""Runs stage 80: streams for a while, then drills, each under a way back that is on the device.

A drill is told before it begins. The next one begins only when all is back; what was refused is
not touched. The echoes on nodes end by pid, or by themselves.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import validation
from deploy.context import Journal, no_journal
from deploy.errors import RefusedError
from deploy.loads.loading import Loading
from deploy.record.journal import BEGINS, DRILL, OVER
from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from validation.evidence.gather import WORKERS, Ask, Transport, gather
from validation.evidence.store import EvidenceStore
from validation.probes.work import Step
from validation.stages.s80_soak.drills import Drill, drills
from validation.stages.s80_soak.lengths import length_in
from validation.stages.s80_soak.read import not_back, up
from validation.stages.s80_soak.terms import Length, drilling, guard
from validation.stages.s80_soak.work import (
    CROSSINGS,
    STREAM,
    back_command,
    back_devices,
    back_step,
    crossing_step,
    drill_step,
    frames_step,
    serve_shell,
    soak_step,
    soaked,
    steady_step,
    streamed_s,
    streams_step,
)

from .guarded_drill import NOT_BACK, over_ssh, pull
from .leftovers import end, marked
from .shell_drain import drain, drains_by_shell
from .work_run import run as run_work

SCRIPT = Path(validation.__file__).parent / "on_node" / STREAM
_SPARE_S = 120


# Pulls a port by a push, looks while it is off, and says why it was not pulled, or is not back.
Puller = Callable[[Drill, Callable[[], None], Journal], str]
# Holds what a drill touches, and gives where it is written down; RefusedError where others do.
Holding = Callable[[Drill], AbstractContextManager[Journal]]


def alone(drill: Drill) -> AbstractContextManager[Journal]:  # noqa: ARG001
    """For who has no record, and so no other run to keep away."""
    return nullcontext(no_journal)


@dataclass
class _Soaking:
    """One run of stage 80."""

    plan: Plan
    configured: frozenset[str]
    transport: Transport
    store: EvidenceStore
    say: Callable[[str], None]
    token: str
    files: Mapping[str, str]
    puller: Puller | None = None
    holding: Holding = alone

    def soak(self, length: Length) -> None:
        """Slice by slice, between two looks at what must stay and what is counted."""
        plan, configured = self.plan, self.configured
        streams = len(soaked(plan, configured))
        self.say(f"watching {streams} streams for {length.says} ({length.name}) ...")
        self._look("before", length)
        for number in range(1, length.slices + 1):
            if length.slices > 1:
                self.say(f"slice {number} of {length.slices}, {length.seconds} s ...")
            self.work(soak_step(plan, configured, self.token, length, number))
        self._look("after", length)

    def _look(self, when: str, length: Length) -> None:
        if length.most_loss_ratio:
            self.work(frames_step(self.plan, self.configured, when))
        self.work(steady_step(self.plan, self.configured, when))

    def work(self, step: Step) -> dict[str, str]:
        """One step; why devices took no part in it."""
        done = run_work(self.plan, (step,), self.transport, self.store, self.files)
        return done.errors


def told(drill: Drill) -> str:
    """One drill in a sentence: what, for how long, what jobs notice; or why not."""
    if drill.refusal:
        return f"{drill.what}: refused: {drill.refusal}"
    by_itself = ", under the switch's own timer" if drill.guarded else ""
    at_most = "at most " if drill.guarded else ""
    return f"{drill.what} for {at_most}{drill.held_s} s{by_itself}: {drill.impact}"


def run(
    plan: Plan,
    configured: frozenset[str],
    transport: Transport,
    store: EvidenceStore,
    say: Callable[[str], None],
    chosen: tuple[Drill, ...] | None = None,
    length: Length | None = None,
    puller: Puller | None = None,
    holding: Holding = alone,
) -> None:
    """Soak (a look, unless told for how long), then each drill (those of the plan, or chosen).

    `puller` pulls at switches that have no shell; without one they are left alone. A drill begins
    only while `holding` what it touches.
    """
    length = length or length_in(())
    mine = drills(plan, configured) if chosen is None else chosen
    token, files = secrets.token_hex(8), {SCRIPT.name: SCRIPT.read_text()}
    one = _Soaking(plan, configured, transport, store, say, token, files, puller, holding)
    pids = _serve(one, mine, length)
    try:
        one.soak(length)
        for drill in mine:
            say(told(drill))
            if not drill.refusal and not _held(one, drill):
                say(f"{drill.what}: not ended, or not all is back: nothing more is pulled")
                break
    finally:
        _stop(one, pids)


def _serve(one: _Soaking, mine: Sequence[Drill], length: Length) -> set[str]:
    """Start an echo on every node; the nodes that may have one."""
    addresses: dict[str, set[str]] = {}
    for flow in soaked(one.plan, one.configured):
        addresses.setdefault(flow.receiver, set()).add(str(flow.target))
    # Between two slices there are trips; an echo outlives them all, and is ended by its pid.
    watched_s = length.slices * (length.seconds + _SPARE_S)
    each_s = [2 * streamed_s(drill) + 2 * drilling().restore_s for drill in mine]
    life_s = watched_s + sum(each_s) + _SPARE_S
    asks = {
        node: [Ask("serve", marked(serve_shell(one.token, life_s, some), one.token))]
        for node, some in addresses.items()
    }
    gather(one.plan, one.transport, asks, one.files, max(WORKERS, len(asks)))
    return set(asks)


def _stop(one: _Soaking, nodes: set[str]) -> None:
    asks = {node: [Ask("end", end(one.token))] for node in nodes}
    gather(one.plan, one.transport, asks, None, max(WORKERS, len(asks)))


@dataclass(frozen=True, slots=True)
class _End:
    """How a drill ended: whether the device runs what it ran before, and whether all goes on."""

    is_over: bool
    is_well: bool


def _held(one: _Soaking, drill: Drill) -> bool:
    """The drill on record, while nobody else changes what it touches; whether all goes on.

    Where somebody else does, nothing is pulled, and the next one may begin.
    """
    with ExitStack() as held:
        try:
            journal = held.enter_context(one.holding(drill))
        except RefusedError as error:
            one.say(f"{drill.what}: not begun: {error.message}")
            return True
        journal(drill.device, DRILL, "link flap", "", "", f"{BEGINS}{drill.id}")
        told = _drilled(one, drill, journal)
        if told.is_over:
            journal(drill.device, DRILL, "none", "", "", f"{OVER}: {drill.id}")
    return told.is_well


def _drilled(one: _Soaking, drill: Drill, journal: Journal) -> _End:
    """Pull, put back, and look whether all is back."""
    if drill.guarded:
        return _pushed(one, drill, journal)
    switch = one.plan.switch[drill.device]
    ports = [drill.port] if drill.port else [port.name for port in switch.ports]
    one.work(drill_step(drill, one.token, ports))
    one.work(back_step(one.plan, drill))
    is_back = all(_is_back(one, drill, name) for name in back_devices(one.plan, drill))
    return _End(is_back, is_back)


def _pushed(one: _Soaking, drill: Drill, journal: Journal) -> _End:
    """The same of a switch without a shell: by a push, under streams that begin before it."""
    if one.puller is None:
        one.say(f"{drill.device} is left alone: nothing here can push to it")
        return _End(is_over=True, is_well=True)
    aside = EvidenceStore()  # a store is one thread's
    with ThreadPoolExecutor(1) as pool:
        step = streams_step(drill, one.token)
        streams = pool.submit(run_work, one.plan, (step,), one.transport, aside, one.files)
        for when in CROSSINGS[:2]:
            time.sleep(guard().apart_s)
            one.work(crossing_step(one.plan, drill, when))
        why = one.puller(drill, lambda: _look(one, drill), journal)
        if not why:
            _see_back(one, drill)
        streams.result()
    one.store.add(aside)
    one.store.silent.update(aside.silent)
    if why:
        one.say(f"{drill.what}: {why}")
    every = back_devices(one.plan, drill)
    is_well = not why and all(_is_back(one, drill, name) for name in every)
    return _End(NOT_BACK not in why, is_well)


def _look(one: _Soaking, drill: Drill) -> None:
    """While it is off; the first reading comes once what went before is counted."""
    for when in CROSSINGS[2:]:
        time.sleep(guard().apart_s)
        one.work(crossing_step(one.plan, drill, when))


def _see_back(one: _Soaking, drill: Drill) -> None:
    """Ask until all is back, or it is too late for that."""
    until = time.monotonic() + drilling().restore_s
    while True:
        one.work(back_step(one.plan, drill))
        back = all(_is_back(one, drill, name) for name in back_devices(one.plan, drill))
        if back or time.monotonic() > until:
            return
        time.sleep(1.0)


def _is_back(one: _Soaking, drill: Drill, device: str) -> bool:
    frame = one.store.get(device, back_command(drill, device))
    if frame is None:
        return False
    try:
        keys = up(one.plan, device, frame.payload.decode("utf-8", "replace"))
    except Unreadable:
        return False
    return not not_back(one.plan, device, keys)


def load(loading: Loading) -> None:
    """Run the stage."""
    plan, say = loading.context.plan, loading.context.say
    length = length_in(loading.store.asked)

    def puller(drill: Drill, look: Callable[[], None], journal: Journal) -> str:
        if drains_by_shell(plan, drill):
            return drain(plan, loading.transport, drill, look)
        return pull(replace(loading.context, journal=journal), drill, look, over_ssh)

    def holding(drill: Drill) -> AbstractContextManager[Journal]:
        return loading.context.holding(back_devices(plan, drill))

    run(
        plan, loading.configured, loading.transport, loading.store, say,
        length=length, puller=puller, holding=holding,
    )  # fmt: skip
