"""`railbed rehearse`: a site's rollout on its twin, to its end, and once more."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from deploy import lab
from deploy.errors import RailbedError
from deploy.lab.host import require_root
from deploy.lab.lab import is_up
from deploy.lab.locks import held
from deploy.lab.modelled import SYSTEMS
from deploy.lab.paths import LabPaths
from deploy.record.timing import timing_of
from deploy.rollout.change import apply_site
from deploy.rollout.runbook import ApplyResult
from deploy.session import Selection
from switch_configs import dialect
from validation.evidence.aside import scratch

from .fitting import fitted_with
from .logins import put_secrets
from .slices import MOST_MACHINES, WHOLE, Slice
from .twin import LeftOut
from .twin_site import AS_BUILT, Twin, make

LAB = "twin"
NOTHING = "nothing of this change can be rehearsed: the twin is the same before and after"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Act:
    """One part of a rehearsal: what was done, how it ended, and how long it took.

    `waves` are those of its rollout, each with its seconds and the gate's word.
    """

    title: str
    passed: bool
    outcome: str
    took_s: float
    changed: tuple[str, ...] = ()
    waves: tuple[tuple[str, float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What was rehearsed, and how; `later` is the twin of the site as it will be.

    `memory_bytes` is that of all machines after the last act.
    """

    site: str
    twin: Twin
    later: Twin | None
    acts: tuple[Act, ...]
    memory_bytes: int
    report: Path | None

    @property
    def exit_code(self) -> int:
        """0 when every act ended as it must, else 1."""
        return 0 if self.acts and all(one.passed for one in self.acts) else 1


def twin_folder(name: str) -> Path:
    """Where a twin of this clone lies: beside the state of its lab."""
    state = LabPaths(name).state
    return state.with_name(f"{state.name}-site")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person asks for: the site, which part of it, and what this machine carries.

    `wiring` are the cables as people plugged them, None as planned; `change` is the site's folder
    as it will be, "" without a change.
    """

    site: str
    slice: Slice = WHOLE
    most_machines: int = MOST_MACHINES
    wiring: Path | None = None
    change: str = ""


def prepared(asked: Asked, folder: Path) -> tuple[Twin, Twin | None]:
    """The twin in `folder`, written anew, and the one that it will be; no machine is started.

    InventoryError where a site or the cables cannot be read, RailbedError where no twin of it can
    be, or where the change brings other machines or cables.
    """
    made = make(asked.site, folder, asked.slice, asked.most_machines, asked.wiring)
    systems = {one.dialect for one in made.plan.switches} - {*SYSTEMS}
    # A switch of Linux is a machine of Linux, and no model.
    missing = sorted(one for one in systems if dialect(one).platform != "linux")
    if missing:
        hint = f"there are: {', '.join(SYSTEMS)}"
        raise RailbedError(f"there is no model of {', '.join(missing)}", hint=hint)
    return made, _changed(asked, made) if asked.change else None


def looked_at(asked: Asked) -> tuple[Twin, Twin | None]:
    """As `prepared`, in a folder that is gone afterwards."""
    with scratch("twin") as folder:
        return prepared(asked, folder / "twin")


def rehearse(asked: Asked, say: Say, *, keep: bool, name: str = LAB) -> Rehearsal:
    """Build the twin of a site, bring it to the plan, and do so again; its lab goes, unless `keep`.

    Of a change the rollout to it is rehearsed, too, and the way back. Raises as `prepared`, and
    RailbedError without root or for a lab called `name` that is no twin.
    """
    require_root()
    folder = twin_folder(name)
    _refuse_other_lab(name, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with held(folder.with_suffix(".lock"), lambda: say(f"waiting: {name} is being rehearsed")):
        twin, later = prepared(asked, folder)
        selection = Selection(str(twin.folder), name)
        lab.down(name)
        shutil.rmtree(selection.state_dir, ignore_errors=True)
        try:
            acts = tuple(_acts(selection, twin, say, later))
            memory = lab.status(name).memory_bytes
        finally:
            if not keep:
                lab.down(name)
    page = selection.state_dir / "report"
    return Rehearsal(asked.site, twin, later, acts, memory, page if page.is_dir() else None)


def _refuse_other_lab(name: str, folder: Path) -> None:
    """A lab, and what is on record of it, is never taken for a twin that may go."""
    paths = LabPaths(name)
    if not folder.is_dir() and (paths.state.exists() or is_up(name)):
        raise RailbedError(f"there is a lab {name}, which is no twin", hint="another --name")


def _changed(asked: Asked, twin: Twin) -> Twin:
    folder = twin.folder.with_name(f"{twin.folder.name}-change")
    later = make(asked.change, folder, twin.slice, asked.most_machines, asked.wiring)
    for what, before, after in (
        ("machines", set(twin.plan.devices), set(later.plan.devices)),
        ("cables", set(twin.plan.cables), set(later.plan.cables)),
    ):
        if otherwise := sorted(map(str, before ^ after)):
            raise RailbedError(
                f"the change has other {what}: {', '.join(otherwise[:3])}",
                hint="rehearse it as a site of its own; machines that come or go are no change yet",
            )
    return later


def _acts(selection: Selection, twin: Twin, say: Say, later: Twin | None = None) -> Iterator[Act]:
    began, plan = time.monotonic(), twin.plan
    say(f"{len(plan.devices)} machines, {len(plan.cables)} cables")
    built = lab.up(selection.site, selection.lab, say=say)
    put_secrets(plan, selection.state_dir)
    took = time.monotonic() - began
    yield Act("the twin boots", True, f"{len(built.machines)} machines are up", took)
    with fitted_with(plan, selection.lab):
        first = _applied(selection, "the whole rollout, from nothing", say)
        yield first
        if not first.passed:
            return
        again = _nothing_changed(_applied(selection, "the rollout again", say))
        yield again
        if later is None or not again.passed:
            return
        with _in_place_of(Path(selection.site), later.folder):
            to = _changes_something(_applied(selection, "the change", say))
            yield to
        if to.passed:
            yield _applied(selection, "the way back", say)


@contextmanager
def _in_place_of(site: Path, later: Path) -> Iterator[None]:
    """While inside, the site's folder says what `later` does; its cables and MACs stay."""
    kept = site.with_name(f"{site.name}-before")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(site, kept)
    try:
        _put(later, site)
        yield
    finally:
        _put(kept, site)


