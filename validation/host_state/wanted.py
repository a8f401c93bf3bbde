"""What the plan wants of a host, beside what it really has: rows wanted, staged, running. Pure.

Worked out from the plan alone, without the roles' variables or templates: agreement means
something. The chain rule: a host maps each DSCP to the same priority as the switches, pauses the
same priority, and marks with the same DSCP wherever a mark can be set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from inventory.plan import AccessNic, Lossless, Node, Plan, RailNic
from inventory.reading.fields import Unreadable
from switch_configs.readback.facts import ClassFacts, QosFacts
from validation.parse.nic.mlxconfig import needed, number
from validation.parse.nic.port_qos import DSCPS

from .facts import HostFacts, NicFacts, Unread, fact, known

Judged = Literal["as planned", "differs", "waits", "not known"]
RoceNic = RailNic | AccessNic


@dataclass(frozen=True, slots=True)
class HostRow:
    """One thing of a host. `part` groups what one expectation asks, `suspect` is where to go.

    `staged` is what the next boot or reset brings, or why that is not known; empty where nothing is
    staged apart. `waits`: staged is as planned, running is not yet.
    """

    part: str
    what: str
    wanted: str
    staged: str
    running: str
    judged: Judged
    suspect: str

    def __str__(self) -> str:
        staged = f", {self.staged} is staged" if self.judged == "waits" else ""
        return f"{self.what}: found {self.running}, wanted {self.wanted}{staged}"


@dataclass(frozen=True, slots=True)
class Rows:
    """Makes the rows of one part, all of which have one suspect unless they name another."""

    part: str
    suspect: str

    def row(self, what: str, wanted: str, running: Callable[[], str], suspect: str = "") -> HostRow:
        """A row whose running value is its only one."""
        return self.staged(what, wanted, running, lambda: "", suspect)

    def staged(
        self,
        what: str,
        wanted: str,
        running: Callable[[], str],
        staged: Callable[[], str],
        suspect: str = "",
    ) -> HostRow:
        """A row of something that a boot or reset takes over."""
        found, later = fact(running), fact(staged)
        judged = _judged(wanted, found, later)
        names = suspect or self.suspect
        return HostRow(self.part, what, wanted, str(later), str(found), judged, names)


def _judged(wanted: str, running: str | Unread, staged: str | Unread) -> Judged:
    """What differs now differs, whatever comes; no agreement where the next boot is not known."""
    if isinstance(running, Unread):
        return "not known"
    if running != wanted:
        return "waits" if staged == wanted else "differs"
    if isinstance(staged, Unread):
        return "not known"
    return "as planned" if staged in ("", wanted) else "differs"


def roce_nics(node: Node) -> tuple[RoceNic, ...]:
    """The NICs of a node that carry the lossless class: rails and storage with an RDMA device."""
    found: list[RoceNic] = [*node.rails]
    found += [nic for nic in node.nics if nic.plane == "storage"]
    return tuple(one for one in found if one.rdma_device)


def wanted_qos(lossless: Lossless) -> QosFacts | None:
    """The QoS of a host's NIC in the form of the switches'; None where the plan has no classes.

    A NIC keeps no watchdog over pauses here, has no cap on CNPs and marks nothing itself.
    """
    if not lossless.classes:
        return None
    named = {dscp for traffic_class in lossless.classes for dscp in traffic_class.dscps}
    rest = tuple(dscp for dscp in range(DSCPS) if dscp not in named)
    made = [
        ClassFacts(
            dscps=tuple(sorted(traffic_class.dscps)) or rest,
            pfc_priority=traffic_class.priority if traffic_class.lossless else None,
            strict=traffic_class.strict,
            weight_percent=None if traffic_class.strict else traffic_class.weight_percent,
            rate_cap_percent=None,
            ecn=None,
        )
        for traffic_class in lossless.classes
    ]
    return QosFacts(
        classes=tuple(sorted(made, key=lambda one: one.dscps)),
        pfc_priorities=tuple(
            sorted(
                traffic_class.priority
                for traffic_class in lossless.classes
                if traffic_class.lossless
            )
        ),
        watchdog=None,
        cable_m=None,
        headroom=None,
    )


def nic_rows(plan: Plan, node: Node, planned: RoceNic, found: HostFacts) -> Iterator[HostRow]:
    """Everything that the plan wants of one NIC with RDMA."""
    name = f"{node.name}:{planned.port}"
    make = Rows(f"nic {planned.port}", f"role roce_nic on {node.name}")
    hardware = f"NIC {name}"
    nic = found.nic(planned.port)
    if nic is None:
        there = {one.pci: one.port for one in found.nics}
        told = f"PCI {planned.pci} is {there[planned.pci]}" if planned.pci in there else "not there"
        yield make.row("NIC", "there", lambda: told, hardware)
        return
    if planned.pci:
        yield make.row("PCI address", planned.pci, lambda: nic.pci, hardware)
    yield make.row("RDMA device", planned.rdma_device or "", lambda: nic.rdma, hardware)
    yield make.row("link layer", "Ethernet", lambda: known(nic.link_layer), hardware)
    yield make.row("IP MTU", str(planned.ip_mtu_bytes), lambda: str(known(nic.ip_mtu_bytes)))
    yield from _marks(plan.lossless, node, make, nic)
    yield from _qos(plan.lossless, make, nic)
    if planned.address is not None:
        address = str(planned.address.ip)
        yield make.row("RoCE v2 GID", address, lambda: _gid(nic, address))
    yield make.row("set up by", _owner(node), lambda: _owners(nic))
    yield from _asked(node, planned, make, nic, hardware)


def _marks(lossless: Lossless, node: Node, make: Rows, nic: NicFacts) -> Iterator[HostRow]:
    dscp = f"DSCP {lossless.dscp}"
    yield make.row("RDMA-CM mode", "RoCE v2", lambda: known(nic.roce_mode))
    yield make.row("RDMA-CM ToS", dscp, lambda: f"DSCP {known(nic.tos) >> 2}")
    # The kernel's own driver offers no such file: applications ask for the class themselves.
    has_to = node.software.nics.stack == "doca"
    if has_to or isinstance(nic.forced, Unread) or nic.forced.offered:
        yield make.row("forced traffic class", dscp, lambda: _forced(nic))


def _forced(nic: NicFacts) -> str:
    forced = known(nic.forced)
    if not forced.offered:
        return "no such setting in this driver"
    value = forced.traffic_class
    return "none" if value is None else f"DSCP {value >> 2}"


def _qos(lossless: Lossless, make: Rows, nic: NicFacts) -> Iterator[HostRow]:
    """The rows of the classes; a fabric that only marks asks for none of them."""
    planned = wanted_qos(lossless)
    if planned is None:
        return
    # A firmware that rules DCBX, or a switch by it, may set classes anew at any time.
    yield make.row("DCBX is ruled by", "the host", lambda: _ruler(nic))
    yield make.row("trust", "dscp", lambda: known(nic.port_qos).trust)
    yield make.row("classes", _classes(planned), lambda: _classes(known(nic.qos)))
    yield make.row(
        "PFC priorities",
        _numbers(planned.pfc_priorities),
        lambda: _numbers(known(nic.qos).pfc_priorities),
    )
    yield make.row("global pause", "rx off, tx off", lambda: _pause(nic))
    yield make.row(
        "ECN answered", _numbers((lossless.priority,)), lambda: _ecn(nic, lossless.priority)
    )
    yield make.row("CNP DSCP", str(lossless.cnp_dscp), lambda: str(known(nic.cnp_dscp)))
    yield make.row("CNP priority", str(lossless.cnp_priority), lambda: known(nic.cnp_priority))
    if planned.pfc_priorities:
        yield make.row("lossless buffer", "of its own", lambda: _buffer(nic, lossless.priority))


def _ruler(nic: NicFacts) -> str:
    rules = known(nic.port_qos).host_rules
    if rules is None:
        raise Unreadable("the tool does not tell who rules DCBX")
    return "the host" if rules else "the firmware"


def _classes(qos: QosFacts) -> str:
    return "; ".join(map(_class, qos.classes))


def _class(one: ClassFacts) -> str:
    share = "strict" if one.strict else f"{one.weight_percent} %"
    paused = f", paused as {one.pfc_priority}" if one.pfc_priority is not None else ""
    return f"DSCP {_ranges(one.dscps)} {share}{paused}"


def _ranges(dscps: tuple[int, ...]) -> str:
    """`0-25,27-47`: consecutive numbers are joined."""
    runs: list[list[int]] = []
    for one in dscps:
        if runs and runs[-1][-1] == one - 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _numbers(some: tuple[int, ...]) -> str:
    return ",".join(map(str, some)) or "none"


def _pause(nic: NicFacts) -> str:
    word = {True: "on", False: "off"}
    found = known(nic.pause)
    return f"rx {word[found.rx]}, tx {word[found.tx]}"


def _ecn(nic: NicFacts, priority: int) -> str:
    """Only the lossless priority counts: on others, firmware's default is to answer, too."""
    return _numbers((priority,)) if priority in known(nic.ecn) else "not there"


