"""The state before: who answers, who already is as planned, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

from deploy.context import Context
from deploy.differences import Causes, meanings, of_servers, of_switch, of_unknown, worst
from deploy.errors import RailbedError
from deploy.record.site_key import showing
from deploy.servers.drift import DeviceDrift
from deploy.servers.engine_run import Work
from deploy.switches.push_result import worst_impact
from deploy.switches.push_secrets import read_secrets
from deploy.switches.push_session import LOOK_S, Pace
from inventory.oob.paths import behind
from inventory.visible import one_line
from switch_configs import dialect, is_typed
from switch_configs.answers.typed import decoded, joined
from switch_configs.changes import unplanned
from switch_configs.diff import diff
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered
from switch_configs.readback import accounts
from switch_configs.shown.foreign import Showing
from switch_configs.shown.said import said
from switch_configs.shown.secrets import recognised
from validation.evidence.gather import Transport
from validation.meaning import Meaning

from .drain.chosen import preview
from .look import Difference, digest, look
from .oob.answering import said_of_way
from .preconditions import by_people, is_pushed
from .unmended import Unmended, left_on_switch

_WORKERS = 32
_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Survey:
    """Every device is in exactly one of the first three; `silent` carries the reason.

    `roles` says which roles must run on a server (a difference that no role mends needs none);
    `seen` is a digest of what was read of each device that answered; `strays` has what no run mends
    (`unmended`; of what switches keep as their own beside the plan only how much of each kind): no
    gate passes beside it. `drifted` and `running` (what a switch runs, what the plan asks) are what
    `explained` makes details of; they may hold secrets.
    """

    plan_digest: str
    as_planned: frozenset[str]
    differences: tuple[Difference, ...]
    silent: tuple[tuple[str, str], ...]
    roles: Mapping[str, tuple[str, ...]]
    seen: Mapping[str, str]
    strays: Mapping[str, tuple[Unmended, ...]] = field(default_factory=dict)
    drifted: tuple[DeviceDrift, ...] = field(default=(), repr=False)
    running: Mapping[str, tuple[Rendered, Rendered]] = field(default_factory=dict, repr=False)

    def differs(self, devices: tuple[str, ...]) -> bool:
        """Whether any of the devices is not known to be as planned."""
        return not self.as_planned.issuperset(devices)

    def work(self, servers: tuple[str, ...]) -> Work:
        """The roles that must run on some servers; every role (no name) on one that was silent."""
        silent = {name for name, _ in self.silent}
        asked = ((name, () if name in silent else self.roles.get(name)) for name in servers)
        return {name: roles for name, roles in asked if roles is not None}


@dataclass(frozen=True, slots=True)
class _Answer:
    difference: Difference | None = None
    silent: str = ""
    seen: str = ""
    strays: tuple[str, ...] = ()
    running: tuple[Rendered, Rendered] | None = None


def survey(context: Context, transport: Transport, *, whole: bool = False) -> Survey:
    """Ask every device, in parallel, changing nothing; `whole` shows lines that nobody planned."""
    plan, shown = context.plan, showing(context.state_dir, whole=whole)
    others = {*plan.any_switch, *plan.undeployable}
    asked = [name for name in plan.devices if name in others]
    hosts = [name for name in plan.devices if name not in asked]
    with ThreadPoolExecutor(_WORKERS) as pool:
        servers = pool.submit(look, context, transport, hosts)
        switches = dict(
            zip(
                asked,
                pool.map(lambda name: _ask(context, transport, name, shown), asked),
                strict=True,
            )
        )
        found = servers.result()
    silent = {name: one.silent for name, one in switches.items() if one.silent}
    silent.update(found.silent)
    differing = [answer.difference for answer in switches.values() if answer.difference]
    differences = sorted((*differing, *found.differences), key=lambda one: one.device)
    strays = {name: left_on_switch(one.strays) for name, one in switches.items() if one.strays}
    changed = {difference.device for difference in differences}
    return Survey(
        plan_digest=plan.digest,
        as_planned=frozenset(set(plan.devices) - changed - set(silent)),
        differences=tuple(differences),
        silent=tuple(sorted(silent.items())),
        roles=found.roles,
        seen={**found.seen, **{name: one.seen for name, one in switches.items() if one.seen}},
        strays={**found.strays, **strays},
        drifted=found.drifted,
        running={name: one.running for name, one in switches.items() if one.running},
    )


def explained(
    context: Context, transport: Transport, found: Survey, *, whole: bool = False
) -> Survey:
    """A survey whose differences have their details: lines, impact with its reason, and cause.

    One more trip to servers where a file differs. Nothing that a device holds stays beside them.
    """
    plan, shown = context.plan, showing(context.state_dir, whole=whole)
    causes = Causes(context.site, context.state_dir, plan.digest)
    details = of_servers(plan, transport, found.drifted, causes, shown)
    means: dict[str, tuple[Meaning, ...]] = {}
    drains, reach = dict[str, str](), behind(plan)
    for drift in found.drifted:
        every = [*details.get(drift.device, ()), *map(of_unknown, drift.found.unknowns)]
        details[drift.device] = tuple(sorted(every, key=lambda detail: detail.place))
    for name, (running, asked) in found.running.items():
        own = tuple(map(str, found.strays.get(name, ())))
        details[name] = of_switch(running, asked, own, causes, shown)
        means[name] = meanings(running, asked)
        drains[name] = (
            said_of_way(plan, reach, name)
            if name in reach
            else preview(plan, name, worst(details[name]), running)
        )
    told = tuple(
        replace(
            difference,
            impact=worst(mine),
            details=mine,
            means=means.get(difference.device, ()),
            drain=drains.get(difference.device, ""),
        )
        if (mine := details.get(difference.device, ()))
        else difference
        for difference in found.differences
    )
    return replace(found, differences=told, drifted=(), running={})


def _ask(context: Context, transport: Transport, name: str, shown: Showing) -> _Answer:
    """One trip: a switch's running configuration."""
    plan = context.plan
    if name in plan.undeployable:
        return _Answer(silent="no as-built row: planned, not deployable")
    if why := by_people(plan).get(name):
        return _Answer(silent=f"a switch of the OOB plane, {why}")
    word = plan.any_switch[name].dialect
    if not is_pushed(word):
        return _Answer(silent=f"railbed does not reach {word} switches yet")
    tongue = dialect(word)
    limit_s = LOOK_S if is_typed(word) else _TIMEOUT_S
    reply = transport.run(name, tongue.fetch_command(), limit_s)
    if reply.error or reply.exit_status != 0:
        return _Answer(silent=reply.error or f"exit status {reply.exit_status}")
    output = reply.stdout.decode("utf-8", "replace")
    if is_typed(word):
        whole = joined(decoded(reply.stdout))
        if whole.status:
            return _Answer(silent=one_line(said(whole.why)))
        output = whole.out
    try:
        running, held = tongue.running(name, output), tongue.held(name, output)
    except DialectError as error:
        return _Answer(silent=error.message)
    asked = context.render(name)
    strays = unplanned(held, asked, tongue, accounts.planned(plan, name))
    # With the key: who knows all but a short secret could guess it from a digest of the whole.
    texts = (f"{file.path}\n{file.text}" for file in running.files)
    seen = digest("\n".join((shown.key.hex(), *strays, *texts)))
    running = recognised_in(context, running, asked)
    found = diff(running, asked, shown)
    if is_typed(word) and not tongue.push_steps(running, asked, Pace().window_s):
        found = ()  # a system orders its text in its own way
    if not found and not strays:
        return _Answer(seen=seen)
    text = "\n".join([*(one.text for one in found), *strays])
    told = Difference(name, worst_impact(one.impact for one in found), text)
    return _Answer(told, seen=seen, strays=strays, running=(running, asked))


def recognised_in(context: Context, running: Rendered, asked: Rendered) -> Rendered:
    """What runs, with the planned words for secrets: those that are the site's, or hidden there.

    A survey needs no credential: where one cannot be read, what a switch shows is another.
    """
    with suppress(RailbedError):
        secrets = read_secrets(context.plan, context.state_dir, [asked])
        return secrets.recognised(running, asked)
    planned = {file.path: file.text for file in asked.files}
    files = (
        replace(file, text=recognised(file.text, planned.get(file.path, "")))
        for file in running.files
    )
    return replace(running, files=tuple(files))
