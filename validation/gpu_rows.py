"""Rows of a node's GPUs: memory, PCIe and NVLink as they run, the way to their NICs. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from inventory.plan import Node, RailNic

from .host_facts import HostFacts, known
from .host_wanted import Row, Rows
from .parse.fields import Unreadable
from .parse.nvidia_smi import Gpu

_MEMORY = "whole"
_LINK = "as fast and wide as it can"
_NEAR = "its own NUMA node"


def gpu_count(node: Node) -> int:
    """How many GPUs the plan knows of: those beside rails; 0 where its profile names none."""
    return max((one.gpu + 1 for one in node.rails if one.gpu is not None), default=0)


def gpu_rows(node: Node, found: HostFacts, part: str) -> Iterator[Row]:
    """Rows for every planned GPU, in nvidia-smi's order."""
    count = gpu_count(node)
    if not count:
        return
    make = Rows(part, f"device {node.name}")
    yield make.row("GPUs beside rails", f"{count} at least", partial(_present, found, count))
    for number in range(count):
        suspect = f"GPU {node.name}:{number}"
        memory, pcie = partial(_memory, found, number), partial(_pcie, found, number)
        yield make.row(f"memory of GPU {number}", _MEMORY, memory, suspect)
        yield make.row(f"PCIe of GPU {number}", _LINK, pcie, suspect)
    if node.software.gpu is not None and node.software.gpu.nvswitch:
        for number in range(count):
            yield make.row(
                f"NVLinks of GPU {number}",
                "all, like the others",
                partial(_nvlinks, found, number),
                f"GPU {node.name}:{number}",
            )
    for nic in node.rails:
        if nic.gpu is not None and nic.rdma_device:
            yield make.row(
                f"GPU {nic.gpu} beside {nic.rdma_device}", _NEAR, partial(_near, found, nic)
            )


def _present(found: HostFacts, count: int) -> str:
    told = len(known(found.gpu.smi).gpus)
    return f"{count} at least" if told >= count else str(told)


def _gpu(found: HostFacts, number: int) -> Gpu:
    gpus = known(found.gpu.smi).gpus
    if number >= len(gpus):
        raise Unreadable(f"nvidia-smi tells of {len(gpus)} GPUs")
    return gpus[number]


def _memory(found: HostFacts, number: int) -> str:
    """Errors that ECC could not correct since the driver was loaded, and what waits or failed.

    Drivers name the counters differently; their words `Uncorrectable` are in all of them
    (nvidia-smi(1), ECC Errors, Remapped Rows, Retired Pages). Counts of a GPU's whole life are
    told by the threshold that they pass.
    """
    gpu = _gpu(found, number)
    mode = gpu.needed("ECC Mode / Current")
    wrong = [] if mode == "Enabled" else [f"ECC is {mode}"]
    volatile = {
        name.rpartition(" / ")[2]: value
        for name, value in gpu.leaves.items()
        if name.startswith("ECC Errors / Volatile / ") and "Uncorrectable" in name
    }
    if not volatile:
        raise Unreadable(f"nvidia-smi tells no uncorrectable errors of {gpu.pci}")
    wrong += [f"{value} {name}" for name, value in sorted(volatile.items()) if _number(value)]
    wrong += [said for path, word, said in _STATES if gpu.leaves.get(path) == word]
    if not any(gpu.leaves.get(path) in ("Yes", "No") for path in _REPAIRS):
        raise Unreadable(f"nvidia-smi tells no remapped rows and no retired pages of {gpu.pci}")
    return "; ".join(wrong) or _MEMORY


_STATES = (
    ("ECC Errors / Aggregate / SRAM Threshold Exceeded", "Yes", "SRAM errors passed the threshold"),
    ("Remapped Rows / Pending", "Yes", "rows wait for a reset to be remapped"),
    ("Remapped Rows / Remapping Failure Occurred", "Yes", "a row could not be remapped"),
    ("Retired Pages / Pending Page Blacklist", "Yes", "pages wait for a reset to be retired"),
    ("GPU Reset Status / Reset Required", "Yes", "a reset is required"),
    ("GPU Reset Status / Drain and Reset Recommended", "Yes", "a reset is recommended"),
)
_REPAIRS = ("Remapped Rows / Pending", "Retired Pages / Pending Page Blacklist")


def _number(value: str) -> int:
    if not value.isdecimal():
        raise Unreadable(f"nvidia-smi counts {value!r}")
    return int(value)


def _pcie(found: HostFacts, number: int) -> str:
    """Generation and lanes as numbers, as they are and as both ends allow."""
    gpu, path = _gpu(found, number), "PCI / GPU Link Info"
    now, most = (gpu.needed(f"{path} / PCIe Generation / {word}") for word in ("Current", "Max"))
    lanes, all_lanes = (
        gpu.needed(f"{path} / Link Width / {word}").removesuffix("x") for word in ("Current", "Max")
    )
    if (_number(now), _number(lanes)) == (_number(most), _number(all_lanes)):
        return _LINK
    return f"generation {now} of {most}, {lanes} lanes of {all_lanes}"


def _nvlinks(found: HostFacts, number: int) -> str:
    """A lane that came up narrower shows in the speed of one link, and in no other check."""
    gpus = known(found.gpu.links)
    if number >= len(gpus):
        raise Unreadable(f"nvidia-smi nvlink tells of {len(gpus)} GPUs")
    mine = gpus[number].gbytes_per_s
    usual, _ = Counter(one.gbytes_per_s for one in gpus).most_common(1)[0]
    if mine and 0.0 not in mine and mine == usual:
        return "all, like the others"
    speeds = sorted(Counter(mine).items())
    told = (
        f"{count} of {speed:g} GB/s" if speed else f"{count} inactive" for speed, count in speeds
    )
    return ", ".join(told) or "none active"


def _near(found: HostFacts, nic: RailNic) -> str:
    rows = {one.index: dict(one.nics) for one in known(found.gpu.topology)}
    assert nic.gpu is not None  # noqa: S101 # asked by who calls
    distance = rows.get(nic.gpu, {}).get(nic.rdma_device or "")
    if distance is None:
        raise Unreadable(f"nvidia-smi topo does not tell how near GPU {nic.gpu} is to it")
    return "another NUMA node" if distance == "SYS" else _NEAR
