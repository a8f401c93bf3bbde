"""`drift` of switches: what differs from the plan, who changed it, and between which backups.

Also what each keeps as its own (logins, keys, banners) and its secrets, beside the last backup: a
plan says little of these, and whoever got in changes them first. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from deploy.context import Context
from deploy.differences import Causes, Detail, kept_plan, of_change
from deploy.errors import RailbedError
from deploy.record.history import is_there
from deploy.record.journal import Record
from deploy.record.runs import RECORD
from deploy.record.site_key import showing
from deploy.rollout.reached import Reached, reached
from deploy.rollout.survey import recognised_in
from deploy.rollout.switch_wave import window_s
from deploy.switches.push_session import PushStopped, Whole
from inventory.problems import ExpectedError
from switch_configs import dialect, render
from switch_configs.changes import Change, unplanned
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered
from switch_configs.readback import accounts
from switch_configs.shown.foreign import Showing

from .changed import SECRETS, configured, kept_aside
from .store import Backup, Backups
from .taken import fetcher

_WORKERS = 32
_OWN = "the switch's own"
NO_BACKUP = "no backup tells since when, nor what its logins and secrets were: `railbed backup`"
BEFORE_RUN = "the last backup is from before a run: whether a secret changed since is not known"
ON_DEVICE = "changed on the device"
BY_PLAN = "the plan changed"


@dataclass(frozen=True, slots=True)
class SwitchDrift:
    """One switch: what differs, with who did it and when as the cause; or why it is silent.

    `notes` are what is not known of it. `sections` are where a site may add raw lines.
    """

    device: str
    details: tuple[Detail, ...] = ()
    notes: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    silent: str = ""


def exit_code(found: Sequence[SwitchDrift]) -> int:
    """0 no drift, 1 drift, 3 none was seen, and not all is known."""
    if any(one.details for one in found):
        return 1
    return 3 if any(one.silent for one in found) else 0


def drift(context: Context, names: Iterable[str]) -> tuple[SwitchDrift, ...]:
    """Ask switches what they run, side by side, and compare."""
    names = tuple(names)
    if not names:
        return ()
    read, runs = fetcher(context), _Runs.of(context)
    causes = Causes(context.site, context.state_dir, context.plan.digest)

    def one(name: str) -> Whole | ExpectedError:
        try:
            return read(name)
        except (PushStopped, DialectError) as error:
            return error

    with ThreadPoolExecutor(_WORKERS) as pool:
        found = tuple(zip(names, pool.map(one, names), strict=True))

    def judged(name: str, whole: Whole | ExpectedError) -> SwitchDrift:
        try:
            if isinstance(whole, ExpectedError):
                raise whole
            return _Look(context, whole, causes, runs).drift()
        except (PushStopped, DialectError) as error:  # of the others it says nothing
            return SwitchDrift(name, silent=f"{error.message}; {error.hint}".removesuffix("; "))

    return tuple(judged(name, whole) for name, whole in found)


@dataclass(frozen=True, slots=True)
class _Runs:
    """What the record says of devices: at which plans they are, and when a run changed them."""

    at: Reached | None = None
    changed: Mapping[str, datetime] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Context) -> _Runs:
        """Nothing where the record cannot say."""
        path = context.state_dir / RECORD
        try:
            if not is_there(path):
                return cls(Reached())
            with closing(Record(path)) as record:
                return cls(reached(record), record.last_changed())
        except RailbedError:
            return cls()


@dataclass
class _Look:
    """One switch as it runs, beside its plan, the plan before and its backups."""

    context: Context
    whole: Whole
    causes: Causes
    runs: _Runs

    def drift(self) -> SwitchDrift:
        tongue = dialect(self.whole.running.dialect)
        differs = tongue.push_steps(self.running, self.asked, window_s(self.context.plan))
        found = self._found(self.running, self.asked) if differs else ()
        details = [self._detail(one) for one in found]
        logins = accounts.planned(self.context.plan, self.name)
        strays = unplanned(self.whole.held, self.asked, tongue, logins)
        details += [Detail(_OWN, one, "none", "no push touches it") for one in strays]
        aside, note = self._aside()
        return SwitchDrift(self.name, (*details, *aside), note, tongue.sections)

    def _aside(self) -> tuple[tuple[Detail, ...], tuple[str, ...]]:
        """What differs from the last backup in what no plan says, and what is not known of that."""
        if not self.backups:
            return (), (NO_BACKUP,)
        last = self.backups[-1]
        try:
            found = kept_aside(self._opened(last), self.whole, self.asked)
        except RailbedError as error:
            return (), (f"backups tell nothing: {error.message}",)
        is_before_run = last.run or last.at < self.runs.changed.get(self.name, last.at)
        note = (BEFORE_RUN,) if is_before_run else ()
        # A run may have changed a secret since; a switch's own it never does.
        kept = (one for one in found if not is_before_run or one.path != SECRETS)
        return tuple(map(self._beside_last, kept)), note

    @property
    def name(self) -> str:
        return self.whole.running.device

    @cached_property
    def asked(self) -> Rendered:
        return self.context.render(self.name)

    @cached_property
    def running(self) -> Rendered:
        return recognised_in(self.context, self.whole.running, self.asked)

    @cached_property
    def shown(self) -> Showing:
        return showing(self.context.state_dir)

    @cached_property
    def backups(self) -> tuple[Backup, ...]:
        return Backups(self.context.state_dir).of(self.name)

    def _opened(self, one: Backup) -> Whole:
        return Backups(self.context.state_dir).opened(one)

    def _found(self, running: Rendered, asked: Rendered) -> tuple[Change, ...]:
        return configured(running, asked, self.asked, self.shown)

    # -- who ------------------------------------------------------------------------------

    @cached_property
    def by_hand(self) -> Callable[[Change], bool | None]:
        """Whether a section differs from what the last run left there, too; None: not known."""
        plans = self.runs.at.of(self.name) if self.runs.at else frozenset[str]()
        if plans == {self.context.plan.digest}:
            return lambda _: True
        earlier = kept_plan(self.context.state_dir, *plans) if len(plans) == 1 else None
        if earlier is None or self.name not in earlier.any_switch:
            return lambda _: None
        before = render(earlier, self.name)
        if before.dialect != self.asked.dialect:
            return lambda _: None
        other = {(one.path, one.section) for one in self._found(self.running, before)}
        return lambda one: (one.path, one.section) in other

    def _detail(self, change: Change) -> Detail:
        is_by_hand = self.by_hand(change)
        if is_by_hand is False:
            told = of_change(change, self.causes, frozenset())
            return replace(told, cause=f"{BY_PLAN}: {told.cause}".removesuffix(": "))
        told = of_change(change)
        who = ON_DEVICE if is_by_hand else "not known: no run on record says what it was left with"
        when = self._when(change)
        return replace(told, cause=f"{who}, {when}" if when else who)

    # -- when -----------------------------------------------------------------------------

    def _when(self, change: Change) -> str:
        """Between which backups it began to differ so; empty where none tells."""
        after: Backup | None = None
        for one in reversed(self.backups):
            try:
                found = self._then(one)
            except RailbedError:
                return f"before {_at(after)}" if after else ""
            if change not in found:
                return f"between {_at(one)} and {_at(after)}" if after else f"since {_at(one)}"
            after = one
        return f"before {_at(after)}" if after else ""

    def _then(self, one: Backup) -> frozenset[Change]:
        """What differed when a backup was taken, from what is asked today."""
        if one not in self._seen:
            running = self._opened(one).running
            known = recognised_in(self.context, running, self.asked)
            same = running.dialect == self.asked.dialect
            self._seen[one] = frozenset(self._found(known, self.asked)) if same else frozenset()
        return self._seen[one]

    @cached_property
    def _seen(self) -> dict[Backup, frozenset[Change]]:
        return {}

    def _beside_last(self, change: Change) -> Detail:
        told = of_change(change)
        since = f"{ON_DEVICE}, since {_at(self.backups[-1])}"
        return replace(told, cause=f"{since}; `railbed backup` makes it what is known")


def _at(one: Backup) -> str:
    return f"the backup of {one.at:%Y-%m-%d %H:%M:%S} UTC"
