"""Reads what switches run, side by side, and keeps what is new. Changes nothing on them.

What a switch says with its secrets stays in memory: what is written is shown text, or encrypted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from deploy.context import Context
from deploy.errors import RailbedError
from deploy.record.history import is_there
from deploy.record.journal import Record
from deploy.record.runs import RECORD
from deploy.record.site_key import showing
from deploy.rollout.preconditions import is_pushed
from deploy.rollout.survey import recognised_in
from deploy.switches.login_run import BY_KEY_ALONE, Login
from deploy.switches.push_session import PushStopped, Whole, look, require_identity
from deploy.transport import credentials
from inventory.plan import Plan
from inventory.problems import close_to
from switch_configs import cli, dialect
from switch_configs.diff import shown
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered

from .store import EVER, Backup, Backups, NotWrittenError, digest_of

_WORKERS = 32


@dataclass(frozen=True, slots=True)
class Taken:
    """One switch: the backup that was written, or none where nothing is new, or why it is silent.

    `gone` is how many old ones were taken away.
    """

    device: str
    made: Backup | None = None
    silent: str = ""
    gone: int = 0


def switches_of(plan: Plan, names: Iterable[str]) -> tuple[str, ...]:
    """These switches, or all that railbed reaches; RailbedError for a name that is none."""
    known = {
        name
        for name, one in plan.any_switch.items()
        if name not in plan.undeployable and is_pushed(one.dialect)
    }
    for name in names:
        if name not in known:
            what = "is not reached" if name in plan.devices else "no such switch"
            raise RailbedError(f"--device {name}: {what}", hint=close_to(name, known))
    return tuple(sorted(set(names) or known))


def take(context: Context, names: Iterable[str], keep: int) -> tuple[Taken, ...]:
    """Keep what each runs where it is not what its last backup says, and `keep` backups of each."""
    store, read = Backups(context.state_dir), fetcher(context)
    changed = _last_changed(context.state_dir / RECORD)

    def one(name: str) -> Taken:
        try:
            made = kept(context, store, read(name), since=changed.get(name))
            return Taken(name, made, gone=store.prune(name, keep))
        except (PushStopped, DialectError, NotWrittenError) as error:
            return Taken(name, silent=f"{error.message}; {error.hint}".removesuffix("; "))

    with ThreadPoolExecutor(_WORKERS) as pool:
        return tuple(pool.map(one, names))


def fetcher(context: Context) -> Callable[[str], Whole]:
    """What reads a switch by its login; of a name, all that it runs.

    PushStopped or DialectError where it does not answer, or otherwise than it should. Credentials
    are read here, once: RailbedError.
    """
    from deploy.switches import switch_push  # netmiko takes a second to load

    plan = context.plan
    key, login = credentials.key_file(plan, context.state_dir), Login.read(context)

    def read(name: str) -> Whole:
        switch = plan.any_switch[name]
        tongue, spoken = dialect(switch.dialect), cli(switch.dialect)
        mine = login if spoken else BY_KEY_ALONE
        session = switch_push.connect(name, tongue.platform, context, key, spoken, mine)
        try:
            require_identity(session, switch, spoken)
            text = look(session, tongue.fetch_command())
        finally:
            session.close()
        return Whole(tongue.running(name, text), tongue.held(name, text))

    return read


def _last_changed(path: Path) -> Mapping[str, datetime]:
    """When a run changed each switch last; nothing where the record cannot say."""
    try:
        if not is_there(path):
            return {}
        with closing(Record(path)) as record:
            return record.last_changed()
    except RailbedError:
        return {}


def kept(
    context: Context, store: Backups, whole: Whole, run: int = 0, since: datetime | None = None
) -> Backup | None:
    """Write what a switch runs, or nothing as `Backups.keep`."""
    name, words = whole.running.device, showing(context.state_dir)
    try:
        asked = context.render(name)
    except DialectError:
        asked = Rendered(name, whole.running.dialect, ())  # then nothing may be shown
    running = recognised_in(context, whole.running, asked)
    tongue = dialect(whole.running.dialect)
    text = shown(running, asked, words) + _own(whole)
    return store.keep(name, whole, text, digest_of(whole, tongue, words.key), run, since or EVER)


def _own(whole: Whole) -> str:
    """How much of each kind a switch keeps beside what anybody plans: logins, keys, banners ..."""
    kinds = [one.kind for one in dialect(whole.held.dialect).own(whole.held)]
    lines = [f"{kinds.count(one)} of {one}" for one in sorted(set(kinds))]
    return "".join(f"{line}\n" for line in ("== the switch's own", *lines))


def before_run(context: Context, run: int) -> Callable[[Whole | None], None]:
    """Keeps what a switch runs before this run changes it; PushStopped where it cannot be kept."""

    def snapshot(found: Whole | None) -> None:
        if found is None:
            return
        try:
            kept(context, Backups(context.state_dir), found, run)
        except RailbedError as error:
            raise PushStopped(
                f"what it runs could not be kept: {error.message}", error.hint
            ) from None

    return snapshot
