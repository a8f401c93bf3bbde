"""Whether all that was reached through a switch of the OOB plane is reached again.

Asked inside the window of its push: what is missing then goes back by the timer on the switch,
which needs nobody to reach it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from deploy.context import Context
from deploy.record.file import now
from deploy.record.rows import time_of
from deploy.switches.push_device import PushDevice
from deploy.switches.push_session import Pace, PushStopped, unasked
from inventory.oob.paths import Behind, behind
from inventory.plan import Plan
from validation.evidence.gather import Transport

from ..fabric_check import FabricCheck
from ..gatekeeper import Gatekeeper, pause_s
from .answering import answering, comes_back_s

# What is asked of the switch itself: that it answers as itself, and runs its plan.
STAGES = frozenset({10, 25})
_MOST_SAID = 8
_WORKERS = 32


@dataclass(frozen=True)
class WayCheck:
    """`before`: for each switch of a wave those behind it that answered before it changed.

    All that are behind it where a change waited on it, or was taken back a moment ago: whom that
    cut off does not answer now.
    """

    itself: FabricCheck
    plan: Plan
    transport: Transport
    before: Mapping[str, frozenset[Behind]]

    @property
    def keeper(self) -> Gatekeeper:
        """That of the run."""
        return self.itself.keeper

    def missing(self, switch: str, deadline: float, *, whole: bool) -> tuple[str, ...]:
        """As `FabricCheck.missing`; nobody who answered before may be missing either."""
        if gone := self._gone(switch, deadline):
            return gone
        return self.itself.missing(switch, deadline, whole=whole)

    def _gone(self, switch: str, deadline: float) -> tuple[str, ...]:
        begun, rest = time.monotonic(), self.before[switch]
        while rest:
            asked = time.monotonic()
            try:
                rest -= answering(self.plan, self.transport, rest)
                said = _words(rest)
            except PushStopped as error:
                said = error.message
            now = time.monotonic()
            last = deadline - (now - asked)  # the next look takes as long as this one did
            if rest and now >= last:
                return (said,)
            if rest:
                time.sleep(pause_s(now - begun, last - begun))
        return ()


def way_check(keeper: Gatekeeper, switches: Iterable[str], itself: FabricCheck) -> WayCheck:
    """Ask who answers behind these switches now. PushStopped where nobody knows."""
    context, transport = keeper.timed(itself.wave)
    plan, found = context.plan, behind(context.plan)
    mine = {name: found[name] for name in switches}
    answer = answering(plan, transport, [one for some in mine.values() for one in some])
    before = {name: answer.intersection(some) for name, some in mine.items()}
    for name, some in sorted(before.items()):
        context.say(f"{name}: the way to {len(mine[name])}, of which {len(some)} answer now")
    with ThreadPoolExecutor(_WORKERS) as pool:
        waits = dict(zip(mine, pool.map(partial(_waits, context), mine), strict=True))
    changed, clock = keeper.record.last_changed(), time_of(now())
    for name, every in sorted(mine.items()):
        since = clock - changed[name] if name in changed else timedelta.max
        if waits[name]:
            why = "a change may wait on it"
        elif since < timedelta(seconds=comes_back_s(len(every))):
            why = "it was changed a moment ago, and links may not be up again"
        else:
            continue
        context.say(f"{name}: {why}: all that are behind it must answer")
        before[name] = frozenset(every)
    return WayCheck(itself, plan, transport, before)


def _waits(context: Context, name: str) -> bool:
    """Whether a change that nobody confirmed is on the switch, or nobody knows."""
    from deploy.switches import switch_push  # netmiko takes a second to load

    push = switch_push.push_of(context, name, True, lambda _: (), Pace(), unasked)
    try:
        with closing(push.connect()) as session:
            device = PushDevice(
                context.plan, name, push.dialect, push.new, push.connect, push.secrets, push.cli
            )
            return bool(device.pending(session))
    except PushStopped:
        return True


def _words(gone: Iterable[Behind]) -> str:
    some = sorted(gone)
    shown = ", ".join(f"{one.name} ({one.address})" for one in some[:_MOST_SAID])
    rest = len(some) - _MOST_SAID
    return f"not reached through it any more: {shown}{f' and {rest} more' if rest > 0 else ''}"
