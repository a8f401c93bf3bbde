"""The order of a rollout from where devices are: `plan -o` tells it, `apply` refuses wrong ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deploy.differences import kept_plan
from deploy.errors import RailbedError, RefusedError
from deploy.record.journal import Record
from inventory.plan import Plan, Wave
from validation.order.order import Begun, Judged, Order, Step, judged, order
from validation.order.plans import PLANES

from .reached import UNKNOWN, reached

_HINT = {
    "away": "drain it before (`railbed dialects` has each system's way)",
    "path": "another switch beside it, or a window in which nothing runs there",
}
_EACH = "{}, each a whole `railbed apply` before the next is written"
_MEANS = {
    "ready": "everybody takes both",
    "moved": "hosts send the new, everybody takes both",
    "via": "over what nobody uses, by an order of its own",
    "new": "as it shall be",
}
_WINDOW = "stop what runs there for the change, or change less at once"


def order_since(plan: Plan, state: Path, record: Record, waves: Sequence[Wave]) -> tuple[str, ...]:
    """In which order to get from where devices are to this plan, a sentence a line.

    It says of these waves what `refuse_wrong_waves` says. Nothing where that asks nothing, or
    nothing changes that carries the lossless class.
    """
    try:
        now = _standing(plan, state, record)
    except RefusedError as error:
        return (f"order: {error.message}",)
    return tuple(_since(plan, *now, waves)) if now else ()


def _since(plan: Plan, before: Plan, begun: Begun, waves: Sequence[Wave]) -> Iterator[str]:
    found = _judged(plan, before, begun, waves)
    if found.lost:
        yield f"order: {_lost(found, begun)}"
    if found.order.own is None:
        yield from lines(found.order)
    elif found.lost or begun.either:
        yield f"order: the waves as planned are wrong: {found.order.own}"
        yield "order: no other is looked for: what is begun is not ended"
    else:
        other = order(before, plan, done=begun.done)
        yield from lines(replace(other, own=found.order.own))
        if way := _one_first(plan, before, begun, waves):
            yield f"order: {way}"


def refuse_wrong_waves(plan: Plan, state: Path, record: Record, waves: Sequence[Wave]) -> str:
    """RefusedError where these waves lead into a state that loses packets of RoCE.

    They begin where the record says that each device is: at the plan before, or at this one
    already. What is lost there already is no reason to refuse: that is told, and whether these
    waves end it (empty where nothing is). Refused too where the record cannot say, or the plan
    before cannot be read. Nothing is asked once all are at this plan, or where no run of another
    one is on record.
    """
    now = _standing(plan, state, record)
    if now is None:
        return ""
    found = _judged(plan, *now, waves)
    told = _lost(found, now[1])
    if found.order.own:
        said = f"the waves lead through a state in which jobs lose packets: {found.order.own}"
        way = "" if found.lost or now[1].either else _way(plan, *now, waves)
        hints = (way, "`railbed plan -o FILE` tells its steps", "--accept-loss goes on anyway")
        raise RefusedError(
            "; ".join(filter(None, (said, told))), hint="; ".join(filter(None, hints))
        )
    return told


def plans_between(
    before: Plan, after: Plan, done: frozenset[str] = frozenset()
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The plans to apply one after another where the waves of one lose packets; `after` is last.

    Of each its word and its lines of `fabric.yml`; `done` are at `after` already. Empty where the
    waves are right, and where nothing that a `fabric.yml` says makes them so.
    """
    found = order(before, after, done=done)
    if found.own is None or not found.fields or found.fields.unsaid:
        return ()
    return tuple(_plans(found))


def _way(plan: Plan, before: Plan, begun: Begun, waves: Sequence[Wave]) -> str:
    """What to type, or to write and apply, so that no state is wrong; empty where nothing does."""
    if typed := _one_first(plan, before, begun, waves):
        return typed
    if not (plans := plans_between(before, plan, begun.done)):
        return ""
    return f"{_each(plans)}: {'; then '.join(', '.join(one) for _, one in plans)}"


def _one_first(plan: Plan, before: Plan, begun: Begun, waves: Sequence[Wave]) -> str:
    """The commands that take one step before all others, where no state is wrong in that order."""
    missing = {*plan.undeployable}
    for step in dict.fromkeys(one.step for one in plan.waves):
        first = [
            replace(one, devices=tuple(name for name in one.devices if name not in missing))
            for one in plan.waves
            if one.step == step
        ]
        rest = [one for one in waves if one.step != step]
        if rest and _judged(plan, before, begun, [*first, *rest]).order.own is None:
            return f"no state is wrong by `railbed apply --only {step}`, and then `railbed apply`"
    return ""


