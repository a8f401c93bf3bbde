"""`rollback`: what a switch ran before a run, through the same safe push.

A configuration that ran is no plan: nobody proves it against one. Its system's own check judges it
before anything changes, programs of ours where they read its system, and in the window what worked
of cables, sessions and routes before must work with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

from deploy.context import Context, no_journal
from deploy.errors import RailbedError, RefusedError
from deploy.measuring.measure import measure_of
from deploy.record.journal import Record
from deploy.record.runs import opened, row_of
from deploy.record.under_way import journaled, recording, under_way
from deploy.rollout.drain.chosen import neighbours
from deploy.rollout.drain.drains import Drains
from deploy.rollout.fabric_check import FabricCheck
from deploy.rollout.gatekeeper import Gatekeeper
from deploy.rollout.oob.way_check import way_check
from deploy.rollout.preconditions import deployable, untried
from deploy.rollout.reached import ROLLBACK, back_words
from deploy.rollout.switch_wave import (
    Works,
    asked_for,
    at_once,
    most_at_once,
    side_by_side,
    window_s,
)
from deploy.session import Selection, open_context, open_plan, require_up
from deploy.switches import push_flow
from deploy.switches.login_run import BY_KEY_ALONE, Login
from deploy.switches.push_device import Drain
from deploy.switches.push_result import PushResult
from deploy.switches.push_secrets import read_secrets
from deploy.switches.push_session import FabricProof, Pace, PushStopped, unasked
from deploy.switches.syntax_run import check_syntax
from deploy.switches.transcript import on_record
from deploy.switches.typed_run import way
from deploy.transport import credentials
from inventory.oob.paths import cut_off, path_last
from inventory.plan import Plan
from inventory.switches.abilities import of
from switch_configs import cli, dialect
from switch_configs.intent import Rendered
from switch_configs.shown.said import said
from validation.evidence.gather import Transport
from validation.verdict import Verdict

from .goal import Goal, goal
from .preview import GONE, Back, RolledBack, ended, preview, without
from .standing import later, standing
from .store import Backups
from .taken import before_run, switches_of

Say = Callable[[str], None]
WAVE = "rollback"
_FABRIC = frozenset({20})
_ASKS_THE_SAME = "`railbed validate --through 20` asks the same; --accept-loss asks for nothing"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asked for: the run, of these switches or all that it changed.

    `accept_loss`: what worked need not work with it. `discard_later`: what later runs did to these
    switches goes, too. At most `parallel` go back at once.
    """

    run: int
    names: tuple[str, ...] = ()
    dry_run: bool = False
    accept_loss: bool = False
    discard_later: bool = False
    parallel: int | None = 1


def rollback_site(selection: Selection, wish: Wish, say: Say) -> RolledBack:
    """Bring switches back behind a run, one after the other; or say what that would change."""
    most = asked_for(wish.parallel)
    require_up(selection)
    plan = open_plan(selection)
    switches_of(plan, wish.names)
    with opened(selection) as record:
        row_of(record, wish.run)
        if gone := departed(record, selection.state_dir, wish, plan):
            say(f"{', '.join(gone)}: changed by run {wish.run}, {GONE}")
        names = path_last(plan, chosen(record, wish, frozenset(plan.any_switch)))
    context = replace(open_context(selection, say, no_journal, plan), at_once=most)
    goals = goals_of(context, wish.run, names)
    for told in untried(plan, names, on_record(selection.state_dir)):
        say(told)
    if wish.dry_run:
        return without(preview(context, goals, widest(context, names)), gone)
    with recording(context) as record:
        return without(rollback(context, way(context), record, wish, goals), gone)


def chosen(record: Record, wish: Wish, switches: frozenset[str]) -> tuple[str, ...]:
    """The switches that go back, those that the run changed last first.

    RailbedError where the run changed nothing that stayed, or later runs changed them, too.
    """
    stood = standing(record)
    order = [row.device for row in record.changes(wish.run)]
    every = list(dict.fromkeys(name for name in reversed(order) if name in switches))
    found = {name: later(stood.get(name, ()), wish.run) for name in every}
    asked = wish.names or tuple(name for name in every if found[name] is not None)
    none = [name for name in asked if found.get(name) is None]
    if none or not asked:
        which = ", ".join(none) or "any switch"
        raise RailbedError(
            f"run {wish.run} changed nothing on {which} that is there still",
            hint="`railbed runs` says what runs did",
        )
    newer = {name: runs for name in asked if (runs := found[name])}
    if newer and not wish.discard_later:
        told = "; ".join(f"{name} by run {', '.join(map(str, newer[name]))}" for name in newer)
        raise RailbedError(
            f"changed since: {told}",
            hint="roll these back first, or let their changes go, too: --discard-later",
        )
    return tuple(name for name in every if name in asked)


