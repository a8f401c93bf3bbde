"""How long a rollout of the whole site would take, wave by wave, by all that is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from deploy.context import MOST_AT_ONCE
from deploy.errors import RailbedError
from deploy.measuring.preview import preview
from deploy.measuring.stages import LOADED_STAGE
from deploy.record.runs import opened
from deploy.rollout.preconditions import by_people, untried
from deploy.session import Selection, open_plan
from deploy.switches.transcript import on_record
from inventory.load.durations import durations
from inventory.load.site import existing_folder, load
from inventory.plan import Plan
from inventory.plan import Wave as PlannedWave
from validation.manifest.device import Manifests

from .acts import Change, ServerChange, SwitchChange, between, from_nothing, whole_waves
from .arithmetic import NOTHING, Estimate, Later, Part, Range, Wave
from .costs import Costs
from .measured import Samples, measured

LAB = "lab"
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Known:
    """What is known before a rollout is priced.

    `record` and `twin` are what was measured, `loads` what the last gate runs (None where a gate on
    record has it), `tried` the systems and releases of which the site has a trial, `at_once` how
    many switches a person lets be changed, `manifests` what was computed of its plans before.
    """

    site: str
    record: Samples
    twin: Samples = Samples()  # noqa: RUF009 - frozen
    loads: Part | None = None
    tried: frozenset[tuple[str, str]] = frozenset()
    at_once: int = MOST_AT_ONCE
    manifests: dict[str, Manifests] = field(default_factory=dict)


def on_record_of(selection: Selection, others: Iterable[Selection] = ()) -> Samples:
    """What real runs measured, on this site and on `others`; nothing where none was."""
    found = Samples()
    for one in (selection, *others):
        try:
            with opened(one) as record:
                found += measured(record, open_plan(one))
        except RailbedError:
            if one is not selection:
                raise
    return found


def refuse_unmeasured(sites: Iterable[str]) -> None:
    """Raise RailbedError for a site of which no run is on record, InventoryError for none."""
    for one in sites:
        with opened(Selection(one, LAB)):
            pass


def known_of(selection: Selection, others: Iterable[Selection] = ()) -> Known:
    """What a site knows by itself; what `others` measured comes beside it."""
    tried = frozenset(on_record(selection.state_dir))
    return Known(selection.site, on_record_of(selection, others), tried=tried)


def estimated(title: str, known: Known, after: Plan, before: Plan | None = None) -> Estimate:
    """A rollout to the plan `after`: from nothing, or from `before`.

    Raises InventoryError for a table of durations that cannot be read, DialectError where a switch
    cannot be rendered.
    """
    fabric = load(known.site)
    stock, own = durations(existing_folder(known.site))
    costs = Costs(after, known.record, known.twin, stock, own)
    changes = between(before, after, known.manifests) if before else from_nothing(after)
    planned, as_if_built = whole_waves(after, fabric.intent.rollout)
    skipped = {*by_people(after)}
    of_waves = [
        (one, mine)
        for one in planned
        if (mine := [changes[name] for name in one.devices if name in changes.keys() - skipped])
    ]
    waves, notes = _waves(known, costs, after, of_waves, from_zero=before is None)
    if as_if_built:
        notes = ("as if asbuilt.csv had a row for every device", *notes)
    if not of_waves:
        return Estimate(title, NOTHING, (), NOTHING, ())
    around, loads = costs.around(len(after.devices)), known.loads
    takes = loads.takes if loads and loads.takes else NOTHING
    parts = (*costs.used.values(), *([loads] if loads else []))
    return Estimate(title, around, waves, takes, parts, tuple(_later(costs, of_waves)), notes)


def _waves(
    known: Known,
    costs: Costs,
    plan: Plan,
    of_waves: Sequence[tuple[PlannedWave, Sequence[Change]]],
    *,
    from_zero: bool,
) -> tuple[tuple[Wave, ...], tuple[str, ...]]:
    """As the rollout has them: a gate asks of who is as planned by then."""
    made: list[Wave] = []
    notes: dict[str, None] = {}
    configured = 0 if from_zero else len(plan.devices)
    for at, (wave, mine) in enumerate(of_waves, start=1):
        configured += len(wave.devices) if from_zero else 0
        switches = [one for one in mine if isinstance(one, SwitchChange)]
        servers = [one for one in mine if isinstance(one, ServerChange)]
        never = untried(plan, [one.name for one in switches], known.tried)
        at_once = 1 if never else min(known.at_once, len(switches))
        if never:
            notes["switches go one at a time: no trial of theirs is on record"] = None
        work = costs.pushes(switches, at_once) if switches else costs.servers(servers)
        gate = costs.gate(configured, last=at == len(of_waves))
        width = at_once if switches else len(servers)
        holds = any(one.holds for one in servers)
        again = costs.again(len(plan.devices)) if holds else NOTHING
        made.append(Wave(wave.name, wave.step, len(mine), width, work, gate, again))
    return tuple(made), tuple(notes)


def loads_of(plan: Plan, *, recorded: bool) -> Part | None:
    """The last gate loads rails: by its own planner; None where gates on record have it."""
    if recorded:
        return None
    there = frozenset(plan.devices) - {*by_people(plan)}
    whole = replace(plan, undeployable=())
    parts = [
        one
        for stage in preview(whole, there, LOADED_STAGE, (LOADED_STAGE,))
        for one in stage.parts
        if one.count
    ]
    least = sum(one.expected_min or 0.0 for one in parts) * _MINUTE_S
    most = sum(one.at_most_min for one in parts) * _MINUTE_S
    name = f"loads of the last gate (stage {LOADED_STAGE})"
    return Part(name, Range(least, most), "plan", "by the planner of that stage")


def _later(
    costs: Costs, of_waves: Iterable[tuple[PlannedWave, Sequence[Change]]]
) -> Iterator[Later]:
    """Restarts: no rollout does one."""
    found: dict[tuple[str, str, bool], list[str]] = {}
    for wave, mine in of_waves:
        for one in mine:
            if isinstance(one, ServerChange) and one.reboot:
                key = (one.restarts, one.kind, one.holds)
            elif isinstance(one, SwitchChange) and one.impact == "reboot":
                key = (f"reboot_{one.system}", f"{one.system} switches", False)
            else:
                continue
            found.setdefault(key, []).append(wave.name)
    for (act, kind, holds), waves in found.items():
        gates = len({*waves}) if holds else 0
        yield Later(f"restart {kind}", len(waves), costs.by_table(act), gates)