def _buffer(nic: NicFacts, priority: int) -> str:
    """Paused and dropped traffic in one receive buffer pause each other."""
    qos = known(nic.port_qos)
    if qos.prio_buffer is None or qos.buffer_bytes is None:
        raise Unreadable("the tool does not tell the NIC's receive buffers")
    number_of = qos.prio_buffer[priority]
    others = {qos.prio_buffer[one] for one in range(8) if not qos.pfc[one]}
    if number_of in others:
        return "shared with lossy priorities"
    return "of its own" if qos.buffer_bytes[number_of] > 0 else "of 0 bytes"


def _gid(nic: NicFacts, address: str) -> str:
    mine = [gid for gid in known(nic.gids) if gid.kind == "RoCE v2" and gid.port == 1]
    found = [gid for gid in mine if gid.ipv4 == address]
    if any(gid.ndev == nic.port for gid in found):
        return address
    return ", ".join(gid.ipv4 for gid in mine if gid.ipv4) or "none with an IPv4 address"


def _owner(node: Node) -> str:
    # netplan writes files for networkd, which does the work (`renderer: networkd`).
    tool = node.software.nics.network
    tool = "networkd" if tool == "netplan" else tool
    return f"{tool} alone"


def _owners(nic: NicFacts) -> str:
    good = {"configured", "connected"}
    found = [name if word in good else f"{name} ({word})" for name, word in known(nic.owners)]
    return f"{found[0]} alone" if len(found) == 1 else " and ".join(found) or "nobody"


