"""Stage 30: nodes and the OOB server are as their roles say, and what runs agrees with it.

The manifest says what each role owns; beside it stand a few things that files alone do not
show: rules and routes in the kernel, limits that a login really gets, the clock.
"""

from __future__ import annotations

import math
from functools import partial

from testinfra.host import Host

from inventory.plan import Plan
from switch_configs.answers.linux.chrony import NOT_SYNCHRONISED
from validation.host_state import ask as host_ask
from validation.host_state import hardware as host_hardware
from validation.host_state.expect import (
    HardwareExpected,
    KernelExpected,
    SignalExpected,
    SoftwareExpected,
    VersionsExpected,
)
from validation.host_state.fleet_versions import Versions, odd, versions
from validation.host_state.kernel_rows import PART
from validation.host_state.rows import SIGNALS, is_asked, judge, rows, signal_says
from validation.locating.view import View
from validation.manifest import ask_node
from validation.manifest.device import manifests
from validation.manifest.drift import Compared, compare
from validation.parse.host.node_tools import UNLIMITED
from validation.parse.host.policy import MAIN, Hop, Rule
from validation.stage import Check, Faults
from validation.stages.s30_node_state.expect import (
    ClockExpected,
    MemlockExpected,
    RailExpected,
    RebootExpected,
    StateExpected,
    UnitsExpected,
    WayOut,
)

_MOST = 4
_AGAIN = "run `railbed apply --only {}`; `railbed drift --limit {}` lists all of it"


class VerifyRolesOwnWhatTheySay(Check):
    """Files, packages, units and kernel parameters of each role are the manifest's.

    Success: everything could be read, and is as planned.
    Failure: something differs; the finding names the role and the things.
    """

    expects = StateExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[StateExpected, ...], faults: Faults
    ) -> None:
        device = expect[0].device
        found = compare(manifests(plan).of(device), ask_node.state(host))
        for expectation in expect:
            _judge(plan, expectation, found, faults)


def _judge(plan: Plan, one: StateExpected, found: Compared, faults: Faults) -> None:
    suspect = f"role {one.role} on {one.device}"
    drifts = [drift for drift in found.drifts if drift.role == one.role]
    unknowns = [unknown for unknown in found.unknowns if unknown.role == one.role]
    if drifts:
        step = "oob" if one.device == plan.oob.name else "nodes"
        hint = _AGAIN.format(step, one.device)
        if not any(drift.is_mended_by_role for drift in drifts):
            hint = "the role does not mend this: look at the file and remove it by hand"
        faults.add(one, suspect, _joined([str(drift) for drift in drifts]), hint=hint)
    elif unknowns:
        faults.unknown(one, suspect, _joined([str(unknown) for unknown in unknowns]))


class VerifyThePlannedArgumentsRun(Check):
    """The running kernel has the arguments of the plan, and no argument that we took back.

    Success: wanted, staged and running are the same.
    Failure: never. Until the reboot, what depends on them is inconclusive, and no rollout
    stops for it; what is not even staged is the role's state.
    """

    expects = RebootExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[RebootExpected, ...], faults: Faults
    ) -> None:
        found = compare(manifests(plan).of(expect[0].device), ask_node.state(host))
        kind = "kernel arguments"
        told = [str(note) for note in found.notes if note.kind == kind]
        told += [str(drift) for drift in found.drifts if drift.kind == kind]
        told += [str(one) for one in found.unknowns if one.kind == kind]
        for expectation in expect:
            if told:
                hint = f"drain {expectation.device}, reboot it, and validate again"
                faults.unknown(
                    expectation, f"device {expectation.device}", f"{_joined(told)}; {hint}"
                )


def _joined(sentences: list[str]) -> str:
    more = len(sentences) - _MOST
    shown = sentences[:_MOST] + ([f"and {more} more"] if more > 0 else [])
    return "; ".join(shown)