def goals_of(context: Context, run: int, names: Sequence[str]) -> Mapping[str, Goal]:
    """What each of these ran before the run; RailbedError where that is not known of one."""
    store = Backups(context.state_dir)
    kept = {name: store.before(run, name) for name in names}
    if missing := sorted(name for name, one in kept.items() if one is None):
        raise RailbedError(
            f"what {', '.join(missing)} ran before run {run} was not kept, or not for so long",
            hint="--device names the others; `railbed backup --list` says what there is",
        )
    goals = {}
    for name, one in kept.items():
        if one is not None:
            asked, whole = context.render(name), store.opened(one)
            if whole.running.dialect != asked.dialect:
                raise RailbedError(
                    f"{name} ran {whole.running.dialect} before run {run}, and its plan has "
                    f"{asked.dialect}",
                    hint="--device names the others; another system is no push",
                )
            secrets = read_secrets(context.plan, context.state_dir, [asked])
            goals[name] = goal(whole, asked, secrets)
    return goals


def departed(record: Record, state_dir: Path, wish: Wish, plan: Plan) -> tuple[str, ...]:
    """The switches that stand on the run and that the plan has no more; what each ran was kept."""
    store, stood = Backups(state_dir), standing(record)
    gone = sorted(stood.keys() - set(plan.devices)) if not wish.names else ()
    left = (name for name in gone if later(stood[name], wish.run) is not None)
    return tuple(name for name in left if store.before(wish.run, name))


def parts(context: Context, names: Iterable[str]) -> list[tuple[str, ...]]:
    """What goes back side by side, in this order: the first switch alone, then `at_once` of a wave.

    Waves of the plan hold what may be changed together, and no more than the site's number.
    """
    wave_of = {name: wave.name for wave in context.plan.waves for name in wave.devices}
    every, most = list(names), context.at_once
    found = [tuple(every[:1])]
    for _, some in groupby(every[1:], lambda name: wave_of.get(name, name)):
        wave = tuple(some)
        found += [wave[at : at + most] for at in range(0, len(wave), most)]
    return found


def widest(context: Context, names: Iterable[str]) -> int:
    """How many of these go back at once at most."""
    return max(most_at_once(context, part) for part in parts(context, names))


def rollback(
    context: Context, transport: Transport, record: Record, wish: Wish, goals: Mapping[str, Goal]
) -> RolledBack:
    """Push what each ran, one part after the other, until a switch does not take it."""
    context, pushed = replace(context, at_once=asked_for(wish.parallel)), list[PushResult]()
    plan = context.plan
    with under_way(context, record, cut_off(plan, goals) | goals.keys()) as run:
        now = chosen(record, wish, frozenset(plan.any_switch))
        if path_last(plan, now) != tuple(goals):
            raise RefusedError(
                f"another run ended meanwhile, and changed what goes back behind run {wish.run}",
                hint="`railbed runs` says what it did; ask again",
            )
        keeper = Gatekeeper(context, transport, record, run.id, accept_loss=wish.accept_loss)
        for part in parts(context, goals):
            pushed += _part(keeper, wish.run, {name: goals[name] for name in part})
            if not all(one.ok for one in pushed):
                break
        names = [one.device for one in pushed if one.ok]
        failed = [f"{one.device}: {one.message}" for one in pushed if not one.ok]
        is_whole = len(names) == len(goals)
        went = f"{', '.join(names) or 'nothing'} went back to {back_words(wish.run)}"
        run.outcome = went if is_whole else "; ".join((*failed, went))
    return ended(run.id, run.outcome, 0 if is_whole else 1, map(_told, pushed), plan.oob_switch)


def _told(one: PushResult) -> Back:
    impact = one.impact if any(step.phase == "apply" for step in one.steps) else "none"
    return Back(one.device, impact, message=one.message, hint=one.hint, drain=one.drain)


