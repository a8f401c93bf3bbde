"""Memory, disk and NICs of a node: from what a run left to figures, and to the part to look at."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from testinfra.host import Host

from inventory.reading.fields import Unreadable
from validation.evidence.reading import answer, said
from validation.evidence.trust import MissingEvidence
from validation.judging.limits import Limit
from validation.locating.view import View
from validation.parse.loads import memory_copy, perftest, stream
from validation.probes.disk_io import Answer, Refused
from validation.probes.disk_io import answer as disk_answer
from validation.stage import Faults

from .expect import DiskExpected, MemoryExpected, NicExpected
from .nics import MESSAGE_BYTES, QPS, NicPath
from .norm import Norm, Part, alike, fleet, hold
from .terms import Disk, Memory, figures_of, most_of, terms, trend_of
from .work import nic_command

_DIMM = (
    "see `dmidecode -t memory` and the BMC's log for a DIMM that is missing, mapped out or slow, "
    "and the BIOS for another interleaving or NUMA setting"
)
_ROOM = "see `df -h`, `findmnt` and what fills the place"
_DISK = (
    "see `smartctl -a` and `nvme list` for wear, errors and the link; see what else writes there"
)
_SLOT = (
    "see `lspci -vv` for the link's width and speed, dmesg for `available PCIe bandwidth`, then "
    "reseat the NIC; slow with every end is the slot, one end slow with "
    "every NIC is that end"
)


def memory(host: Host, one: MemoryExpected, faults: Faults, view: View) -> None:
    """One NUMA node's rate."""
    asked = terms().memory
    same = alike(view, MemoryExpected, _memory_key, one)
    others = fleet(view, _memory_key(one), same, lambda some, at: [_memory(x, at) for x in some])
    planned = figures_of(one.profile).memory_gbytes_per_s
    bound = _bound(one.profile, asked)
    norm = Norm(bound, "GB/s", planned, others, _terms(one.command, planned))
    which = "memory" if one.numa is None else f"memory of NUMA node {one.numa}"
    part = Part(f"{which} of {one.device}", _DIMM)
    hold(view, faults, one, _memory(one, host), norm, part)


def _bound(profile: str, asked: Memory | Disk) -> Limit:
    most, trend = most_of(profile, asked), trend_of(profile, asked)
    return Limit(asked.source, asked.least, most, asked.gap, trend=trend)


def _memory_key(one: MemoryExpected) -> object:
    return "memory", one.profile, one.numa


def _memory(one: MemoryExpected, host: Host) -> float:
    text = answer(host, one.command)
    if one.command.startswith("probe stream"):
        return stream.triad(text) / 1000
    found = {each.numa: each.gbytes_per_s for each in memory_copy.copied(text)}
    if one.numa is None:
        return min(found.values())
    if one.numa not in found:
        raise Unreadable(f"NUMA node {one.numa} has no CPU that copies: {sorted(found)} have")
    return found[one.numa]


def disk(host: Host, one: DiskExpected, faults: Faults, view: View) -> None:
    """One direction's rate, in 10^6 bytes/s; a place that cannot be written to is a fault."""
    try:
        found = _disk(one, host)
    except Refused as why:
        faults.add(one, f"disk under {one.files.place} of {one.device}", str(why), hint=_ROOM)
        return
    asked, planned = terms().disk, figures_of(one.profile)
    same = alike(view, DiskExpected, _disk_key, one)
    others = fleet(
        view, _disk_key(one), same, lambda some, at: [_rate(x, _disk(x, at)) for x in some]
    )
    reads, writes = planned.disk_read_mbytes_per_s, planned.disk_write_mbytes_per_s
    rate = reads if one.way == "read" else writes
    bound = _bound(one.profile, asked)
    norm = Norm(bound, "MB/s", rate, others, _terms(one.command, rate))
    suspect = f"disk {found.source} of {one.device}"
    hold(view, faults, one, _rate(one, found), norm, Part(suspect, _DISK))


def _disk_key(one: DiskExpected) -> object:
    return "disk", one.profile, one.way


def _disk(one: DiskExpected, host: Host) -> Answer:
    told = host.run(one.command)
    return disk_answer(one.files, told.rc, str(told.stdout), str(told.stderr))


def _rate(one: DiskExpected, found: Answer) -> float:
    return found.of(one.way).bytes_per_s / 1e6


def nic(host: Host, one: NicExpected, faults: Faults, view: View) -> None:
    """A NIC's rate to and from one memory; one far away is held against the fleet's."""
    asked, path = terms().nic, one.path
    value = _nic(path, host)
    least = asked.least if path.near else asked.far_least  # where nobody says, it may be far
    bound = Limit(asked.source, least, most=1.02, gap=asked.gap, trend=trend_of(one.profile, asked))
    others = fleet(view, _kind(one), alike(view, NicExpected, _kind, one), _nics)
    slot = f" ({path.pci})" if path.pci else ""
    part = Part(f"NIC {one.device}:{path.port}{slot}", _SLOT)
    how = f"ib_write_bw bytes={MESSAGE_BYTES} qps={QPS} seconds={asked.seconds}"
    norm = Norm(bound, "Gb/s", path.rate_gbps, others, _terms(how, path.rate_gbps))
    hold(view, faults, one, value, norm, part)


def _terms(how: str, planned: float | None) -> str:
    return how if planned is None else f"{how} of {planned:g}"


def _kind(one: NicExpected) -> object:
    path = one.path
    # Where nobody says how near an end is, only the same way of other nodes is alike.
    alone = path.id if path.near is None else ""
    return "nic", one.profile, path.rate_gbps, path.near, path.gpu is None, alone


def _nics(some: Sequence[NicExpected], host: Host) -> list[float]:
    found = []
    for expectation in some:
        with suppress(Unreadable, MissingEvidence):
            found.append(_nic(expectation.path, host))
    return found


def _nic(path: NicPath, host: Host) -> float:
    told = host.run(nic_command(path))
    if told.rc:
        raise Unreadable(f"ib_write_bw on {path.device} ended with {told.rc}: {said(told)}")
    found = perftest.bandwidth(str(told.stdout))
    asked = ("RDMA_Write", False, path.device, QPS)
    if (found.test, found.both_ways, found.device, found.qps) != asked:
        raise Unreadable(f"perftest ran {found.test} on {found.device}, asked was {asked}")
    return found.row(MESSAGE_BYTES).average_gbps
