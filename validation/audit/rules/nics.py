"""A NIC does with RoCE what the fabric's ports do with it: trust, pause, mark, answer.

A NIC whose switch port is not known is judged by what all ports that pause have in common.
"""

from __future__ import annotations

from collections.abc import Iterator

from switch_configs.readback.facts import ClassFacts, QosFacts
from validation.audit.hosts.facts import NicFacts
from validation.audit.hosts.host import Host
from validation.audit.hosts.join import NicLink
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

_FABRIC = "every switch port that pauses"


def lossless(qos: QosFacts) -> dict[int, int]:
    """The priority that is paused for each lossless DSCP."""
    return {
        dscp: one.pfc_priority
        for one in qos.classes
        if one.pfc_priority is not None
        for dscp in one.dscps
    }


class NicRule(Rule):
    """A rule on one NIC and what a switch port does with each DSCP."""

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:  # noqa: ARG002 # each rule has its own
        """What is wrong with a NIC that meets this port, or these."""
        yield from ()

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        """Judged by its own switch port."""
        if link.port.qos:
            yield from self.judge(link.host, link.nic, link.port.qos, f"{link} (by {link.by})")

    def of_network(self, network: Network) -> Iterator[Problem]:
        """Judged by the fabric, where no port is known."""
        if network.one_qos:
            for host, nic in network.loose_nics:
                yield from self.judge(host, nic, network.one_qos, _FABRIC)

    def at(self, host: Host, nic: NicFacts, what: str, found: str, fix: str) -> Problem:
        """A problem of one fact of a NIC."""
        return self.host_problem(host, f"{nic.name}.{what}", found, fix)


class NicTrustsDscp(NicRule):
    """A NIC sorts what it receives by DSCP, as the switch does."""

    id = "nic-trust"
    severity = "critical"
    needs = frozenset({"nic.trust", "class.dscps"})
    why = (
        "a NIC that trusts PCP puts every untagged packet into priority 0: it asks for no pause of "
        "the lossless class, and drops (mlnx_qos of Mellanox/mlnx-tools)"
    )

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        if nic.trust not in (None, "dscp") and lossless(qos):
            found = f"trust is {nic.trust}; {far} sorts by DSCP"
            yield self.at(host, nic, "trust", found, f"mlnx_qos -i {nic.name} --trust dscp")


class NicPausesAsItsPort(NicRule):
    """A NIC pauses and obeys exactly the priorities that its switch port does."""

    id = "nic-pfc"
    severity = "critical"
    needs = frozenset({"nic.pfc_priorities", "qos.pfc_priorities"})
    why = (
        "a pause for a priority that the other end does not know stops nothing, and its packets "
        "are dropped (IEEE 802.1Qbb)"
    )

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        mine, theirs = nic.pfc_priorities, tuple(sorted(qos.pfc_priorities))
        if mine is not None and tuple(sorted(mine)) != theirs:
            found = f"pauses {_listed(mine)}; {far} pauses {_listed(theirs)}"
            bits = ",".join("1" if one in theirs else "0" for one in range(8))
            yield self.at(
                host, nic, "pfc_priorities", found, f"mlnx_qos -i {nic.name} --pfc {bits}"
            )

    def of_nic(self, link: NicLink) -> Iterator[Problem]:
        """A port that does nothing by DSCP pauses nothing either."""
        nothing = QosFacts((), (), None, None, None)
        qos = link.port.qos or nothing
        yield from self.judge(link.host, link.nic, qos, f"{link} (by {link.by})")


class NicSortsLossless(NicRule):
    """A NIC sorts the fabric's lossless DSCPs into the priority that is paused for them."""

    id = "nic-dscp"
    severity = "critical"
    needs = frozenset({"nic.priority_of", "class.dscps"})
    why = "RoCE in a priority that nobody pauses is dropped at the NIC (IEEE 802.1Qbb)"

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        mine = dict(nic.priority_of or ())
        for dscp, priority in lossless(qos).items():
            if mine.get(dscp, priority) != priority:
                found = f"DSCP {dscp} is in priority {mine[dscp]}, at {far} in {priority}"
                fix = f"mlnx_qos -i {nic.name} --dscp2prio set,{dscp},{priority}"
                yield self.at(host, nic, "priority_of", found, fix)


