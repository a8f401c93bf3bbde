"""The waves of servers: the roles that must run, by each host's engine, checked by the other."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from deploy.context import Context
from deploy.errors import RailbedError
from deploy.record.journal import Record
from deploy.servers import engines
from deploy.servers.engine_run import RunResult, Work
from deploy.transport.ssh_run import hang_up
from inventory.plan import Wave

from .survey import Survey

STEPS = ("oob", "nodes")


@dataclass
class ServerWaves:
    """What is to run on servers in one rollout, and what has run so far.

    After the last wave that runs anything, the other engine of every host looks once, in a dry
    run, at all that ran, and at what is `owed`: hosts on which an earlier run ended before that
    look, or with what it found. It must find nothing to change. It looks beside what follows,
    until `judge` waits for it: what follows must not touch what servers see.
    """

    before: Survey
    every_role: bool
    owed: frozenset[str] = frozenset()
    done: dict[str, tuple[str, ...]] = field(default_factory=dict)
    last: str = ""
    _looking: _Look | None = None

    def work(self, wave: Wave) -> Work:
        """The roles to run on each host of a wave; hosts that need none are not in it."""
        if self.every_role:
            return dict.fromkeys(wave.devices, ())
        return self.before.work(wave.devices)

    def expect(self, waves: Iterable[Wave]) -> None:
        """Say which waves will come, in order: the check belongs to the last."""
        self.last = next((wave.name for wave in reversed([*waves]) if wave.step in STEPS), "")

    def run(
        self, context: Context, record: Record, run: int, wave: Wave, changed: list[str]
    ) -> None:
        """Run one wave, add the names of what changed; RailbedError where a host failed."""
        work = self.work(wave)
        results = engines.run(context, work, dry_run=False)
        _keep(record, run, wave.name, results)
        changed.extend(result.host for result in engines.hosts_of(results) if result.changed)
        hang_up(context.ssh_config, work)
        _refuse_failed(results)
        self.done |= work
        if wave.name == self.last:
            self.look(context, wave.name)

    def look(self, context: Context, wave: str) -> None:
        """Let the other engines begin to look, where there is anything to look at."""
        work: Work = {**dict.fromkeys(self.owed, ()), **self.done}
        if not work:
            return
        context.say(f"  the other engine looks at {', '.join(sorted(work))}")
        pool = ThreadPoolExecutor(1)
        self._looking = _Look(wave, pool.submit(engines.check_by_other, context, work))
        pool.shutdown(wait=False)

    def judge(self, record: Record, run: int, *, wait: bool) -> None:
        """Raise RailbedError where the other engines would go on.

        Without `wait` only what they have found by now counts.
        """
        look = self._looking
        if look is None or not (wait or look.ended.done()):
            return
        looks, found = look.ended.result()
        self._looking = None
        _keep(record, run, look.wave, looks)
        _refuse_disagreement(found)
        self.owed = frozenset()

    def close(self, record: Record, run: int) -> None:
        """Let a look end that nobody waits for any more; what it found is looked for again."""
        with suppress(RailbedError):
            self.judge(record, run, wait=True)


@dataclass(frozen=True)
class _Look:
    wave: str
    ended: Future[tuple[list[RunResult], tuple[engines.Disagreement, ...]]]


def _keep(record: Record, run: int, wave: str, results: Iterable[RunResult]) -> None:
    for result in results:
        hosts = [host.host for host in result.hosts]
        record.add_transcript(run, wave, result.engine, result.dry_run, hosts, result.transcript)


def _refuse_failed(results: list[RunResult]) -> None:
    failed = [result for result in engines.hosts_of(results) if result.failed]
    if failed:
        what = "; ".join(f"{result.host}: {result.message}" for result in failed)
        hint = (
            "later waves were not touched; mend what it names and run apply again, "
            "which goes on from here. The transcript is in the record"
        )
        raise RailbedError(what, hint=hint, exit_code=1)


def _refuse_disagreement(found: tuple[engines.Disagreement, ...]) -> None:
    if found:
        hint = (
            "the two faces of a role differ, or the host changes by itself: the transcripts of "
            "both engines are in the record"
        )
        raise RailbedError("; ".join(map(str, found)), hint=hint, exit_code=1)
