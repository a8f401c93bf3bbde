"""`railbed rehearse`: a site's rollout on its twin, to its end, and once more."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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

from .acts import NOTHING, Act
from .course import acts
from .estimate.estimate import refuse_unmeasured
from .estimate.of_rehearsal import Real, real_times, rolled_of
from .growth import as_plugged, new_nodes, slice_of_change
from .memory import most_memory
from .slices import MOST_MACHINES, WHOLE, Slice, refuse_more
from .twin import LeftOut
from .twin_site import Twin, make

LAB = "twin"
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
    as it will be, "" without a change. `engine` changes servers, and then the other one runs every
    role and may change nothing; "" is the site's, and no other. `times_of` are sites whose records
    tell how long acts take, beside its own.
    """

    site: str
    slice: Slice = WHOLE
    most_machines: int = MOST_MACHINES
    wiring: Path | None = None
    change: str = ""
    engine: str = ""
    times_of: tuple[str, ...] = ()


def prepared(asked: Asked, folder: Path) -> tuple[Twin, Twin | None]:
    """The twin in `folder`, written anew, and the one that it will be; no machine is started.

    InventoryError where a site or the cables cannot be read, RailbedError where no twin of it can
    be, or where the change brings other machines than nodes, or other cables.
    """
    refuse_unmeasured(asked.times_of)
    made = make(asked.site, folder, asked.slice, asked.most_machines, asked.wiring, asked.engine)
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
                told = tuple(acts(selection, twin, say, later, both_engines=bool(asked.engine)))
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
        told,
        memory,
        report,
        _real(asked, selection, later or twin, told, say),
    )


def _real(asked: Asked, selection: Selection, latest: Twin, told: Sequence[Act], say: Say) -> Real:
    """How long each rollout that ended well would take on the whole site."""
    on, rolled = (selection, latest.plan), rolled_of(told)
    return real_times(asked.site, asked.change, on, rolled, asked.times_of, say)


def _refuse_other_lab(name: str, folder: Path) -> None:
    """A lab, and what is on record of it, is never taken for a twin that may go."""
    paths = LabPaths(name)
    if not folder.is_dir() and (paths.state.exists() or is_up(name)):
        raise RailbedError(f"there is a lab {name}, which is no twin", hint="another --name")


def _changed(asked: Asked, twin: Twin) -> Twin:
    folder = twin.folder.with_name(f"{twin.folder.name}-change")
    of = slice_of_change(twin.slice, asked.site, asked.change)
    later = make(asked.change, folder, of, asked.most_machines, asked.wiring, asked.engine)
    return as_plugged(twin, later, new_nodes(twin, later))


# What no twin shows, whatever the site.
NEVER = (
    LeftOut("loads, bandwidth and collectives (stages 45 to 85)", "a cable here is no 400 Gb/s"),
    LeftOut("PFC, ECN, buffers and DCQCN", "they are text and settings here; nothing is paused"),
    LeftOut("firmware, BMCs and PDUs", "no machine has them"),
)