class VerifyNoUnitHasFailed(Check):
    """No unit of the server has failed.

    Success: systemd lists none.
    Failure: it lists some; `systemctl status` there says why.
    """

    expects = UnitsExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[UnitsExpected, ...], faults: Faults
    ) -> None:
        units = ask_node.failed(host)
        for expectation in expect:
            owners = {unit.name: unit.role for unit in manifests(plan).of(expectation.device).units}
            roles = sorted({owners[unit] for unit in units if unit in owners})
            if units:
                suspect = (
                    f"role {roles[0]} on {expectation.device}"
                    if roles
                    else f"device {expectation.device}"
                )
                hint = f"on {expectation.device}: systemctl status {' '.join(units)}"
                faults.add(expectation, suspect, f"failed: {', '.join(units)}", hint=hint)


class VerifyEachRailHasItsOwnWayOut(Check):
    """The kernel has the rule of each rail and storage NIC, and its routes in both tables.

    Success: the planned rule comes before all others of this address, both routes are there.
    Failure: traffic of this NIC would leave by another NIC, or by none.
    """

    expects = RailExpected

    def test(self, host: Host, expect: tuple[RailExpected, ...], faults: Faults) -> None:
        rules, routes = ask_node.policy(host)
        for expectation in expect:
            wrong = [*_rule_faults(expectation.way, rules), *_route_faults(expectation.way, routes)]
            if wrong:
                look = "railbed-network apply; ip -4 rule; ip -4 route show table all"
                hint = f"on {expectation.device}: {look}"
                faults.add(
                    expectation,
                    f"role roce_nic on {expectation.device}",
                    "; ".join(wrong),
                    hint=hint,
                )


def _rule_faults(way: WayOut, rules: tuple[Rule, ...]) -> list[str]:
    planned = Rule(way.rule_priority, str(way.address), str(way.table))
    mine = [rule for rule in rules if rule.source in (planned.source, "all") and rule.priority > 0]
    if mine and mine[0] == planned:
        return []
    if planned in mine:
        return [f"rule {mine[0].priority} sends {planned.source} to table {mine[0].table} before"]
    return [f"there is no rule {planned.priority} from {planned.source} to table {planned.table}"]


def _route_faults(way: WayOut, routes: dict[tuple[str, str], Hop]) -> list[str]:
    planned = Hop(str(way.gateway), way.port)
    wanted = ((MAIN, str(way.near)), (str(way.table), str(way.far)))
    wrong = []
    for table, prefix in wanted:
        found = routes.get((table, prefix))
        if found is None:
            wrong.append(f"table {table} has no route to {prefix}")
        elif found != planned:
            wrong.append(f"table {table} reaches {prefix} by {found.port} through {found.gateway}")
    return wrong


class VerifyClockIsRight(Check):
    """The clock is synchronised and near its source.

    Success: chrony is synchronised, and the clock within the bound.
    Failure: no source answers, or the clock is off: logs of nodes would not fit together.
    """

    expects = ClockExpected

    def test(self, host: Host, expect: tuple[ClockExpected, ...], faults: Faults) -> None:
        clock = ask_node.clock(host)
        for expectation in expect:
            suspect = f"role os_base on {expectation.device}"
            if clock.leap == NOT_SYNCHRONISED:
                hint = f"on {expectation.device}: chronyc sources -v; does the time server answer?"
                faults.add(expectation, suspect, "chrony is not synchronised", hint=hint)
            elif abs(clock.ahead_s) > expectation.most_s:
                faults.add(
                    expectation, suspect, f"the clock is {clock.ahead_s:+.3f} s from {clock.source}"
                )


class VerifyMemoryMayBeLocked(Check):
    """A login and a service may lock as much memory as planned.

    Success: both limits are the plan's, as a login there really has it; in a container that
    may not raise limits, a login has all that there is.
    Failure: RDMA cannot register memory beyond the limit.
    """

    expects = MemlockExpected

    def test(self, host: Host, expect: tuple[MemlockExpected, ...], faults: Faults) -> None:
        limits = ask_node.memlock(host)
        for expectation in expect:
            suspect = f"role os_base on {expectation.device}"
            planned = (
                expectation.limit_bytes
                if limits.most == UNLIMITED
                else min(_real(expectation), limits.most)
            )
            if limits.login != planned:
                faults.add(expectation, suspect, f"logins may lock {_size(limits.login)}")
            elif limits.service != expectation.limit_bytes:
                faults.add(expectation, suspect, f"services may lock {_size(limits.service)}")


