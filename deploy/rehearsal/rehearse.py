"""`railbed rehearse`: a site's rollout on its twin, to its end, and once more."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy import lab
from deploy.errors import RailbedError
from deploy.lab.host import require_root
from deploy.lab.modelled import SYSTEMS
from deploy.lab.paths import LabPaths
from deploy.record.timing import timing_of
from deploy.rollout.change import apply_site
from deploy.rollout.runbook import ApplyResult
from deploy.session import Selection
from inventory.plan import Plan
from switch_configs import dialect

from .fitting import fitted_with
from .slices import Slice
from .twin import LeftOut
from .twin_site import AS_BUILT, Twin, make

LAB = "twin"
MOST_MACHINES = 45  # in some 3 GB
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
    """What was rehearsed, and how. `memory_bytes` is that of all machines after the last act."""

    site: str
    twin: Twin
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


def prepared(site: str, asked: Slice, most_machines: int, name: str = LAB) -> Twin:
    """The twin's folder, written, and what it is; no machine is started.

    InventoryError where the site cannot be read, RailbedError where no twin of it can be.
    """
    made = make(site, twin_folder(name), asked, most_machines)
    systems = {one.dialect for one in made.plan.switches} - {*SYSTEMS}
    # A switch of Linux is a machine of Linux, and no model.
    missing = sorted(one for one in systems if dialect(one).platform != "linux")
    if missing:
        hint = f"there are: {', '.join(SYSTEMS)}"
        raise RailbedError(f"there is no model of {', '.join(missing)}", hint=hint)
    return made


def rehearse(
    site: str,
    asked: Slice,
    most_machines: int,
    say: Say,
    *,
    keep: bool,
    name: str = LAB,
    change: str = "",
) -> Rehearsal:
    """Build the twin of a site, bring it to the plan, and do so again; its lab goes, unless `keep`.

    `change` is the site's folder as it will be: the rollout to it is rehearsed, too, and the way
    back. Raises as `prepared`, and RailbedError without root, or where it changes machines or
    cables.
    """
    require_root()
    twin = prepared(site, asked, most_machines, name)
    later = changed(change, twin, most_machines) if change else None
    selection = Selection(str(twin.folder), name)
    lab.down(name)
    shutil.rmtree(selection.state_dir, ignore_errors=True)
    try:
        acts = tuple(_acts(selection, twin.plan, say, later))
        memory = lab.status(name).memory_bytes
    finally:
        if not keep:
            lab.down(name)
    page = selection.state_dir / "report"
    return Rehearsal(site, twin, acts, memory, page if page.is_dir() else None)


def changed(change: str, twin: Twin, most_machines: int) -> Path:
    """The twin's folder as it will be; RailbedError where it has other machines or cables."""
    folder = twin.folder.with_name(f"{twin.folder.name}-change")
    later = make(change, folder, twin.slice, most_machines)
    for what, before, after in (
        ("machines", set(twin.plan.devices), set(later.plan.devices)),
        ("cables", set(twin.plan.cables), set(later.plan.cables)),
    ):
        if otherwise := sorted(map(str, before ^ after)):
            raise RailbedError(
                f"the change has other {what}: {', '.join(otherwise[:3])}",
                hint="rehearse it as a site of its own; machines that come or go are no change yet",
            )
    return folder


def _acts(selection: Selection, plan: Plan, say: Say, later: Path | None = None) -> Iterator[Act]:
    began = time.monotonic()
    say(f"{len(plan.devices)} machines, {len(plan.cables)} cables")
    built = lab.up(selection.site, selection.lab, say=say)
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
        with _in_place_of(Path(selection.site), later):
            to = _applied(selection, "the change", say)
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


def _nothing_changed(act: Act) -> Act:
    if not act.changed:
        return act
    said = f"the second run changed {', '.join(act.changed)}"
    return Act(act.title, False, said, act.took_s, act.changed, act.waves)


# What no twin shows, whatever the site.
NEVER = (
    LeftOut("loads, bandwidth and collectives (stages 45 to 85)", "a cable here is no 400 Gb/s"),
    LeftOut("PFC, ECN, buffers and DCQCN", "they are text and settings here; nothing is paused"),
    LeftOut("firmware, BMCs and PDUs", "no machine has them"),
)
