"""Labs for tests: names that nobody else has, and labs that were applied once and kept.

A lab's name is this clone's and this worker's own, so that clones and workers test side by
side. A lab that is as planned is started from a kept one, which the first who needs it makes
by a real apply, from nothing.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from deploy import lab
from deploy.change import apply_site
from deploy.lab import kept, kept_store, locks
from deploy.lab.kept_store import Kept
from deploy.lab.paths import RUNTIME, LabPaths
from deploy.runbook import ApplyResult
from deploy.session import Selection
from inventory import site_folder
from tests.deploy.lab.traces import forget

ROOT = Path(__file__).parents[1]
# One word for all workers of a run: xdist's, or this process's own.
THIS_RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex
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
    """A kept lab, and how the apply ended that brought it there."""

    kept: Kept
    run: int
    exit_code: int
    outcome: str
    changed: tuple[str, ...]
    is_of_this_run: bool


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
        return _known(_made(key, site, only, wiring))


def _made(key: str, site: str | Path, only: Sequence[str], wiring: Path | None) -> Kept:
    """From nothing to the plan by `apply`, and kept."""
    selection = Selection(str(site), lab_name("cold"))
    forget(selection.lab)
    try:
        lab.up(site_folder(site), selection.lab, wiring=wiring, say=print)
        results = [apply_site(selection, one, dry_run=False, say=print) for one in only or ("",)]
        for one in results:
            assert one.exit_code == 0, one.outcome
        return kept.keep(selection.lab, key, _notes(results[-1]))
    finally:
        forget(selection.lab)


def _notes(result: ApplyResult) -> dict[str, object]:
    return {
        "by": THIS_RUN,
        "run": result.run,
        "exit_code": result.exit_code,
        "outcome": result.outcome,
        "changed": result.changed,
    }


def _known(found: Kept) -> Applied:
    told = dict(found.about.notes)
    return Applied(
        found,
        run=told["run"],
        exit_code=told["exit_code"],
        outcome=told["outcome"],
        changed=tuple(told["changed"]),
        is_of_this_run=told["by"] == THIS_RUN,
    )
