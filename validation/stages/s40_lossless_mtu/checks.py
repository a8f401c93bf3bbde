"""Stage 40: the hosts' whole packets pass every path, marked as they were sent.

On a marking-only fabric nothing else is asked of the lossless class, and the assumption
ledger says so. A fabric with PFC, ECN and buffers must show them.
"""

from __future__ import annotations

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.forms import Link
from validation.evidence import ask
from validation.evidence.trust import MissingEvidence
from validation.host_state import ask as host_ask
from validation.host_state.expect import NicExpected
from validation.host_state.rows import judge, rows
from validation.locating import locate
from validation.locating.view import View
from validation.parse.loads.df_probe import PortResult, ProbeResult
from validation.probes import hops
from validation.routing.systems import dialect_of
from validation.stage import Check, Faults
from validation.stages.s25_switch_state import ask as ask_switch
from validation.stages.s25_switch_state.running import classes_otherwise
from validation.stages.s40_lossless_mtu.expect import (
    DfExpected,
    LosslessExpected,
    MtuExpected,
    TosExpected,
)

from . import ask as lossless_ask
from .judge import judge as judge_ports
from .pfc import PfcExpected

_MOST = 4  # faults of one switch that are spelt out


class VerifyPortsHaveThePlannedMtu(Check):
    """Every data port has the planned IP MTU.

    Success: the port's IP MTU is the plan's; a switched port, which has none, carries as much.
    Failure: it is another; below the hosts' MTU it loses their packets.
    """

    expects = MtuExpected

    def test(self, host: Host, plan: Plan, expect: tuple[MtuExpected, ...], faults: Faults) -> None:
        ports = ask.ports(host, dialect_of(plan, expect[0].device))
        for expectation in expect:
            name, port = f"{expectation.device}:{expectation.port}", ports.get(expectation.port)
            if port is None:
                faults.add(expectation, f"port {name}", f"{name} does not exist")
            elif not _carries(port, expectation.ip_mtu_bytes):
                short = port.mtu_bytes < expectation.host_ip_mtu_bytes
                effect = "the hosts' packets do not pass" if short else "the hosts' packets pass"
                found = f"{name} has IP MTU {port.mtu_bytes}: {effect}"
                hint = locate.set_mtu(
                    plan, PortRef(expectation.device, expectation.port), expectation.ip_mtu_bytes
                )
                faults.add(expectation, f"port {name}", found, hint=hint)


def _carries(port: Link, ip_mtu_bytes: int) -> bool:
    """Whether a port carries what is planned, and as an IP MTU no more."""
    return port.mtu_bytes == ip_mtu_bytes or (port.is_switched and port.mtu_bytes > ip_mtu_bytes)


class VerifyWholePacketsPassEveryPath(Check):
    """Packets of the hosts' MTU with DF set arrive from every source port, and by ICMP.

    Success: every UDP source port and at least one ICMP echo was answered by the receiver.
    Failure: some or all are lost; which ports are lost tells the path.
    """

    expects = DfExpected
    each = True

    def test(self, host: Host, expect: tuple[DfExpected, ...], faults: Faults, view: View) -> None:
        for expectation in expect:
            result = _result(host, expectation, faults, view)
            if result is None:
                continue
            if (
                len(result.ports) < expectation.probe.source_ports
                or result.ip_bytes != expectation.probe.ip_bytes
            ):
                raise Unreadable("the probe did not send what the plan asks")
            lost = [port for port in result.ports if not port.full]
            others = {port.answered_by for port in result.ports if port.full} - {
                expectation.probe.receiver
            }
            if others:
                found = f"{', '.join(sorted(others))} answered for {expectation.probe.receiver}"
                faults.add(expectation, f"device {expectation.probe.receiver}", found)
            elif lost or not result.icmp_received:
                blame = hops.blame(view, expectation.probe, result.ports, lambda port: port.full)
                said = _lost(lost, len(result.ports), result.icmp_received)
                found = f"{said}; {blame.found}" if blame.found else said
                faults.add(expectation, blame.suspect, found, hint=blame.hint)


def _result(
    host: Host, one: DfExpected | TosExpected, faults: Faults, view: View
) -> ProbeResult | None:
    """The probe's result; without one, a receiver that is silent is the reason."""
    try:
        return ask.probe(host, one.probe)
    except MissingEvidence:
        receiver = one.probe.receiver
        if not (why := view.silent(receiver)):
            raise
        faults.unknown(one, f"device {receiver}", f"{receiver} could not be probed: {why}")
        return None


