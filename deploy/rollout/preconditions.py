"""What a run can change at all, asked before anything is fetched, sent or changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from deploy.errors import RailbedError
from deploy.switches.render_run import Judged, judged, judged_renders
from deploy.switches.site_proof import refuse_inconsistent
from inventory.plan import Plan, Wave
from inventory.switches.abilities import abilities, never_tried, of
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered

_SHOWN = 4


def deployable(plan: Plan) -> frozenset[str]:
    """Every device that a run could change: with an as-built row, and not changed by people."""
    return frozenset(plan.devices) - set(plan.undeployable) - set(by_people(plan))


def by_people(plan: Plan) -> dict[str, str]:
    """Switches of the OOB plane that no step has, each with why."""
    return {
        one.name: f"changed by people: {one.dialect} switches are rendered, and not pushed to"
        for one in plan.oob_switches
        if not is_pushed(one.dialect)
    }


def is_pushed(dialect: str) -> bool:
    """Whether a run reads and changes switches of this system; others are rendered only."""
    return of(dialect).pushed


def untried(
    plan: Plan, names: Iterable[str], tried: Collection[tuple[str, str]] = ()
) -> tuple[str, ...]:
    """A sentence for each system and release among these switches that no trial is on record of.

    `tried` are systems and releases of which this site has a trial of its own.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in (plan.any_switch[name] for name in names if name in plan.any_switch):
        if never_tried(one.dialect, one.release) and (one.dialect, one.release) not in tried:
            found[one.dialect, one.release].append(one.name)
    return tuple(
        f"{word} {release} ({_several(found[word, release])}): never tried on this system and "
        f"release{', only on a model of it' if of(word).tried == 'model' else ''}; switches are "
        "changed one at a time; `railbed push-trial DEVICE` tries it"
        for word, release in sorted(found)
    )


def refuse_unable(plan: Plan, only: str, waves: tuple[Wave, ...]) -> None:
    """RailbedError where a run has nobody to change, or switches that it cannot push to."""
    if not waves:
        where = f" in the step '{only}'" if only else ""
        missing = _several(plan.undeployable)
        if plan.oob.name in plan.undeployable:
            missing = f"{plan.oob.name}, through which all others are reached"
        raise RailbedError(
            f"no device of {plan.site} can be changed{where}",
            hint=f"no as-built row: {missing}; see `railbed asbuilt import --help`"
            if missing
            else "its plan has none",
        )
    unknown: dict[str, list[str]] = defaultdict(list)
    for name in (one for wave in waves for one in wave.devices if one in plan.any_switch):
        if not is_pushed(plan.any_switch[name].dialect):
            unknown[plan.any_switch[name].dialect].append(name)
    if unknown:
        what = "; ".join(f"{word} ({_several(unknown[word])})" for word in sorted(unknown))
        here = ", ".join(name for name, said in abilities().items() if said.pushed)
        hint = (
            f"so far it pushes {here}; `railbed render` prints the others, for people to load. "
            "`--only oob` and `--only nodes` change servers alone"
        )
        raise RailbedError(f"railbed cannot push to switches of the dialects {what}", hint=hint)


def refuse_unproved(plan: Plan) -> Mapping[str, Rendered]:
    """RailbedError (exit 1) where the site's switches and servers do not fit together.

    Returns each switch's configuration, for the rest of the run. Switches of which nobody can
    render one are left out: their push says so.
    """
    names = sorted(plan.any_switch)
    try:
        made = list(judged_renders(plan, names))
    except DialectError:
        made = list(_renderable(plan, names))
    refuse_inconsistent(plan, [(one.rendered, one.facts) for one in made])
    return {one.rendered.device: one.rendered for one in made}


def _renderable(plan: Plan, names: Iterable[str]) -> Iterator[Judged]:
    """One after the other, without those of which no configuration can be rendered."""
    for name in names:
        with suppress(DialectError):
            yield judged(plan, name)


def _several(names: tuple[str, ...] | list[str]) -> str:
    rest = len(names) - _SHOWN
    shown = ", ".join(sorted(names)[:_SHOWN])
    return f"{shown} and {rest} more" if rest > 0 else shown
