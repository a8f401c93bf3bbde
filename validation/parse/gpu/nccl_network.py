"""What NCCL's log says of its network: the one it used, over which HCAs, and past the host or not.

Names of networks are many (`IB`, HPC-X's `IBext_v8` and `NCCL RDMA Plugin v10`, `UCX`) and new ones
come, so the devices tell what a network is: for each, NCCL itself says whether GPUDirect RDMA can
be used (github.com/NVIDIA/nccl, src/graph/topo.cc, ncclTopoPopulateNics; subsystem NET), and each
channel says whether it is (src/transport/net.cc). A plugin's own words on the same are not asked:
NCCL may decide otherwise (github.com/Mellanox/nccl-rdma-sharp-plugins, src/p2p_plugin.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from validation.parse.loads.launched import Line

_LOG = re.compile(r"(\S+):\d+:\d+ \[(\d+)\] NCCL INFO (.*?)\s*$")
_USED = re.compile(r"Using network (\S.*)")
_OWN = re.compile(r"NET/([\w-]+) ?: Using\b")
_NO_DEVICE = re.compile(r"NET/([\w-]+) ?: No device found")
_HCA = re.compile(r"NET/(\S.*?) : GPU Direct RDMA (Enabled|Disabled) for HCA \d+ '(\S+)'")
# What ConnectX-8 has beside its own PCIe function (src/transport/net_ib/init.cc, Data Direct).
_DATA_DIRECT = "_dma"
# A sender of before Ampere reads GPU memory through the host by choice: receivers are asked.
_CHANNEL = re.compile(
    r"Channel \S+ : \S+ -> \S+ \[receive\] via NET/\S.*?/\d+(/GDRDMA(?:\(PCI\))?)?(?:/Shared)?"
)


@dataclass(frozen=True, slots=True)
class Network:
    """`names` as NCCL has them; `hcas` are (host, device), a merged one's parts apart.

    `staged` are (host, what) whose data goes through the host's memory: an HCA that NCCL calls
    disabled for GPUDirect RDMA, or a GPU without one channel that uses it.
    """

    names: frozenset[str]
    hcas: frozenset[tuple[str, str]]
    staged: frozenset[tuple[str, str]]


def network(found: Iterable[Line]) -> Network:
    """What the log of all ranks says; everything is empty where nothing was logged.

    Ranks write at once and a launcher may mix their lines; the ranks of a host say the same, so
    what one line lost another has.
    """
    logs = [one.groups() for line in found if (one := _LOG.search(line.text))]
    names = _names([said for _, _, said in logs])
    told = [
        (host, one[2], one[3])
        for host, _, said in logs
        if (one := _HCA.fullmatch(said)) and (one[1] in names or not names)
    ]
    return Network(
        names,
        frozenset(
            (host, part.removesuffix(_DATA_DIRECT))
            for host, _, hca in told
            for part in hca.split("+")
        ),
        frozenset((host, f"HCA {hca}") for host, word, hca in told if word == "Disabled")
        | _without_direct(logs),
    )


def _names(said: list[str]) -> frozenset[str]:
    """NCCL's last word; without it what each network says of itself, and who has no device.

    2.28.9 goes on to `NET/IB : Using [RO]` where it found no device.
    """
    if used := {one[1] for line in said if (one := _USED.fullmatch(line))}:
        return frozenset(used)
    own = {one[1] for line in said if (one := _OWN.match(line))}
    lacking = {one[1] for line in said if (one := _NO_DEVICE.match(line))}
    return frozenset(own - lacking | {f"no {one}" for one in lacking})


def _without_direct(logs: list[tuple[str, ...]]) -> frozenset[tuple[str, str]]:
    channels = {
        (host, gpu, one[1] is not None)
        for host, gpu, said in logs
        if (one := _CHANNEL.fullmatch(said))
    }
    return frozenset(
        (host, f"GPU {gpu}") for host, gpu, _ in channels if (host, gpu, True) not in channels
    )