def _lost(lost: list[PortResult], sent: int, icmp: int) -> str:
    if not lost:
        return "UDP passes from every source port, ICMP does not"
    small = sum(port.small for port in lost)
    error = next((port.error for port in lost if port.error), "")
    size = (
        "small packets pass" if small == len(lost) else f"small ones too from {len(lost) - small}"
    )
    said = f"{len(lost)} of {sent} source ports lose whole packets ({size}), ICMP answers {icmp}"
    return f"{said}; the sender's own NIC said: {error}" if error else said


class VerifyMarkingSurvives(Check):
    """The TOS byte of RoCE data arrives as it was sent, from every source port.

    Success: every packet that arrived carried the planned TOS (DSCP and ECT(0), RFC 3168).
    Failure: a hop rewrites it, so that RoCE data would leave the lossless class.
    """

    expects = TosExpected
    each = True

    def test(
        self, host: Host, plan: Plan, expect: tuple[TosExpected, ...], faults: Faults, view: View
    ) -> None:
        planned = plan.lossless.tos
        for expectation in expect:
            result = _result(host, expectation, faults, view)
            if result is None:
                continue
            seen = sorted({port.tos_there for port in result.ports if port.tos_there is not None})
            if result.tos != planned:
                raise Unreadable("the probe did not send what the plan asks")
            if seen == [planned]:
                continue
            blame = hops.blame(
                view, expectation.probe, result.ports, lambda port: port.tos_there == planned
            )
            if seen:
                found = f"sent with TOS {planned}, arrived with {', '.join(map(str, seen))}"
                hint = "look for a port on the way that does not trust DSCP"
                faults.add(expectation, blame.suspect, found, hint=hint)
            else:
                faults.unknown(
                    expectation, blame.suspect, "no packet arrived, so none showed its TOS"
                )


class VerifyLosslessClassRuns(Check):
    """Where the plan requires PFC, ECN and buffers, the switch's running configuration has them.

    Success: each port puts every DSCP in the planned class, with its PFC, ECN, share and buffers.
    Failure: one does not: that port, or the switch where several do not, is named.
    """

    expects = LosslessExpected

    def test(
        self, host: Host, expect: tuple[LosslessExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            device = expectation.device
            found = classes_otherwise(view.plan, device, ask_switch.says(host, view, device))
            if found.ports or found.switch:
                ports = [f"{name}: {said}" for name, said in found.ports]
                suspect = f"device {expectation.device}"
                if len(ports) == 1 and not found.switch:
                    suspect = f"port {PortRef(expectation.device, found.ports[0][0])}"
                hint = "`railbed diff` shows each line; see who changed it"
                faults.add(expectation, suspect, _some([*found.switch, *ports]), hint=hint)
            elif found.unread:
                why = f"nobody here can read `{found.unread[0]}`, which may change its classes"
                faults.unknown(expectation, f"device {expectation.device}", why)


def _some(said: list[str]) -> str:
    more = [f"and {len(said) - _MOST} more"] if len(said) > _MOST else []
    return "; ".join([*said[:_MOST], *more])


class VerifyPortsPauseThePlannedClass(Check):
    """Each port of the lossless class pauses it alone, both ways, as the switch runs now.

    Success: priorities, trust, DSCPs and headroom are as planned, as far as the system tells them.
    Failure: one is not: packets are lost there, or others are paused.
    """

    expects = PfcExpected

    def test(self, host: Host, plan: Plan, expect: tuple[PfcExpected, ...], faults: Faults) -> None:
        dialect = plan.switch[expect[0].device].dialect
        seen = lossless_ask.seen(host, dialect, [expectation.port for expectation in expect])
        judge_ports(dialect, expect, seen, faults)


class VerifyNicsRunTheLosslessClass(Check):
    """Each RDMA NIC maps, pauses and marks as the switches do, and answers marks.

    Success: trust, DSCP map, PFC, shares, ToS, CNP, GID and all that the profile asks are planned.
    Failure: one is not: RoCE data would leave the lossless class, or never be in it.
    """

    expects = NicExpected

    def test(self, host: Host, plan: Plan, expect: tuple[NicExpected, ...], faults: Faults) -> None:
        device = expect[0].device
        found = rows(plan, device, host_ask.read(host, plan, device))
        for expectation in expect:
            judge(
                expectation, [row for row in found if row.part == f"nic {expectation.port}"], faults
            )
