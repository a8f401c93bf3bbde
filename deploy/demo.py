"""`railbed demo`: the whole chain on this machine, and one real fault, in a few minutes."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

from inventory import site_folder
from inventory.problems import close_to
from validation.verdict import Verdict

from . import lab
from .errors import RailbedError
from .lab.faults import port_down, port_up
from .measuring.measure import validate_site
from .rollout.change import apply_site
from .session import Selection, open_plan
from .show import apply_text, check_text, validate_text

LAB = "demo"
_SITE = "lab"


@dataclass
class _Story:
    """Numbers the chapters and says what each took."""

    out: Console
    chapter: int = 0

    @contextmanager
    def tell(self, title: str) -> Iterator[None]:
        self.chapter += 1
        self.out.print(f"\n{self.chapter}. {title}", style="bold")
        began = time.monotonic()
        yield
        self.out.print(f"   {time.monotonic() - began:.1f} s", style="dim")


def site_of(dialect: str) -> str:
    """The site of labs whose switches are models of a system; "" for that of FRR on Linux."""
    found = site_folder(_SITE).parent.glob(f"{_SITE}-*/wiring.csv")
    known = sorted(path.parent.name.removeprefix(f"{_SITE}-") for path in found)
    if dialect and dialect not in known:
        hint = close_to(dialect, known) or f"there are models of {', '.join(known)}"
        raise RailbedError(f"there is no model of '{dialect}'", hint=hint)
    return f"{_SITE}-{dialect}" if dialect else _SITE


def run_demo(keep: bool, out: Console, name: str = LAB, site: str = _SITE) -> int:
    """Lab up, apply, apply again, a link goes down and is named, comes back, lab down.

    Returns 0 when every chapter ended as it must. The report stays until the next demo; the lab,
    called `name`, does not, unless `keep`.
    """
    began = time.monotonic()
    selection = Selection(site, name)
    lab.down(name)
    if name == LAB:  # the record of an earlier demo speaks of other devices, which are gone
        shutil.rmtree(selection.state_dir, ignore_errors=True)
    try:
        report = _chapters(_Story(out), selection, _progress(out))
    finally:
        if not keep:
            lab.down(name)
    took = f"after {time.monotonic() - began:.0f} s."
    out.print(f"\nAll as it must be, {took}", style="bold green")
    out.print(f"The report of the rollout: {report}", soft_wrap=True)
    if keep:
        out.print(f"The lab is still up: `railbed lab status --name {name}`")
    return 0


def _chapters(story: _Story, selection: Selection, say: Callable[[str], None]) -> str:
    plan = open_plan(selection)
    with story.tell("The inventory is read, checked and planned"):
        check_text(plan, story.out)
    with story.tell("A lab is built: booted systemd machines, real sshd, FRR, cables by hand"):
        lab.up(site_folder(selection.site), selection.lab, "nspawn", None, say=say)
    with story.tell("The plan is applied: OOB, nodes, spines, leaves, a gate after each wave"):
        first = apply_site(selection, "", dry_run=False, say=say)
        apply_text(first, story.out)
        _must(first.exit_code == 0, "the rollout did not reach its end")
    with story.tell("Applied again: nothing is left to change"):
        again = apply_site(selection, "", dry_run=False, say=say)
        _must(again.exit_code == 0 and not again.changed, "the second apply changed something")
        story.out.print(f"   changed: nothing; {again.outcome}", markup=False)
    cable = next(one for one in plan.cables if one.plane == "compute" and "spine" in str(one))
    with story.tell(f"A link goes down, of the cable {cable}"):
        port_down(selection.lab, cable.a)
        found = validate_site(selection, 20, (), say)
        validate_text(found, story.out)
        named = {finding.suspect for finding in found.findings if finding.verdict is Verdict.FAIL}
        _must(named == {f"port {cable.a}"}, "the port that is down was not the one suspect")
    with story.tell("It comes back, and the site is measured again"):
        port_up(selection.lab, cable.a)
        mended = apply_site(selection, "", dry_run=False, say=say)
        _must(mended.exit_code == 0, "the fabric did not come back")
        story.out.print(f"   {mended.outcome}", markup=False)
    return str(first.report)


def _must(true: bool, otherwise: str) -> None:
    if not true:
        raise RailbedError(f"the demo did not end as it must: {otherwise}", exit_code=1)


def _progress(out: Console) -> Callable[[str], None]:
    return lambda text: out.print(f"   {text}", style="dim", markup=False, soft_wrap=True)
