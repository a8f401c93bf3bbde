"""What every change needs to know: the plan, where state lies, how devices are reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from inventory.plan import Plan
from switch_configs import render
from switch_configs.intent import Impact, Rendered


class Journal(Protocol):
    """Where a change is written down, before and after each of its phases.

    `before` and `after` are digests of configurations, never texts; `detail` is for
    people. The call returns when the entry is safe, so that a killed run leaves a trace.
    """

    def __call__(
        self, device: str, phase: str, impact: Impact, before: str, after: str, detail: str
    ) -> None:
        """Write one entry."""


def no_journal(
    device: str, phase: str, impact: Impact, before: str, after: str, detail: str
) -> None:
    """For reading: nothing changes, so nothing is written down."""


class Holding(Protocol):
    """How what a run does to devices beside its waves keeps every other run from changing them."""

    def __call__(self, devices: Iterable[str]) -> AbstractContextManager[Journal]:
        """Hold them as long as within; RefusedError where another run holds one."""


def unheld(devices: Iterable[str]) -> AbstractContextManager[Journal]:  # noqa: ARG001
    """For what no run on record does."""
    return nullcontext(no_journal)


class Stopwatch(Protocol):
    """Where it is written down how long a phase took, of one device or of all that it meets."""

    def __call__(self, phase: str, device: str = "") -> AbstractContextManager[None]:
        """Time what is done within."""


MOST_AT_ONCE = 32
"""Switches to which one process pushes side by side at most; of their logins, few begin at once."""


def untimed(phase: str, device: str = "") -> AbstractContextManager[None]:  # noqa: ARG001
    """For what no run on record does."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Context:
    """One run of railbed on one site.

    `site` is what `inventory.open_site` takes (a name or a folder); child processes open
    the site again by it. `say` shows progress to people; `journal` keeps it, and `timed` how
    long it took. `holding` is asked by what changes devices and puts them back. `ready` is where
    engines find their inventory, if somebody made it ready.
    `rendered` are configurations of this plan that somebody has made already, by switch. `at_once`
    is how many switches may be changed side by side.
    """

    plan: Plan
    site: str
    state_dir: Path
    ssh_config: Path
    known_hosts: Path
    say: Callable[[str], None]
    journal: Journal
    timed: Stopwatch = untimed
    holding: Holding = unheld
    ready: Path | None = None
    rendered: Mapping[str, Rendered] = field(default_factory=dict, compare=False, repr=False)
    at_once: int = MOST_AT_ONCE
    loads: bool = True

    def render(self, switch: str) -> Rendered:
        """A switch's configuration, made once a run where all were; DialectError as `render`."""
        return self.rendered.get(switch) or render(self.plan, switch)