def _part(keeper: Gatekeeper, behind: int, goals: Mapping[str, Goal]) -> list[PushResult]:
    """Push to the switches of one part, as to those of a wave."""
    inside = journaled(keeper.context, keeper.record, keeper.run, WAVE)

    def stopped(name: str, error: PushStopped) -> PushResult:
        return PushResult(name, ok=False, changed=False, message=error.message, hint=error.hint)

    def one(name: str) -> PushResult:
        try:
            proof, drain = works(name), drains.of(name)
            result = _push(inside, keeper.run, behind, goals[name], proof, drain)
        except PushStopped as error:
            return stopped(name, error)
        if result.ok and not result.changed:
            there = f"done: {back_words(behind)} runs there already"
            inside.journal(name, ROLLBACK, "none", "", "", there)
        return result

    try:
        drains, works = _what_worked(keeper, goals)
    except PushStopped as error:
        return [stopped(next(iter(goals)), error)]
    pushed = list[PushResult]()
    for group in at_once(inside, tuple(goals), drains):
        pushed += side_by_side(inside, group, one)
        if not all(each.ok for each in pushed):
            break
    return pushed


def _push(
    context: Context, run: int, behind: int, one: Goal, works: FabricProof, drain: Drain | None
) -> PushResult:
    from deploy.switches import switch_push  # netmiko takes a second to load

    name = one.rendered.device
    tongue, spoken = dialect(one.rendered.dialect), cli(one.rendered.dialect)
    key = credentials.key_file(context.plan, context.state_dir)
    login = Login.read(context) if spoken else BY_KEY_ALONE
    connect = partial(switch_push.connect, name, tongue.platform, context, key, spoken, login)
    context.say(f"{name}: goes back to {back_words(behind)}")
    # Before anything else: whoever reads a record that ends here knows what was meant.
    context.journal(name, ROLLBACK, "none", "", "", f"begins: {back_words(behind)}")
    asked = context.render(name)
    return push_flow.Push(
        context=context,
        switch=name,
        dialect=tongue,
        new=one.rendered,
        prove=partial(_proved, asked),
        connect=connect,
        dry_run=False,
        pace=Pace(window_s=window_s(context.plan, name)),
        secrets=one.secrets,
        cli=spoken,
        works=works,
        drain=drain,
        snapshot=before_run(context, run),
        planned=asked,
    ).run()


def _proved(asked: Rendered, wanted: Rendered) -> tuple[str, ...]:
    """What programs of ours say of it; of a text that nobody planned only what may be shown."""
    if of(wanted.dialect).programs != "all":
        return ()
    ours = "\n".join(file.text for file in asked.files)
    return tuple(said(one, ours) for one in check_syntax(wanted))


def _what_worked(
    keeper: Gatekeeper, goals: Mapping[str, Goal]
) -> tuple[Drains, Callable[[str], FabricProof]]:
    """By what works of cables, sessions and routes now: drains, and what each window asks for.

    The rest of what a plan expects may be what goes back. The latter raises PushStopped where
    nobody knows what works through a switch now: then nothing would be asked for.
    """
    context, transport = keeper.timed(WAVE)
    plan, first = context.plan, next(iter(goals))
    configured_now = deployable(plan)
    asked = frozenset[str]().union(*(neighbours(plan, name) for name in goals))
    found = measure_of(
        context,
        transport,
        keeper.store(f"before-{first}"),
        configured_now,
        keeper.record,
        _FABRIC,
        asked,
    )
    known = frozenset(
        row.device for row in found.findings if row.verdict is not Verdict.INCONCLUSIVE
    )
    mine = replace(keeper, answered_before=configured_now, worked_before=found.passed)
    texts = {name: one.rendered for name, one in goals.items()}
    drains = Drains(replace(mine, answered_before=known), WAVE, texts)
    check = FabricCheck(mine, first, configured_now)
    ways = [name for name in goals if name in plan.oob_switch]
    way = way_check(mine, ways, check) if ways else None
    silent = {row.device: row.found for row in found.findings if row.device not in known}

    def works(name: str) -> FabricProof:
        if name in silent and not keeper.accept_loss:
            raise PushStopped(
                f"nothing changed: what works through it now is not known: {silent[name]}",
                hint=_ASKS_THE_SAME,
            )
        if way and name in way.before:
            return partial(_missing, way, name)
        return unasked if keeper.accept_loss else partial(_missing, check, name)

    return drains, works


def _missing(check: Works, switch: str, deadline: float, *, whole: bool) -> tuple[str, ...]:
    """As of the first part of a change: nothing new is asked for, what worked is."""
    del whole
    return check.missing(switch, deadline, whole=False)