def _asked(
    node: Node, planned: RoceNic, make: Rows, nic: NicFacts, hardware: str
) -> Iterator[HostRow]:
    """What only some profiles ask: rings, reads, firmware and its settings, out of order."""
    said = node.software.nics
    if said.rings is not None:
        wanted = f"rx {said.rings}, tx {said.rings}"
        yield make.row("rings", wanted, lambda: _rings(nic))
    if said.read_request_bytes is not None:
        yield make.row("longest PCIe read", str(said.read_request_bytes), lambda: _read_bytes(nic))
    if said.firmware:
        yield make.row("firmware", said.firmware, lambda: known(nic.firmware), hardware)
    role = f"role ofed on {node.name}"
    for name, value in said.settings:
        yield make.staged(
            f"setting {name}",
            number(value),
            partial(_setting, nic, name, staged=False),
            partial(_setting, nic, name, staged=True),
            role,
        )
    if isinstance(planned, RailNic) and planned.out_of_order:
        field = "adaptive_routing_forced_en"
        yield make.row("takes packets out of order", "1", lambda: _register(nic, field))


def _setting(nic: NicFacts, name: str, *, staged: bool) -> str:
    one = needed(known(nic.settings), name)
    if not staged and one.current is None:
        raise Unreadable(f"this firmware does not tell what {name} is now")
    return number(one.next if staged else one.current or "")


def _register(nic: NicFacts, field: str) -> str:
    found = known(nic.accelerations)
    if field not in found:
        raise Unreadable(f"the register ROCE_ACCL has no {field}")
    return str(found[field])


def _rings(nic: NicFacts) -> str:
    found = known(nic.rings)
    return f"rx {found.rx}, tx {found.tx}"


def _read_bytes(nic: NicFacts) -> str:
    size = known(nic.pci_device).read_bytes
    if size is None:
        raise Unreadable("lspci does not tell the longest read")
    return str(size)


def words_of(value: str) -> dict[str, str]:
    """`NVreg_A=1` and `NVreg_B="x"` as name without NVreg_ and value without quotes."""
    name, _, word = value.partition("=")
    return {re.sub(r"^NVreg_", "", name): word.strip('"')}