class NicSortsNothingElse(NicRule):
    """A NIC sorts no DSCP into a paused priority that the fabric does not sort there."""

    id = "nic-dscp-beside"
    severity = "major"
    needs = frozenset({"nic.priority_of", "class.dscps", "qos.pfc_priorities"})
    why = (
        "what the switch drops and the NIC pauses stops RoCE for other traffic; DSCP >> 3, the "
        "driver's default, puts eight DSCPs there (python/mlnx_qos of Mellanox/mlnx-tools)"
    )

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        known, paused = lossless(qos), set(qos.pfc_priorities)
        more = [dscp for dscp, one in nic.priority_of or () if one in paused and dscp not in known]
        if more and known:
            found = f"DSCP {_listed(more)} in a paused priority, at {far} not"
            fix = f"mlnx_qos -i {nic.name} --dscp2prio set,{more[0]},0"
            yield self.at(host, nic, "priority_of", found, fix)


class _Mark(NicRule):
    """A rule on a mark: its DSCP is one of the fabric's lossless ones."""

    what = ""
    tool = ""

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        mark, known = getattr(nic, self.what), lossless(qos)
        if mark is not None and known and mark >> 2 not in known:
            found = f"{mark} is DSCP {mark >> 2}; lossless at {far}: DSCP {_listed(known)}"
            good = min(known) << 2 | 2
            fix = self.tool.format(good=good, device=nic.device or nic.name)
            yield self.at(host, nic, self.what, found, fix)


class CmIsLossless(_Mark):
    """The connection manager marks with a lossless DSCP."""

    id = "nic-tos"
    severity = "critical"
    needs = frozenset({"nic.tos", "class.dscps"})
    why = (
        "connections by RDMA-CM take this ToS (configfs-rdma_cm of the kernel's ABI), and another "
        "DSCP is dropped under load"
    )
    what = "tos"
    tool = "cma_roce_tos -d {device} -t {good}"


class ForcedClassIsLossless(_Mark):
    """The traffic class that a device forces on all queue pairs has a lossless DSCP."""

    id = "nic-tclass"
    severity = "critical"
    needs = frozenset({"nic.traffic_class", "class.dscps"})
    why = (
        "it wins over what applications ask for: with another DSCP all RoCE of the device is lossy"
    )
    what = "traffic_class"
    tool = "echo {good} > /sys/class/infiniband/{device}/tc/1/traffic_class"


class SettingsAreLossless(Rule):
    """NCCL and UCX ask for a lossless DSCP."""

    id = "nccl-tc"
    severity = "critical"
    needs = frozenset({"host.NCCL_IB_TC", "class.dscps"})
    why = (
        "NCCL_IB_TC and UCX_IB_TRAFFIC_CLASS are DSCP << 2 with two bits of ECN; with another DSCP "
        "collectives run in a class that drops (NCCL and UCX user guides)"
    )

    def of_network(self, network: Network) -> Iterator[Problem]:
        ports: dict[str, tuple[QosFacts, str]] = {}
        for link in network.nic_links:
            if link.port.qos and link.port.qos.pfc_priorities:
                ports.setdefault(link.host.name, (link.port.qos, str(link)))
        for host in network.hosts:
            common = (network.one_qos, _FABRIC) if network.one_qos else None
            if met := ports.get(host.name, common):
                yield from self._settings(host, lossless(met[0]), met[1])

    def _settings(self, host: Host, known: dict[int, int], far: str) -> Iterator[Problem]:
        for name in MARKS:
            value = host.facts.settings.get(name, "")
            if known and value.isdigit() and int(value) >> 2 not in known:
                found = f"{name} {value} is DSCP {int(value) >> 2}; lossless at {far}: DSCP "
                fix = f"{name}={min(known) << 2 | 2}"
                yield self.host_problem(host, name, found + _listed(known), fix)


MARKS = ("NCCL_IB_TC", "NCCL_GIN_IB_TC", "UCX_IB_TRAFFIC_CLASS")


class NicAnswersMarks(NicRule):
    """A NIC answers ECN marks of the lossless priority, as receiver and as sender."""

    id = "nic-ecn"
    severity = "critical"
    needs = frozenset({"nic.ecn_priorities", "class.dscps"})
    why = (
        "without notification and reaction point DCQCN slows nobody, and congestion becomes pauses "
        "that spread (DCQCN, SIGCOMM 2015)"
    )

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        for priority in sorted(set(lossless(qos).values())):
            if nic.ecn_priorities is not None and priority not in nic.ecn_priorities:
                found = (
                    f"marks of priority {priority} are not answered; {far} marks and pauses there"
                )
                place = f"/sys/class/net/{nic.name}/ecn"
                fix = f"echo 1 > {place}/roce_np/enable/{priority}, and roce_rp"
                yield self.at(host, nic, "ecn_priorities", found, fix)


