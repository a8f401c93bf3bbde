"""`drift`: one trip to each server reads its manifest back. Changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from deploy.context import Context
from deploy.differences import Causes, Detail, of_drift, of_servers
from deploy.errors import RailbedError
from deploy.record.site_key import showing
from deploy.transport.ssh_run import SshTransport
from inventory.nodes.hostvars import groups
from inventory.plan import Plan
from inventory.problems import close_to
from validation.evidence import learned
from validation.evidence.gather import Ask, Transport, gather
from validation.evidence.lookup import Book
from validation.evidence.store import EvidenceStore
from validation.evidence.trust import Trust
from validation.manifest import node_state
from validation.manifest.device import manifests
from validation.manifest.drift import Compared, compare, from_book
from validation.run import asked

_STAGE = 30


@dataclass(frozen=True, slots=True)
class DeviceDrift:
    """One device against its manifest of `size` things; `silent` says why it did not answer."""

    device: str
    roles: tuple[str, ...]
    size: int
    found: Compared
    silent: str = ""

    @property
    def is_as_planned(self) -> bool:
        """Whether everything was read, and is as planned."""
        return not (self.found.drifts or self.found.unknowns or self.silent)

    @property
    def roles_to_run(self) -> tuple[str, ...]:
        """The roles whose run may help, in their order; all where the device was silent.

        Those that differ in something that a role mends, and those not known whole.
        """
        if self.silent:
            return self.roles
        asked = {one.role for one in self.found.drifts if one.is_mended_by_role}
        asked |= {one.role for one in self.found.unknowns}
        return tuple(role for role in self.roles if role in asked)


@dataclass(frozen=True, slots=True)
class DriftReport:
    """Every host that was asked for, sorted by name; `explained` gives its drifts their details."""

    plan_digest: str
    devices: tuple[DeviceDrift, ...]
    details: Mapping[str, tuple[Detail, ...]] = field(default_factory=dict)

    def of(self, host: str) -> DeviceDrift:
        """One host; KeyError for one that was not asked for."""
        return {one.device: one for one in self.devices}[host]

    def details_of(self, one: DeviceDrift) -> tuple[Detail, ...]:
        """What differs on a host, thing by thing; without lines and causes if not `explained`."""
        return self.details.get(one.device) or tuple(of_drift(each) for each in one.found.drifts)

    def roles_to_run(self, host: str) -> tuple[str, ...]:
        """The roles of a host whose run may help; see DeviceDrift."""
        return self.of(host).roles_to_run

    @property
    def exit_code(self) -> int:
        """0 no drift, 1 drift, 3 no drift was seen but not all, or nothing, is known."""
        if any(one.found.drifts for one in self.devices):
            return 1
        known = bool(self.devices) and all(one.is_as_planned for one in self.devices)
        return 0 if known else 3


def drift(
    context: Context,
    transport: Transport,
    hosts: Iterable[str],
    store: EvidenceStore | None = None,
) -> DriftReport:
    """Compare hosts with their manifests: one trip to each, all at once.

    With a `store`, the same trip also brings what stage 30 asks of such hosts, as far as an
    earlier validation learnt it, and leaves all of it there: judging the stage from that
    store then needs no other trip.
    """
    plan, devices = context.plan, sorted(set(hosts))
    lessons = learned.load(context.state_dir / "learned.json") if store is not None else {}
    asks = {device: _asks(plan, device, lessons) for device in devices}
    book = Book(EvidenceStore() if store is None else store, Trust.of(plan, {}))
    gathered = gather(plan, transport, asks)
    book.add(gathered)
    answered = {frame.device for frame in gathered.frames}
    found = []
    for device in devices:
        mine = manifests(plan).of(device)
        silent = "" if device in answered or not len(mine) else gathered.errors.get(device, "")
        compared = Compared((), ()) if silent else compare(mine, from_book(book, device))
        found.append(DeviceDrift(device, mine.roles, len(mine), compared, silent))
    return DriftReport(plan.digest, tuple(found))


def _asks(plan: Plan, device: str, lessons: learned.Learned) -> Sequence[Ask]:
    mine = manifests(plan).of(device)
    states = node_state.lines(mine)
    known = lessons.get(_STAGE, {}).get(learned.kind_of(plan, device), ())
    others = [line for line in known if line not in node_state.LINES]
    return [asked(plan, device, line) for line in (*states, *others)]


def servers_of(plan: Plan) -> frozenset[str]:
    """All servers that can be asked."""
    return frozenset(manifests(plan).roles) - set(plan.undeployable)


def limited(plan: Plan, limit: Sequence[str], known: Collection[str], what: str) -> tuple[str, ...]:
    """Those of the `known` devices that these names and groups mean; all where there is no limit.

    `what` they are, in words. Raises RailbedError for a name that means none.
    """
    if not limit:
        return tuple(sorted(known))
    members, chosen = groups(plan), set[str]()
    for name in (part for one in limit for part in one.split(",") if part):
        mine = set(known) & {*members.get(name, (name,) if name in plan.devices else ())}
        if not mine:
            hint = close_to(name, {*known, *members}) if name not in plan.devices else ""
            hint = hint or f"a {what} ({', '.join(sorted(known)[:4])} ...) or a group of these"
            raise RailbedError(f"--limit {name}: no {what} of {plan.site} is meant", hint=hint)
        chosen |= mine
    if not chosen:
        raise RailbedError("--limit names nothing", hint=f"a {what}, or a group of these")
    return tuple(sorted(chosen))


def drift_of_hosts(context: Context, hosts: Iterable[str]) -> DriftReport:
    """Compare hosts, with what differs in their files."""
    transport = SshTransport(context.ssh_config)
    return explained(context, transport, drift(context, transport, hosts))


def explained(context: Context, transport: Transport, report: DriftReport) -> DriftReport:
    """The same with the lines of files that differ, and what causes it."""
    causes = Causes(context.site, context.state_dir, context.plan.digest)
    shown = showing(context.state_dir)
    details = of_servers(context.plan, transport, report.devices, causes, shown)
    return replace(report, details=details)
