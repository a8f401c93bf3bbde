"""The switches of one wave: pushed side by side, or one at a time where nobody has tried it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from math import ceil
from threading import Event

from deploy.context import MOST_AT_ONCE, Context
from deploy.errors import RailbedError
from deploy.switches.push_result import PushResult
from deploy.switches.push_session import Pace, Snapshot, SyntaxProof
from deploy.switches.switch_push import push
from deploy.switches.transcript import on_record
from inventory.oob.paths import behind
from inventory.plan import Plan

from .drain.drains import Drains
from .fabric_check import FabricCheck
from .gatekeeper import settle_s
from .oob.answering import comes_back_s
from .oob.way_check import WayCheck
from .preconditions import untried

Works = FabricCheck | WayCheck


def push_switches(
    context: Context,
    devices: Sequence[str],
    prove: SyntaxProof,
    changed: list[str],
    works: Works,
    drains: Drains,
    snapshot: Snapshot,
) -> None:
    """Push to the switches of one wave, add the names of those that changed to `changed`.

    `snapshot` keeps what each runs before. RailbedError where one is not as planned then: also
    where the fabric does not work through it as `works` says, so that it went back.
    """
    results: list[PushResult] = []
    for group in at_once(context, devices, drains):
        results.extend(_pushed(context, group, prove, works, drains, snapshot))
        if not all(one.ok for one in results):
            break
    changed.extend(result.device for result in results if _is_changed(result))
    failed = [result for result in results if not result.ok]
    if failed:
        what = "; ".join(f"{result.device}: {result.message}" for result in failed)
        begun = {result.device for result in results}
        if rest := [name for name in devices if name not in begun]:
            what += f"; not begun: {', '.join(rest)}"
        hints = sorted({result.hint for result in failed if result.hint})
        raise RailbedError(what, hint="; ".join(hints), exit_code=1)


def _is_changed(result: PushResult) -> bool:
    """Whether it may run something else than before: it does, or was not seen to have gone back."""
    was_applied = any(step.phase == "apply" for step in result.steps)
    return result.confirmed or (was_applied and not result.rolled_back)


def asked_for(parallel: int | None) -> int:
    """How many switches a person lets be changed at once; RailbedError for a number below one."""
    if parallel is not None and parallel < 1:
        raise RailbedError(
            f"--parallel {parallel}: at least one switch is changed at a time",
            hint=f"from 1 on; more than {MOST_AT_ONCE}, or than a wave has, are never at once",
        )
    return min(parallel or MOST_AT_ONCE, MOST_AT_ONCE)


def most_at_once(context: Context, devices: Sequence[str]) -> int:
    """How many switches of one wave are changed side by side at most: the least of all limits.

    The wave is no larger than the site's `rollout` number; what nobody has tried goes one by one.
    """
    if untried(context.plan, devices, on_record(context.state_dir)):
        return 1
    return min(context.at_once, len(devices))


def window_s(plan: Plan, switch: str = "") -> int:
    """How long a push stays unconfirmed at most: to apply, then for what comes up again after it.

    That is routing, or all that is reached through a switch of the OOB plane. Longer than its
    system takes, the push is refused before it changes anything.
    """
    usual, settles = Pace(), settle_s(plan)
    if switch in plan.oob_switch:
        settles = comes_back_s(len(behind(plan)[switch]))
    return usual.window_s + ceil(settles / usual.verify_share)


def at_once(context: Context, devices: Sequence[str], drains: Drains) -> list[Sequence[str]]:
    """Those of a wave that are pushed side by side: of what nobody has tried, one at a time.

    So are those above the leaves that are drained: others carry their traffic meanwhile.
    """
    if most_at_once(context, devices) == 1:
        return [[name] for name in devices]
    alone = drains.alone(devices)
    rest = [name for name in devices if name not in alone]
    return [*([name] for name in alone), *([rest] if rest else [])]


def _pushed(
    context: Context,
    devices: Sequence[str],
    prove: SyntaxProof,
    works: Works,
    drains: Drains,
    snapshot: Snapshot,
) -> list[PushResult]:
    def one(name: str) -> PushResult:
        pace = Pace(window_s=window_s(context.plan, name))
        missing, drain = partial(works.missing, name), drains.of(name)
        return push(
            context,
            name,
            dry_run=False,
            prove=prove,
            pace=pace,
            works=missing,
            drain=drain,
            snapshot=snapshot,
        )

    return side_by_side(context, devices, one)


def side_by_side(
    context: Context, devices: Sequence[str], one: Callable[[str], PushResult]
) -> list[PushResult]:
    """The results of one group, in its order, at most `context.at_once` at a time.

    Each push that has begun ends, also on Ctrl-C; none begins after one that did not end well.
    """
    refused = Event()

    def each(name: str) -> PushResult | None:
        if refused.is_set():
            return None
        is_well = False
        try:
            result = one(name)
            is_well = result.ok
        finally:  # also where it raises: a record that cannot be written stops a wave
            if not is_well:
                refused.set()
        return result

    with ThreadPoolExecutor(context.at_once) as pool:
        pushes = [pool.submit(each, name) for name in devices]
        try:
            wait(pushes)
        except KeyboardInterrupt:
            # A push that is let go in the middle leaves its switch waiting for its timer.
            context.say("interrupted: pushes under way are being finished, no other begins")
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [result for future in pushes if (result := future.result())]