def _judged(plan: Plan, before: Plan, begun: Begun, waves: Sequence[Wave]) -> Judged:
    return judged(before, plan, [(one.name, one.devices) for one in waves], begun)


def _lost(found: Judged, begun: Begun) -> str:
    """What is wrong before the first wave; empty where nothing is."""
    if found.lost is None:
        return ""
    are = "may be" if begun.either else "are"
    end = "these waves end it" if found.ended else "these waves do not end it"
    return f"packets {are} lost now: {found.lost}; {end}"


def _standing(plan: Plan, state: Path, record: Record) -> tuple[Plan, Begun] | None:
    """The plan before, and who is at this one already; None where there is no step between.

    RefusedError where that is not known.
    """
    try:
        found = reached(record)
    except RailbedError as error:
        raise _unknown(error.message, error.hint) from None
    at = {name: found.of(name) for name in sorted(_carrying(plan))}
    plans = frozenset[str]().union(*at.values())
    if odd := [name for name, one in at.items() if UNKNOWN in one]:
        said = f"{_few(odd)}: seen to hold neither the old nor the new configuration"
        raise _unknown(said, "look at it over its console")
    if "" in plans and record.since() is not None:
        raise _unknown("the record took the place of a lost one, and does not say what is applied")
    earlier = plans - {plan.digest, ""}
    if not earlier:
        return None
    if len(earlier) > 1:
        raise _several({name: one & earlier for name, one in at.items() if one & earlier})
    before = kept_plan(state, *earlier)
    if before is None:
        raise _unknown("the plan applied before cannot be read")
    reach = {name: one for name, one in at.items() if plan.digest in one}
    done = frozenset(name for name, one in reach.items() if len(one) == 1)
    return before, Begun(done, frozenset(reach) - done)


def _several(at: Mapping[str, frozenset[str]]) -> RefusedError:
    """The refusal where devices are at plans of which none is all's; names those of the rarer."""
    count = Counter(digest for one in at.values() for digest in one)
    (most, _), *_ = count.most_common()
    few = [name for name, one in at.items() if one != frozenset({most})]
    return _unknown(
        f"devices are at {len(count)} earlier plans: {_few(few)} not at that of the others",
        "with no jobs on what is behind, nothing is lost by it",
    )


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def _carrying(plan: Plan) -> set[str]:
    """Switches that may carry RoCE, and nodes; who has no as-built row is not there."""
    switches = {one.name for one in plan.switches if one.plane in PLANES}
    return (switches | set(plan.node)) - set(plan.undeployable)


def _unknown(why: str, hint: str = "") -> RefusedError:
    hints = filter(None, (hint, "--accept-loss goes on anyway"))
    return RefusedError(f"{why}: whether waves lose packets is not known", hint="; ".join(hints))


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
    for unsaid in found.fields.unsaid if found.fields else ():
        yield f"order: it needs {unsaid}"
    if found.fields and not found.fields.unsaid and (plans := _plans(found)):
        yield f"order: {_each(plans)}"
        for at, (word, texts) in enumerate(plans, start=1):
            yield f"order: plan {at}, `{word}`, {_MEANS[word]}: in fabric.yml"
            yield from (f"order:   {line}" for line in _as_yaml(texts))


def _each(plans: Sequence[object]) -> str:
    return _EACH.format(f"{len(plans)} plan{'s' * (len(plans) != 1)}")


def _plans(found: Order) -> list[tuple[str, tuple[str, ...]]]:
    """The plans to write, in order, each with its lines; those that a device goes through alone.

    None where one has no line: what differs is then nothing that a fabric.yml says.
    """
    words = {step.after for step in found.steps}
    every = [one for one in found.fields.lines.items() if one[0] in words] if found.fields else []
    return every if all(texts for _, texts in every) else []


def _as_yaml(texts: Sequence[str]) -> Iterator[str]:
    """`a.b: 1` as YAML has it, each key above once."""
    said: list[str] = []
    for text in texts:
        path, _, value = text.partition(": ")
        *above, key = path.split(".")
        for depth, name in enumerate(above):
            if said[: depth + 1] != above[: depth + 1]:
                said = above[: depth + 1]
                yield f"{'  ' * depth}{name}:"
        yield f"{'  ' * len(above)}{key}: {value}"


def _looks(found: Order) -> str:
    return f"{found.looks} kinds of states looked at"


def _told(step: Step) -> str:
    many = len(step.devices)
    who = step.devices[0] if many == 1 else f"{step.devices[0]} and {many - 1:,} more"
    how = f", {step.way}" if many > 1 else ""
    drained = ", each drained" if step.drained else ""
    what = "; ".join(step.changes) or "nothing of the class"
    return f"{who}{how}{drained}: {step.before} -> {step.after}: {what}; {step.reason}"