def _real(one: MemlockExpected) -> float:
    return math.inf if one.limit_bytes == UNLIMITED else one.limit_bytes


def _size(limit_bytes: int) -> str:
    return "any memory" if limit_bytes == UNLIMITED else f"{limit_bytes} bytes"


class VerifySoftwareRunsAsPlanned(Check):
    """What runs beside the kernel is what the profile asks for, in one version everywhere.

    Success: stack, driver, fabric manager, storage path, containers and NCCL are as planned.
    Failure: one is not; what waits for a reboot is inconclusive, since it runs otherwise now.
    """

    expects = SoftwareExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[SoftwareExpected, ...], faults: Faults
    ) -> None:
        device = expect[0].device
        found = rows(plan, device, host_ask.read(host, plan, device))
        for expectation in expect:
            judge(expectation, [row for row in found if row.part == expectation.part], faults)


class VerifyNobodyAsksForAReboot(Check):
    """No role has written down that its change needs a reboot or a reset.

    Success: there is no such note, and no unit of a role failed before it could leave one.
    Failure: never. It is inconclusive, in the role's words, and no rollout stops for it.
    """

    expects = SignalExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[SignalExpected, ...], faults: Faults
    ) -> None:
        device = expect[0].device
        found = rows(plan, device, host_ask.read(host, plan, device))
        for expectation in expect:
            for row in found:
                if row.part == SIGNALS and row.judged != "as planned":
                    why, waits = signal_says(row, device), is_asked(row)
                    faults.unknown(expectation, row.suspect, why, waits=waits)


class VerifyTheKernelShowsWhatIsAsked(Check):
    """Arguments, huge pages by NUMA node, governor, idle states, THP and ACS are as asked.

    Success: the running kernel shows them.
    Failure: it does not, and no boot is due that would bring them: then it is inconclusive.
    """

    expects = KernelExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[KernelExpected, ...], faults: Faults
    ) -> None:
        device = expect[0].device
        found = rows(plan, device, host_ask.read(host, plan, device))
        for expectation in expect:
            judge(expectation, [row for row in found if row.part == PART], faults)


class VerifyHardwareIsWhole(Check):
    """Memory of GPUs, links of PCIe and NVLink, the way from GPU to NIC, the kernel's complaints.

    Success: no error that was not corrected, every link as wide and fast as it can be.
    Failure: a part is worn or badly seated; the finding names it.
    """

    expects = HardwareExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[HardwareExpected, ...], faults: Faults
    ) -> None:
        device = expect[0].device
        found = rows(plan, device, host_ask.read(host, plan, device))
        for expectation in expect:
            judge(expectation, [row for row in found if row.part == host_hardware.PART], faults)


class VerifyVersionsAreThoseOfTheFleet(Check):
    """Kernel, GPU driver, fabric manager, OFED, firmware and NCCL are what most nodes run.

    Success: every version is that of more than half of the profile's nodes that could be read.
    Failure: one is not: this node was left behind, or came before the others.
    """

    expects = VersionsExpected

    def test(
        self,
        host: Host,
        plan: Plan,
        expect: tuple[VersionsExpected, ...],
        faults: Faults,
        view: View,
    ) -> None:
        device = expect[0].device
        mine = versions(plan.node[device], host_ask.read(host, plan, device))
        for expectation in expect:
            made = partial(_fleet, view, expectation.profile)
            fleet = view.once(("versions", expectation.profile), made)
            differs, unknown = odd(mine, {**fleet, device: mine})
            if differs:
                hint = f"bring {device} to the lock of its profile: `railbed apply --only nodes`"
                faults.add(expectation, f"device {device}", _joined(differs), hint=hint)
            elif unknown:
                faults.unknown(expectation, f"device {device}", _joined(unknown))


def _fleet(view: View, profile: str) -> dict[str, Versions]:
    """The versions of each node of a profile that answered."""
    found: dict[str, Versions] = {}
    nodes = {one.device for one in view.wanted if isinstance(one, VersionsExpected)}
    for node in (one for one in view.plan.nodes if one.name in nodes and one.profile == profile):
        facts = view.look(node.name, lambda host: host_ask.read(host, view.plan, node.name))  # noqa: B023
        if facts is not None:
            found[node.name] = versions(node, facts)
    return found
