"""Which engine runs where: the one that the plan names for a host, or the other as its checker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from deploy.context import Context
from deploy.record.journal import CHECKED, ROLES
from inventory.engines.ready import make_ready
from inventory.plan import Engine
from validation.evidence.aside import scratch
from validation.manifest.contract import roles_of

from . import ansible_run, pyinfra_run
from .engine_run import HostResult, RunResult, Work

_RUN: dict[Engine, Callable[[Context, Work, bool], RunResult]] = {
    "ansible": ansible_run.run,
    "pyinfra": pyinfra_run.run,
}
_OTHER: dict[Engine, Engine] = {"ansible": "pyinfra", "pyinfra": "ansible"}
# Different roles of one engine are separate runs of it; more at once would only queue for CPU.
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A host on which one engine is done, and the other would go on, or could not look."""

    host: str
    engine: Engine
    checker: Engine
    would_change: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        found = self.message or f"would still change: {', '.join(self.would_change)}"
        return f"{self.host}: {self.engine} is done, but {self.checker} {found}"


def run(context: Context, work: Work, *, dry_run: bool, other: bool = False) -> list[RunResult]:
    """Run each host's engine (or the `other` one) on exactly the roles that `work` names.

    One run per engine and set of roles, side by side. Every host is in one result. What a real
    run does to a host is in the journal before it begins and after it ended.
    """
    batches: dict[tuple[Engine, tuple[str, ...]], dict[str, tuple[str, ...]]] = defaultdict(dict)
    has = roles_of(context.plan)
    for host, named in sorted(work.items()):
        # Every role, named or not, is one run.
        roles = () if set(named) >= set(has.get(host, ())) else named
        engine = context.plan.engine_of(host)
        batches[_OTHER[engine] if other else engine, roles][host] = roles
        if not dry_run:
            _note(context, host, f"begins: {engine}, {', '.join(roles) or 'every role'}")

    def one(batch: tuple[tuple[Engine, tuple[str, ...]], Work]) -> RunResult:
        (engine, _), hosts = batch
        with context.timed(f"{engine} looks" if dry_run else engine, ", ".join(sorted(hosts))):
            result = _RUN[engine](context, hosts, dry_run)
        for host in result.hosts if not dry_run else ():
            _note(context, host.host, _told(host))
            context.say(f"  {host.host}: {engine}: {_counted(host)}")
        return result

    with scratch("inventory") as folder:
        files = (str(context.ssh_config.absolute()), str(context.known_hosts.absolute()))
        make_ready(context.plan, *files, folder)
        context = replace(context, ready=folder)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(one, sorted(batches.items())))


def check_by_other(
    context: Context, work: Work
) -> tuple[list[RunResult], tuple[Disagreement, ...]]:
    """Let the engine that did not change a host look (dry run): it must find nothing to do.

    Where it finds nothing, the journal says so.
    """
    if not work:
        return [], ()
    results = run(context, work, dry_run=True, other=True)
    for result in results:
        for one in result.hosts:
            if not (one.failed or one.changed):
                detail = f"{result.engine} finds nothing to change"
                context.journal(one.host, CHECKED, "none", "", context.plan.digest, detail)
    return results, tuple(
        Disagreement(
            host=one.host,
            engine=_OTHER[result.engine],
            checker=result.engine,
            would_change=one.operations,
            message=f"could not look: {one.message}" if one.failed else "",
        )
        for result in results
        for one in result.hosts
        if one.failed or one.changed
    )


def hosts_of(results: list[RunResult]) -> tuple[HostResult, ...]:
    """Every host of some runs, sorted."""
    return tuple(sorted((one for result in results for one in result.hosts), key=lambda h: h.host))


def _note(context: Context, host: str, detail: str) -> None:
    context.journal(host, ROLES, "runtime", "", context.plan.digest, detail)


def _counted(one: HostResult) -> str:
    """For people: the journal has the names."""
    if one.failed:
        return _told(one)
    return f"{len(one.operations) + len(one.followed)} changes" if one.changed else "no change"


def _told(one: HostResult) -> str:
    if one.failed:
        return one.message if one.message.startswith("failed") else f"failed: {one.message}"
    names = ", ".join((*one.operations, *one.followed))
    return f"done: {names or 'nothing to change'}"
