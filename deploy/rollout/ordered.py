"""The order of a rollout since the last apply, in lines: a saved plan tells it (`plan -o`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from deploy.differences import Causes, kept_plan
from deploy.errors import RefusedError
from deploy.record.journal import Record
from inventory.plan import Plan, Wave
from validation.order.order import Order, Step, first_wrong, order
from validation.order.plans import PLANES

from .reached import reached

_HINT = {
    "away": "drain it before (`railbed dialects` has each system's way)",
    "path": "another switch beside it, or a window in which nothing runs there",
}
_WINDOW = "stop what runs there for the change, or change less at once"


def order_since(plan: Plan, causes: Causes) -> tuple[str, ...]:
    """In which order to get from the plan of the last apply to this one, a sentence a line.

    Nothing where no earlier plan is known, or nothing changes that carries the lossless class.
    """
    earlier = causes.plan
    return tuple(lines(order(earlier, plan))) if earlier is not None else ()


def refuse_wrong_waves(plan: Plan, state: Path, record: Record, waves: Sequence[Wave]) -> None:
    """RefusedError where these waves lead through a state that loses packets of RoCE.

    They begin where the record says that each device is: at the plan before, or at this one
    already. Refused too where it cannot say, or the plan before cannot be read. Nothing is asked
    once all are at this plan, or where no run of another one is on record.
    """
    found = reached(record)
    at = {name: found.of(name) for name in _carrying(plan)}
    plans = frozenset[str]().union(*at.values())
    if "" in plans and record.since() is not None:
        raise _unknown("the record took the place of a lost one, and does not say what is applied")
    earlier = plans - {plan.digest, ""}
    if not earlier:
        return
    if len(earlier) > 1:
        raise _unknown(f"devices are at {len(earlier)} earlier plans, some at each")
    before = kept_plan(state, *earlier)
    if before is None:
        raise _unknown("the plan applied before cannot be read")
    reach = {name: one for name, one in at.items() if plan.digest in one}
    done = frozenset(name for name, one in reach.items() if len(one) == 1)
    wrong = first_wrong(
        before, plan, [(one.name, one.devices) for one in waves], done, frozenset(reach) - done
    )
    if wrong:
        raise RefusedError(
            f"the waves lead through a state in which jobs lose packets: {wrong}",
            hint="`railbed plan -o FILE` prints an order without; --accept-loss goes on anyway",
        )


def _carrying(plan: Plan) -> set[str]:
    """Switches that may carry RoCE, and nodes."""
    return {one.name for one in plan.switches if one.plane in PLANES} | set(plan.node)


def _unknown(why: str) -> RefusedError:
    return RefusedError(
        f"{why}: whether waves lose packets is not known", hint="--accept-loss goes on anyway"
    )


def lines(found: Order) -> Iterator[str]:
    """An order as people read it; nothing where nothing moves."""
    if not found.steps and not found.refused:
        return
    for one in found.excused:
        yield f"order: not judged by what is wrong before or after by itself: {one}"
    if found.own is None:
        yield f"order: waves as planned: no state of them is wrong ({_looks(found)})"
        return
    yield f"order: the waves as planned are wrong: {found.own}"
    if found.conflict:
        yield f"order: nothing takes both at once: {found.conflict}"
    if found.refused is not None:
        tried = "no order" if found.whole else "no order that moves like devices together"
        yield f"order: {tried} avoids this state: {found.refused}"
        yield f"order: {_HINT.get(found.refused.kind, _WINDOW)}"
        return
    yield f"order: {len(found.steps)} steps of which no state is wrong ({_looks(found)})"
    yield from (f"order: {at}. {_told(step)}" for at, step in enumerate(found.steps, start=1))
    for dscp, lent in found.over:
        yield f"order: DSCP {lent}, which nobody uses, stands for {dscp} meanwhile"
    if found.fields and not found.fields.unsaid:
        for word, texts in found.fields.lines.items():
            says = ", ".join(texts)
            yield f"order: `{word}` is a plan to apply by itself: fabric.yml with {says}"
    for unsaid in found.fields.unsaid if found.fields else ():
        yield f"order: it needs {unsaid}"


def _looks(found: Order) -> str:
    return f"{found.looks} kinds of states looked at"


def _told(step: Step) -> str:
    many = len(step.devices)
    who = step.devices[0] if many == 1 else f"{step.devices[0]} and {many - 1:,} more"
    how = f", {step.way}" if many > 1 else ""
    drained = ", each drained" if step.drained else ""
    what = "; ".join(step.changes) or "nothing of the class"
    return f"{who}{how}{drained}: {step.before} -> {step.after}: {what}; {step.reason}"
