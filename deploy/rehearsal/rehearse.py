"""`railbed rehearse`: a site's rollout on its twin, to its end, and once more."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from deploy import lab
from deploy.errors import RailbedError
from deploy.lab.host import require_root
from deploy.lab.lab import is_up
from deploy.lab.locks import held
from deploy.lab.modelled import SYSTEMS
from deploy.lab.paths import LabPaths
from deploy.session import Selection
from inventory.load.site import existing_folder
from inventory.own_yaml import own_yaml
from switch_configs import dialect
from validation.evidence.aside import scratch

from .acts import NOTHING, Act, applied, changes_something, nothing_changed, under_traffic
from .estimate.estimate import refuse_unmeasured
from .estimate.of_rehearsal import Real, Rolled, real_times
from .fitting import fitted_with
from .growth import as_plugged, new_nodes, slice_of_change
from .logins import put_secrets
from .memory import most_memory
from .slices import MOST_MACHINES, WHOLE, Slice, refuse_more
from .twin import LeftOut
from .twin_site import Twin, make

LAB = "twin"
_CHANGE, _BACK = "the change", "the way back"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What was rehearsed, and how; `later` is the twin of the site as it will be.

    `memory_bytes` is the most that all machines were seen to take at once, 0 where not known;
    `real` how long the same would take on the site.
    """

    site: str
    twin: Twin
    later: Twin | None
    acts: tuple[Act, ...]
    memory_bytes: int
    report: Path | None
    real: Real = Real()  # noqa: RUF009 - frozen

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
    as it will be, "" without a change. `times_of` are sites whose records tell how long acts take,
    beside its own.
    """

    site: str
    slice: Slice = WHOLE
    most_machines: int = MOST_MACHINES
    wiring: Path | None = None
    change: str = ""
    times_of: tuple[str, ...] = ()


def prepared(asked: Asked, folder: Path) -> tuple[Twin, Twin | None]:
    """The twin in `folder`, written anew, and the one that it will be; no machine is started.

    InventoryError where a site or the cables cannot be read, RailbedError where no twin of it can
    be, or where the change brings other machines than nodes, or other cables.
    """
    refuse_unmeasured(asked.times_of)
    made = make(asked.site, folder, asked.slice, asked.most_machines, asked.wiring)
    refuse_more(own_yaml(existing_folder(asked.site) / "fabric.yml"), asked.slice)
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
    RailbedError without root, for a lab called `name` that is no twin, and for a change of which
    the twin has nothing.
    """
    require_root()
    folder = twin_folder(name)
    _refuse_other_lab(name, folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with held(folder.with_suffix(".lock"), lambda: say(f"waiting: {name} is being rehearsed")):
        twin, later = prepared(asked, folder)
        if later and later.plan.digest == twin.plan.digest:
            raise RailbedError(NOTHING, hint="--dry-run says what of the site a twin has not")
        selection = Selection(str(twin.folder), name)
        lab.down(name)
        shutil.rmtree(selection.state_dir, ignore_errors=True)
        try:
            with most_memory(name) as memory_bytes:
                acts = tuple(_acts(selection, twin, say, later))
                memory = memory_bytes()
        finally:
            if not keep:
                lab.down(name)
    page = selection.state_dir / "report"
    report = page if page.is_dir() else None
    return Rehearsal(
        asked.site,
        twin,
        later,
        acts,
        memory,
        report,
        _real(asked, selection, twin, later, acts, say),
    )


def _real(
    asked: Asked,
    selection: Selection,
    twin: Twin,
    later: Twin | None,
    acts: Sequence[Act],
    say: Say,
) -> Real:
    """How long each rollout that ended well would take on the whole site."""
    rolled = [
        Rolled(one.title, one.run, one.title == _CHANGE, one.title == _BACK)
        for one in acts
        if one.passed and one.changed and one.run is not None
    ]
    measured_on = (selection, (later or twin).plan)
    return real_times(asked.site, asked.change, measured_on, rolled, asked.times_of, say)


def _refuse_other_lab(name: str, folder: Path) -> None:
    """A lab, and what is on record of it, is never taken for a twin that may go."""
    paths = LabPaths(name)
    if not folder.is_dir() and (paths.state.exists() or is_up(name)):
        raise RailbedError(f"there is a lab {name}, which is no twin", hint="another --name")


def _changed(asked: Asked, twin: Twin) -> Twin:
    folder = twin.folder.with_name(f"{twin.folder.name}-change")
    of = slice_of_change(twin.slice, asked.site, asked.change)
    later = make(asked.change, folder, of, asked.most_machines, asked.wiring)
    return as_plugged(twin, later, new_nodes(twin, later))


def _acts(selection: Selection, twin: Twin, say: Say, later: Twin | None = None) -> Iterator[Act]:
    plan, new = twin.plan, new_nodes(twin, later) if later else ()
    yield _booted(selection, twin, later, new, say)
    with ExitStack() as fitted:
        fitted.enter_context(fitted_with(plan.nodes, selection.lab))
        first = applied(selection, "the whole rollout, from nothing", say)
        yield first
        if not first.passed:
            return
        again = nothing_changed(applied(selection, "the rollout again", say))
        yield again
        if later is None or not again.passed:
            return
        for name in new:
            lab.restart(selection.lab, name)
        fitted.enter_context(fitted_with([later.plan.node[name] for name in new], selection.lab))
        with _in_place_of(Path(selection.site), later.folder):
            to = changes_something(under_traffic(selection, plan, _CHANGE, say))
            yield to
        if to.passed:
            # New nodes lose their way into the fabric, as planned: that is no traffic lost.
            stay = tuple(one for one in later.plan.nodes if one.name not in new)
            yield under_traffic(selection, replace(later.plan, nodes=stay), _BACK, say)


def _booted(
    selection: Selection, twin: Twin, later: Twin | None, new: Sequence[str], say: Say
) -> Act:
    """Every machine, those of `new` nodes, too; which are off then."""
    began, whole = time.monotonic(), later.plan if later and new else twin.plan
    say(f"{len(whole.devices)} machines, {len(whole.cables)} cables")
    folder = later.folder if later and new else selection.site
    built = lab.up(folder, selection.lab, say=say)
    lab.off(selection.lab, new)
    for one in (twin, later):
        if one is not None:
            put_secrets(one.plan, selection.state_dir)
    said = f"; {', '.join(new)} off until the change" if new else ""
    took = time.monotonic() - began
    return Act("the twin boots", True, f"{len(built.machines)} machines are up{said}", took)


@contextmanager
def _in_place_of(site: Path, later: Path) -> Iterator[None]:
    """While inside, the site's folder is that of `later`."""
    kept = site.with_name(f"{site.name}-before")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(site, kept)
    try:
        _put(later, site)
        yield
    finally:
        _put(kept, site)


def _put(source: Path, site: Path) -> None:
    shutil.rmtree(site)
    shutil.copytree(source, site)


# What no twin shows, whatever the site.
NEVER = (
    LeftOut("loads, bandwidth and collectives (stages 45 to 85)", "a cable here is no 400 Gb/s"),
    LeftOut("PFC, ECN, buffers and DCQCN", "they are text and settings here; nothing is paused"),
    LeftOut("firmware, BMCs and PDUs", "no machine has them"),
)