def _put(source: Path, site: Path) -> None:
    for path in site.iterdir():
        if path.name not in AS_BUILT:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(source, site, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*AS_BUILT))


def _applied(selection: Selection, title: str, say: Say) -> Act:
    began = time.monotonic()
    try:
        result = apply_site(selection, "", dry_run=False, say=say, loads=False)
    except RailbedError as error:  # what a rollout refuses before it begins
        said = "; ".join(filter(None, (error.message, error.hint)))
        return Act(title, False, said, time.monotonic() - began)
    took = time.monotonic() - began
    return Act(
        title,
        result.exit_code == 0,
        result.outcome,
        took,
        result.changed,
        tuple(_waves(selection, result)),
    )


def _waves(selection: Selection, result: ApplyResult) -> Iterator[tuple[str, float, str]]:
    if result.run is None:
        return
    lasted = dict(timing_of(selection, result.run).waves)
    for wave in result.waves:
        yield wave.name, lasted.get(wave.name) or 0.0, wave.decision or "not reached"


def _changes_something(act: Act) -> Act:
    """A change of which the twin sees nothing has shown nothing."""
    return replace(act, passed=False, outcome=NOTHING) if act.passed and not act.changed else act


def _nothing_changed(act: Act) -> Act:
    if not act.changed or not act.passed:
        return act
    said = f"the second run changed {', '.join(act.changed)}"
    return replace(act, passed=False, outcome=said)


# What no twin shows, whatever the site.
NEVER = (
    LeftOut("loads, bandwidth and collectives (stages 45 to 85)", "a cable here is no 400 Gb/s"),
    LeftOut("PFC, ECN, buffers and DCQCN", "they are text and settings here; nothing is paused"),
    LeftOut("firmware, BMCs and PDUs", "no machine has them"),
)
