"""Rows of a node's GPUs: memory, PCIe and NVLink as they run, the way to their NICs. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from inventory.plan import Node, RailNic
from inventory.reading.fields import Unreadable
from validation.parse.gpu.nvidia_smi import ACTION, Gpu

from .facts import HostFacts, known
from .wanted import HostRow, Rows

_MEMORY = "whole"
_LINK = "as fast and wide as it can"
_NEAR = "its own NUMA node"


def gpu_count(node: Node) -> int:
    """How many GPUs the plan knows of: those beside rails; 0 where its profile names none."""
    return max((nic.gpu + 1 for nic in node.rails if nic.gpu is not None), default=0)


def gpu_rows(node: Node, found: HostFacts, part: str) -> Iterator[HostRow]:
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
    if _NEEDS_RESET in gpu.leaves.values():  # in place of what it would tell
        return "a reset is required"
    mode = gpu.needed("ECC Mode / Current")
    if mode == "Disabled":  # the counters say N/A, which says nothing of the memory
        return "ECC is Disabled"
    if mode != "Enabled":
        raise Unreadable(f"nvidia-smi tells the ECC mode {mode!r} of {gpu.pci}")
    volatile = [name for name in gpu.under(_VOLATILE) if "Uncorrectable" in name]
    if not volatile:
        raise Unreadable(f"nvidia-smi tells no uncorrectable errors of {gpu.pci}")
    counted = [(gpu.count(f"{_VOLATILE} / {name}"), name) for name in sorted(volatile)]
    wrong = [f"{count} {name}" for count, name in counted if count]
    told = {path: _state(gpu, path) for path in _STATES}
    wrong += [said for path, said in _STATES.items() if told[path] == "Yes"]
    action = gpu.leaves.get(ACTION, "None")
    wrong += [] if action in ("None", "N/A") else [f"the driver wants it recovered: {action}"]
    if wrong:
        return "; ".join(wrong)
    if not any(all(told[path] == "No" for path in paths) for paths in _REPAIRS):
        raise Unreadable(f"nvidia-smi tells no remapped rows and no retired pages of {gpu.pci}")
    return _MEMORY


_VOLATILE = "ECC Errors / Volatile"
_STATES = {
    "ECC Errors / Aggregate / SRAM Threshold Exceeded": "SRAM errors passed the threshold",
    "ECC Errors / Channel Repair Pending": "a channel waits for a reset to be repaired",
    "ECC Errors / TPC Repair Pending": "a processing cluster waits for a reset to be repaired",
    "ECC Errors / Unrepairable Memory": "memory cannot be repaired",
    "Remapped Rows / Pending": "rows wait for a reset to be remapped",
    "Remapped Rows / Remapping Failure Occurred": "a row could not be remapped",
    "Retired Pages / Pending Page Blacklist": "pages wait for a reset to be retired",
    "GPU Reset Status / Reset Required": "a reset is required",
    "GPU Reset Status / Drain and Reset Recommended": "a reset is recommended",
}
_REPAIRS = (
    ("Remapped Rows / Pending", "Remapped Rows / Remapping Failure Occurred"),
    ("Retired Pages / Pending Page Blacklist",),
)


_NEEDS_RESET = "GPU requires reset"
_DEPRECATED = "Requested functionality has been deprecated"


def _state(gpu: Gpu, path: str) -> str:
    """Yes, No, or N/A where this GPU or driver has no such thing."""
    said = gpu.leaves.get(path, "N/A")
    if said == _DEPRECATED and ACTION in gpu.leaves:
        return "N/A"
    if said not in ("Yes", "No", "N/A"):
        raise Unreadable(f"nvidia-smi tells {said!r} as `{path}` of {gpu.pci}")
    return said


def _pcie(found: HostFacts, number: int) -> str:
    """Generation and lanes, as they are and as both ends allow.

    A GPU that idles may have gone down to generation 1 to save power, and comes back for work. Of
    one, what both ends can do is compared instead; how fast it copies is measured under load.
    """
    gpu = _gpu(found, number)
    now, most = gpu.generation("Current"), gpu.generation("Max")
    lanes, all_lanes = gpu.lanes("Current"), gpu.lanes("Max")
    wrong = f"generation {now} of {most}, {lanes} lanes of {all_lanes}"
    if lanes != all_lanes or now > most:
        return wrong
    if now == most:
        return _LINK
    if gpu.idles is None:
        raise Unreadable(f"{wrong}, and nvidia-smi does not tell whether {gpu.pci} idles")
    if not gpu.idles:
        return wrong
    ends = gpu.ends()
    return _LINK if most >= ends else f"generation {most} at most, its ends can do {ends}"


def _nvlinks(found: HostFacts, number: int) -> str:
    """A lane that came up narrower shows in the speed of one link, and in no other check."""
    gpus = known(found.gpu.links)
    if not gpus:
        return "none active"
    if number >= len(gpus):
        raise Unreadable(f"nvidia-smi nvlink tells of {len(gpus)} GPUs")
    mine = gpus[number].gbytes_per_s
    usual, _ = Counter(linked.gbytes_per_s for linked in gpus).most_common(1)[0]
    if mine and 0.0 not in mine and mine == usual:
        return "all, like the others"
    speeds = sorted(Counter(mine).items())
    told = (
        f"{count} of {speed:g} GB/s" if speed else f"{count} inactive" for speed, count in speeds
    )
    return ", ".join(told) or "none active"


def _near(found: HostFacts, nic: RailNic) -> str:
    rows = {row.index: dict(row.nics) for row in known(found.gpu.topology)}
    assert nic.gpu is not None  # noqa: S101 # asked by who calls
    distance = rows.get(nic.gpu, {}).get(nic.rdma_device or "")
    if distance is None:
        raise Unreadable(f"nvidia-smi topo does not tell how near GPU {nic.gpu} is to it")
    return "another NUMA node" if distance == "SYS" else _NEAR
