"""Labs for tests: names that nobody else has, and labs that were applied once and kept.

A lab's name is this clone's and this worker's own, so that clones and workers test side by
side. A lab that is as planned is started from a kept one, which the first who needs it makes
by a real apply, from nothing; that of the site `lab` is the demo's, as a newcomer runs it.
"""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from deploy import lab
from deploy.context import no_journal
from deploy.lab import locks
from deploy.lab.kept import lab as kept
from deploy.lab.kept import store as kept_store
from deploy.lab.kept.store import Kept
from deploy.lab.paths import RUNTIME, LabPaths
from deploy.record.journal import Record
from deploy.rollout.change import apply_site
from deploy.rollout.outcome import MEASURED
from deploy.rollout.supply import prepare
from deploy.session import Selection, open_context, open_plan
from inventory import site_folder
from tests import newcomer
from tests.deploy.lab.traces import forget
from tests.roles import lab_engines

ROOT = Path(__file__).parents[1]
# One word for all workers of a run: xdist's, or this process's own.
THIS_RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex
# The step after which a lab has leases, names and packages; its nodes are as installed.
OOB = ("oob",)
_LONGEST = 10
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_OF_CLONE = 3


def lab_name(base: str) -> str:
    """A lab's name that no other clone and no other worker of this run has.

    `base` is what people tell it by: five characters at the most.
    """
    number = int.from_bytes(sha256(bytes(ROOT)).digest()[:8])
    digits = ""
    for _ in range(_OF_CLONE):
        number, digit = divmod(number, len(_LETTERS))
        digits += _LETTERS[digit]
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    name = f"{base}{digits}{worker}"
    assert len(name) <= _LONGEST, f"{name} is too long for a lab"
    return LabPaths(name).name


@dataclass(frozen=True)
class Applied:
    """A kept lab, and how the apply ended that brought it there, from nothing.

    `said` is what the demo printed that made it, once one was killed when it said `killed_at`;
    `made_as` is what the lab was called meanwhile.
    """

    kept: Kept
    run: int
    outcome: str
    changed: tuple[str, ...]
    is_of_this_run: bool
    made_as: str
    said: str
    killed_at: str


@contextmanager
def applied(
    base: str, site: str | Path = "lab", only: Sequence[str] = (), wiring: Path | None = None
) -> Iterator[Selection]:
    """A lab of `site` that is as planned, or the steps `only` of it; gone afterwards."""
    with started(base, kept_lab(site, only, wiring), site) as selection:
        yield selection


@contextmanager
def started(base: str, whole: Applied, site: str | Path = "lab") -> Iterator[Selection]:
    """A lab over a kept one, settled; gone afterwards."""
    selection = Selection(str(site), lab_name(base))
    forget(selection.lab)
    try:
        kept.start(whole.kept, selection.lab, say=print)
        yield selection
    finally:
        forget(selection.lab)


def kept_lab(
    site: str | Path = "lab",
    only: Sequence[str] = (),
    wiring: Path | None = None,
    *,
    of_this_run: bool = False,
) -> Applied:
    """The kept lab of a site, made now by a cold apply if there is none.

    `of_this_run`: one that an earlier run of the tests made is none. Whoever comes meanwhile
    waits.
    """
    key = kept_store.key_of(site_folder(site), " ".join(only), wiring)
    with locks.held(RUNTIME / f"applied-{key}.lock", lambda: None):
        found = kept_store.newest(key)
        if found is not None:
            known = _known(found)
            if known.is_of_this_run or not of_this_run:
                return known
        if (site, tuple(only), wiring) == ("lab", (), None):
            return _known(_made_by_demo(key))
        return _known(_made(key, site, only, wiring))


def _made_by_demo(key: str) -> Kept:
    """The demo in a clean clone, after one that was killed at a moment drawn by the tree."""
    name, moment = lab_name("demo"), random.Random(key).choice(newcomer.EARLY)
    with newcomer.clone(name) as clone:
        newcomer.killed(clone, name, moment)
        said = newcomer.passes(clone, name, "--keep")
        record = Record(clone / f".railbed/labs/{name}/record.sqlite")
        # What was killed may have begun a run, too.
        first = next(one.id for one in record.runs() if one.outcome == MEASURED)
        changed = sorted({one.device for one in record.changes(first)})
        record.close()
        notes = _notes(name, first, MEASURED, changed, said, moment)
        return Kept(newcomer.keep(clone, name, key, notes))


def _made(key: str, site: str | Path, only: Sequence[str], wiring: Path | None) -> Kept:
    """From nothing to the plan by `apply`, and kept."""
    selection = Selection(str(site), lab_name("cold"))
    forget(selection.lab)
    try:
        lab.up(site_folder(site), selection.lab, wiring=wiring, say=print)
        if tuple(only) == OOB:
            _check_a_new_server(selection)
        results = [apply_site(selection, one, dry_run=False, say=print) for one in only or ("",)]
        for one in results:
            assert one.exit_code == 0, one.outcome
        last = results[-1]
        notes = _notes(selection.lab, last.run, last.outcome, last.changed, "", "")
        return kept.keep(selection.lab, key, notes)
    finally:
        forget(selection.lab)


def _check_a_new_server(selection: Selection) -> None:
    """By either engine, a check of a new server does not fail at what is not there yet."""
    context = open_context(
        selection, print, no_journal, prepare(selection, print, open_plan(selection))
    )
    for engine in ("ansible", "pyinfra"):
        lab_engines.run(selection, engine, context.plan.oob.name, check=True)


def _notes(
    name: str, run: int | None, outcome: str, changed: Sequence[str], said: str, killed_at: str
) -> dict[str, object]:
    return {
        "by": THIS_RUN,
        "run": run,
        "outcome": outcome,
        "changed": list(changed),
        "made_as": name,
        "said": said,
        "killed_at": killed_at,
    }


def _known(found: Kept) -> Applied:
    told = dict(found.about.notes)
    return Applied(
        found,
        run=told["run"],
        outcome=told["outcome"],
        changed=tuple(told["changed"]),
        is_of_this_run=told["by"] == THIS_RUN,
        made_as=told["made_as"],
        said=told["said"],
        killed_at=told["killed_at"],
    )
