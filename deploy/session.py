"""From what a person typed to a Context: which site, which lab, where its state lies."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from inventory import open_site
from inventory.load.site import existing_folder
from inventory.plan import Plan
from inventory.state import is_lab, state_dir
from switch_configs.intent import Rendered

from . import logs
from .context import Context, Journal
from .errors import RailbedError
from .lab.paths import LabPaths
from .transport.ssh_files import prepare

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Selection:
    """What the global options named: a site, and for a lab site which of its labs."""

    site: str
    lab: str

    @property
    def is_lab(self) -> bool:
        """A site is a lab's when its folder holds the cables as built by hand."""
        return is_lab(self.site)

    @property
    def state_dir(self) -> Path:
        """Where this site's, or this lab's, record, evidence and reports lie."""
        if self.is_lab:
            return LabPaths(self.lab).state
        return state_dir(self.site, self.lab)


def no_run_yet(selection: Selection) -> RailbedError:
    """What is said where nobody has applied or measured anything.

    Raises InventoryError where there is no such site at all.
    """
    existing_folder(selection.site)
    return RailbedError(
        f"no run of {selection.site} is on record in {selection.state_dir}",
        hint="`railbed apply` or `railbed validate`",
    )


def open_plan(selection: Selection) -> Plan:
    """The plan of the selected site; every problem of it at once, as InventoryError."""
    return open_site(selection.site, selection.state_dir)


def open_offline(selection: Selection, say: Callable[[str], None], journal: Journal) -> Context:
    """A context that reaches nothing: for judging saved evidence."""
    nowhere = selection.state_dir / "ssh"
    return Context(
        plan=open_plan(selection),
        site=selection.site,
        state_dir=selection.state_dir,
        ssh_config=nowhere / "config",
        known_hosts=nowhere / "known_hosts",
        say=say,
        journal=journal,
    )


def require_up(selection: Selection) -> None:
    """RailbedError for a lab that is not up: nothing is written for it."""
    if selection.is_lab and not (selection.state_dir / "access.json").is_file():
        raise RailbedError(
            f"lab '{selection.lab}' is not up", hint=f"`railbed lab up --name {selection.lab}`"
        )


def open_context(
    selection: Selection,
    say: Callable[[str], None],
    journal: Journal,
    plan: Plan | None = None,
    rendered: Mapping[str, Rendered] | None = None,
) -> Context:
    """Everything a run needs; writes the SSH files that all engines share.

    `plan` is the selected site's where the caller has opened it, `rendered` what it has rendered of
    it: large sites take seconds.
    """
    require_up(selection)
    plan = plan or open_plan(selection)
    state_dir = selection.state_dir
    files = prepare(plan, state_dir)
    logs.keep(state_dir)
    LOG.info("opened site %s: %d devices, plan %s", plan.site, len(plan.devices), plan.digest[:12])
    return Context(
        plan=plan,
        site=selection.site,
        state_dir=state_dir,
        ssh_config=files.config,
        known_hosts=files.known_hosts,
        say=say,
        journal=journal,
        rendered=rendered or {},
    )