class CnpsAreNotPaused(NicRule):
    """CNPs leave with a DSCP that the fabric serves first and does not pause."""

    id = "nic-cnp"
    severity = "major"
    needs = frozenset({"nic.cnp_dscp", "class.dscps", "class.strict"})
    why = (
        "a CNP that waits behind the congestion that it tells of comes too late; in the paused "
        "class it waits longest (DCQCN, SIGCOMM 2015, section 3)"
    )

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        one = _class_of(qos, nic.cnp_dscp)
        strict = [each for each in qos.classes if each.strict and each.pfc_priority is None]
        if one is None or not lossless(qos):
            return
        good = min(strict[0].dscps) if strict and strict[0].dscps else None
        where = f"/sys/class/net/{nic.name}/ecn/roce_np/cnp_dscp"
        fix = f"echo {good} > {where}" if good is not None else "a strict class for CNPs"
        if one.pfc_priority is not None:
            found = f"CNPs have DSCP {nic.cnp_dscp}, which {far} pauses"
            yield self.at(host, nic, "cnp_dscp", found, fix)
        elif strict and not one.strict:
            found = f"CNPs have DSCP {nic.cnp_dscp}, which {far} does not serve first"
            yield self.at(host, nic, "cnp_dscp", found, fix)


class CnpPriorityIsNotPaused(NicRule):
    """CNPs leave with their DSCP's own priority, which is not paused."""

    id = "nic-cnp-priority"
    severity = "major"
    needs = frozenset({"nic.cnp_priority", "qos.pfc_priorities"})
    why = "a CNP in a paused priority waits for the congestion that it tells of to end"

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        if nic.cnp_priority is not None and nic.cnp_priority in qos.pfc_priorities:
            found = f"CNPs have priority {nic.cnp_priority}, which {far} pauses"
            good = dict(nic.priority_of or ()).get(nic.cnp_dscp or 0, 6)
            fix = f"echo {good} > /sys/class/net/{nic.name}/ecn/roce_np/cnp_802p_prio"
            yield self.at(host, nic, "cnp_priority", found, fix)

    def of_host(self, host: Host) -> Iterator[Problem]:
        for nic in host.facts.roce_nics:
            own = dict(nic.priority_of or ()).get(-1 if nic.cnp_dscp is None else nic.cnp_dscp)
            if own is not None and nic.cnp_priority is not None and own != nic.cnp_priority:
                found = (
                    f"CNPs have priority {nic.cnp_priority}; their DSCP {nic.cnp_dscp} has {own}"
                )
                fix = f"echo {own} > /sys/class/net/{nic.name}/ecn/roce_np/cnp_802p_prio"
                yield self.at(host, nic, "cnp_priority", found, fix)


class NicServesAsItsPort(NicRule):
    """A NIC serves first what its switch port serves first, and never the lossless class."""

    id = "nic-strict"
    severity = "major"
    needs = frozenset({"nic.shares", "class.dscps", "class.strict"})
    why = (
        "a strict class starves all others, and a CNP that waits its turn comes too late (802.1Qaz)"
    )

    def judge(self, host: Host, nic: NicFacts, qos: QosFacts, far: str) -> Iterator[Problem]:
        known = lossless(qos)
        if not nic.shares or not known:
            return
        cnp = (nic.cnp_dscp,) if nic.cnp_dscp is not None else ()
        mine = dict(nic.priority_of or ())
        wrong = []
        for one in qos.classes:
            for dscp in one.dscps:
                share = nic.shares[mine[dscp]].algorithm if dscp in mine else ""
                if share == "strict" and not one.strict:
                    wrong.append((dscp, "strict", "not"))
                elif share == "ets" and one.strict and dscp in cnp:
                    wrong.append((dscp, "not strict", "it is"))
        if wrong:
            dscp, here, there = wrong[0]
            found = f"DSCP {dscp} is {here}, at {far} {there}"
            fix = f"mlnx_qos -i {nic.name} -s ets,ets,ets,ets,ets,ets,strict,ets"
            yield self.at(host, nic, "shares", found, fix)


def _class_of(qos: QosFacts, dscp: int | None) -> ClassFacts | None:
    return next((one for one in qos.classes if dscp in one.dscps), None)


def _listed(numbers: object) -> str:
    return ", ".join(map(str, sorted(numbers))) or "none"  # type: ignore[call-overload]
