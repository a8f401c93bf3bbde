"""Numbers amid what tools print, each with the place where another word could stand.

Samples are our own or recorded, in the forms that the readers name as their sources.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from inventory.reading.sections import Section
from switch_configs.answers import said as switch_cli
from switch_configs.answers.linux import chrony, iproute, ntp
from switch_configs.frr import answers as frr
from switch_configs.nxos.answers import clocks as nxos_clocks
from validation.counters import read
from validation.parse.host import kernel_log
from validation.parse.loads.perftest import bandwidth
from validation.parse.nic import mlxconfig, rdma_sysfs
from validation.stages.s45_single_node import gpus

from . import carried_says, clock_says, host_machine
from .recorded import EVIDENCE


@dataclass(frozen=True)
class Place:
    """A text, one number in it (its first occurrence is the place), and the reader."""

    name: str
    text: str
    number: str
    read: Callable[[str], object]

    def put(self, word: str) -> str:
        """The text with another word there."""
        assert self.number in self.text
        return self.text.replace(self.number, word, 1)


def _told(name: str) -> str:
    return (EVIDENCE / name).read_text(encoding="utf-8")


def _within(before: str, number: str, after: str, read: Callable[[str], object]) -> Place:
    """A short text around its only number."""
    return Place(f"{read.__name__} {before}"[:60], f"{before}{number}{after}", number, read)


def _ahead(text: str) -> object:
    return ntp.ahead(Section(0, text))


_BGP = _told("frr/bgp_summary.json")
_ROUTES, _HOPS = _told("iproute/routes_nhid_only.json"), _told("iproute/nexthops.json")
_STATUS = "be00000000800400"
_CHECK = f"[ 8.1] mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 8: {_STATUS}\n"
_GIDS = "/sys/class/infiniband/mlx5_0/ports/1/"
_GID = (
    f"{_GIDS}gids/3:0000:0000:0000:0000:0000:ffff:0a10:0001\n"
    f"{_GIDS}gid_attrs/types/3:RoCE v2\n{_GIDS}gid_attrs/ndevs/3:rail0\n"
)
_RUN = _told("perftest/ib_write_bw_client.txt")
_GPU = _RUN.replace("-\n  ", "-\nPicking GPU number 3999\n  ", 1)
_WHO = "0, 00000000:1B:00.0, GPU-1, 1653, NVIDIA H100\nend {}\n"
_MASKS = host_machine.mlxconfig("0000:18:00.0")


def _in_mebibytes(unit: str) -> str:
    """28.94 MiB/s are the 0.24 Gb/s of the recorded run."""
    return _RUN.replace("Gb/sec", unit).replace("0.27", "32.16").replace("0.24", "28.94")


def _mask(text: str) -> object:
    found = mlxconfig.needed(mlxconfig.settings(text), "ROCE_CC_PRIO_MASK_P1")
    return mlxconfig.mask(found.next)


def _gid(text: str) -> object:
    return [(one, one.ipv4) for one in rdma_sysfs.gids(text)]


def _eos(text: str) -> object:
    return read.ports("eos", text)


_QUEUES = {"TC3": {"dropPrecedences": {"DP0": {"droppedPackets": 77}}}}
_PAUSED = {"6": {"rxFrames": 91007, "txFrames": 91009}}
_EOS_NUMBERS = ("TC3", "77", "81001", "81002", '"12"', '"5"', "55", '"6"', "91007", "91009")
_EOS = carried_says.eos(
    {"Ethernet1/1": (81001, 81002)},
    100.0,
    more={
        name: json.dumps(told) + "\n"
        for name, told in (
            (
                "queues",
                {"egressQueueCounters": {"interfaces": {"Ethernet1/1": {
                    "ucastQueues": {"trafficClasses": _QUEUES}}}}},
            ),
            ("pauses", {"interfaces": {"Ethernet1/1": {"priorities": _PAUSED}}}),
            ("marked", {"intfQueueCounters": {"Ethernet1/1": {"queueCounters": {"3": "12"}}}}),
            ("watchdog", {"interfaces": {"Ethernet1/1": {"txQueues": {"5": {"stuckCount": 55}}}}}),
        )
    },
)  # fmt: skip


def _asn(text: str) -> int:
    return switch_cli.asn(json.loads(text)["asn"], "a peer")


_SERVER = clock_says.Asked("10.88.0.1", ahead_s=0.000125)
_CHRONY = clock_says.chrony([_SERVER])
_TRACKING = _CHRONY["tracking"][1]
_ASKED = clock_says.measured(_SERVER)


def _sources(text: str) -> object:
    return chrony.sources(text, chrony.tracking(_TRACKING))


def _since(date: str) -> object:
    return chrony.seconds_since(chrony.tracking(_TRACKING), date)


def _nxos_clocks(text: str) -> object:
    return nxos_clocks.read(switch_cli.Said("show", 0, text))


PLACES = (
    Place("chrony reach", _CHRONY["sources"][1], "377", _sources),
    Place("chrony date", f"{clock_says.NOW_S + 9}\n", f"{clock_says.NOW_S + 9}", _since),
    Place("ntp clock", _ASKED, f"{clock_says.NOW_S}.249750", _ahead),
    Place("NX-OS reach", clock_says.nxos([_SERVER]), "377", _nxos_clocks),
    Place("frr own ASN", _BGP, "4200000100", frr.bgp_summary),
    Place("frr peer's ASN", _BGP, "4200000000", frr.bgp_summary),
    Place("iproute metric", _ROUTES, "20", iproute.routes),
    Place("iproute nhid", _ROUTES, "18", iproute.routes),
    Place("iproute next hop", _HOPS, "15", iproute.nexthops),
    Place("iproute group", _HOPS, "18", iproute.nexthops),
    Place("iproute member", _HOPS.replace('[{"id":15}', '[{"id":16}'), "16}", iproute.nexthops),
    Place("kernel_log status", f"{_CHECK}end of log, 1 lines\n", _STATUS, kernel_log.whole_log),
    Place("mlxconfig hex", "0xff".join(_MASKS.rsplit("255", 1)), "0xff", _mask),
    Place("rdma_sysfs address", _GID, "0a10", _gid),
    _within("Global tclass=", "106", "\n", rdma_sysfs.traffic_class),
    _within("", "8", "\n", lambda text: rdma_sysfs.number(text, "a file")),
    _within("", "0x8", "\n", lambda text: rdma_sysfs.number(text, "a file")),
    Place("perftest GPU", _GPU, "3999", bandwidth),
    Place("perftest MB", _in_mebibytes("MB/sec"), "28.94", bandwidth),
    Place("perftest MiB", _in_mebibytes("MiB/sec"), "28.94", bandwidth),
    _within('{"asn": "', "64086", '.60004"}', _asn),
    _within('{"asn": "64086.', "60004", '"}', _asn),
    Place("gpus", _WHO.format(1), "end 1", gpus.known),
    *(Place(f"EOS {number}", _EOS, number, _eos) for number in _EOS_NUMBERS),
)
