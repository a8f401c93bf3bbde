"""The switches of one wave: pushed side by side, or one at a time where nobody has tried it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from math import ceil

from deploy.context import Context
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
_PARALLEL_PUSHES = 32


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
    for group in _at_once(context, devices, drains):
        results.extend(_pushed(context, group, prove, works, drains, snapshot))
        if len(group) == 1 and not results[-1].ok:
            break
    changed.extend(result.device for result in results if _is_changed(result))
    failed = [result for result in results if not result.ok]
    if failed:
        what = "; ".join(f"{result.device}: {result.message}" for result in failed)
        hints = sorted({result.hint for result in failed if result.hint})
        raise RailbedError(what, hint="; ".join(hints), exit_code=1)


def _is_changed(result: PushResult) -> bool:
    """Whether it may run something else than before: it does, or was not seen to have gone back."""
    was_applied = any(step.phase == "apply" for step in result.steps)
    return result.confirmed or (was_applied and not result.rolled_back)


def window_s(plan: Plan, switch: str = "") -> int:
    """How long a push stays unconfirmed at most: to apply, then for what comes up again after it.

    That is routing, or all that is reached through a switch of the OOB plane. Longer than its
    system takes, the push is refused before it changes anything.
    """
    usual, settles = Pace(), settle_s(plan)
    if switch in plan.oob_switch:
        settles = comes_back_s(len(behind(plan)[switch]))
    return usual.window_s + ceil(settles / usual.verify_share)


def _at_once(context: Context, devices: Sequence[str], drains: Drains) -> list[Sequence[str]]:
    """Those of a wave that are pushed side by side: of what nobody has tried, one at a time.

    So are those above the leaves that are drained: others carry their traffic meanwhile.
    """
    if untried(context.plan, devices, on_record(context.state_dir)):
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

    with ThreadPoolExecutor(_PARALLEL_PUSHES) as pool:
        pushes = [pool.submit(one, name) for name in devices]
        try:
            wait(pushes)
        except KeyboardInterrupt:
            # A push that is let go in the middle leaves its switch waiting for its timer.
            context.say("interrupted: pushes under way are being finished, no other begins")
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [future.result() for future in pushes]
