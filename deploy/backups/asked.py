"""What `railbed backup` and `railbed drift` do for a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deploy.context import no_journal
from deploy.differences import Detail, of_change
from deploy.errors import RailbedError
from deploy.record.site_key import showing
from deploy.servers.drift import DriftReport, drift_of_hosts, limited, servers_of
from deploy.session import Selection, open_context, open_offline, open_plan
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered

from .changed import changed
from .drift import SwitchDrift, drift, exit_code
from .store import Backup, Backups
from .taken import Taken, switches_of, take


def take_of_site(
    selection: Selection, names: Sequence[str], keep: int, say: Callable[[str], None]
) -> tuple[Taken, ...]:
    """Ask the switches of a site, or these, and keep what is new."""
    if keep < 1:
        raise RailbedError(f"--keep {keep}: at least the newest is kept")
    plan = open_plan(selection)
    switches = switches_of(plan, names)
    return take(open_context(selection, say, no_journal, plan), switches, keep)


def listed(selection: Selection, names: Sequence[str]) -> tuple[Backup, ...]:
    """The backups of a site, by switch, the oldest first."""
    plan, store = open_plan(selection), Backups(selection.state_dir)
    chosen = switches_of(plan, names) if names else store.devices()
    return tuple(one for name in chosen for one in store.of(name))


def between(selection: Selection, names: Sequence[str], old: str, new: str) -> tuple[Detail, ...]:
    """What changed on one switch between two of its backups, by section."""
    if len(names) != 1:
        raise RailbedError("--diff compares backups of one switch", hint="name it: --device NAME")
    context = open_offline(selection, lambda _: None, no_journal)
    (name,) = switches_of(context.plan, names)
    store = Backups(selection.state_dir)
    before, after = (store.opened(store.named(name, one)) for one in (old, new))
    try:
        asked = context.render(name)
    except DialectError:
        asked = Rendered(name, after.running.dialect, ())
    if before.running.dialect != after.running.dialect:
        raise RailbedError(f"{name} ran {before.running.dialect}, then {after.running.dialect}")
    found = changed(before, after, asked, showing(selection.state_dir))
    return tuple(map(of_change, found))


@dataclass(frozen=True, slots=True)
class SiteDrift:
    """What differs on servers, None where none was asked for, and on switches."""

    servers: DriftReport | None
    switches: tuple[SwitchDrift, ...]

    @property
    def exit_code(self) -> int:
        """0 no drift, 1 drift, 3 none was seen, and not all is known."""
        codes = [exit_code(self.switches), *([self.servers.exit_code] if self.servers else [])]
        return 1 if 1 in codes else max(codes)


def drift_of_site(selection: Selection, limit: Sequence[str]) -> SiteDrift:
    """Compare the servers and switches of these names and groups, or all; change nothing."""
    plan = open_plan(selection)
    servers, switches = servers_of(plan), frozenset(switches_of(plan, ()))
    chosen = limited(plan, limit, servers | switches, "server or switch")
    context = open_context(selection, lambda _: None, no_journal, plan)
    hosts = [one for one in chosen if one in servers]
    found = drift(context, [one for one in chosen if one in switches])
    return SiteDrift(drift_of_hosts(context, hosts) if hosts else None, found)
