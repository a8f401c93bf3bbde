"""What a node must do by itself: an expectation for each part that can be exchanged. Pure.

What is asked follows from the plan: GPUs and NICs that the profile has, and the programs that its
`acceptance` names. A node without any of these is asked for its memory alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Node, NodeGpu, Plan
from validation.expectation import Expectation
from validation.judging.limits import MEDIAN_NEEDS
from validation.parse.loads.fio import WAYS, Way
from validation.probes.disk_io import Files

from . import work
from .nics import NicPath, paths
from .terms import figures_of, terms


@dataclass(frozen=True, slots=True)
class MemoryExpected(Expectation):
    """A NUMA node's memory is as fast as planned and as the fleet's; None: the slowest one's."""

    stage: ClassVar[int] = 45
    check: ClassVar[str] = "memory"
    profile: str
    numa: int | None
    command: str


@dataclass(frozen=True, slots=True)
class DiskExpected(Expectation):
    """The scratch disk is as fast as planned and as the fleet's."""

    stage: ClassVar[int] = 45
    check: ClassVar[str] = "disk"
    profile: str
    way: Way
    files: Files
    command: str


@dataclass(frozen=True, slots=True)
class NvlinkExpected(Expectation):
    """Every NVLink of a GPU is on, at the rate of its model."""

    stage: ClassVar[int] = 45
    check: ClassVar[str] = "nvlink"
    gpu: NodeGpu


@dataclass(frozen=True, slots=True)
class DcgmExpected(Expectation):
    """DCGM's diagnostic passes on a GPU, or (None) in what concerns the whole node."""

    stage: ClassVar[int] = 45
    check: ClassVar[str] = "dcgm"
    level: int
    gpu: NodeGpu | None
    command: str


@dataclass(frozen=True, slots=True)
class BurnExpected(Expectation):
    """A GPU under full load makes no error, stays cool, and is as fast as the fleet's."""

    stage: ClassVar[int] = 45
    check: ClassVar[str] = "burn"
    gpu: NodeGpu
    command: str


@dataclass(frozen=True, slots=True)
class NicExpected(Expectation):
    """A NIC moves its rate to and from one NUMA node's memory, or one GPU's."""

    stage: ClassVar[int] = 45
    check: ClassVar[str] = "nic_self"
    profile: str
    path: NicPath


@dataclass(frozen=True, slots=True)
class AllReduceExpected(Expectation):
    """The GPUs of a node reduce over NVLink at the rate of their model."""

    stage: ClassVar[int] = 45
    check: ClassVar[str] = "nvlink_reduce"
    gpus: int
    command: str


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Everything that the configured nodes must do by themselves."""
    for node in plan.nodes:
        if node.name in configured:
            yield from _of(node)


def _of(node: Node) -> Iterator[Expectation]:
    yield from _memory(node)
    yield from _disk(node)
    yield from _gpus(node)
    for path in paths(node):
        says = f"{path.port} of {node.name} moves its rate with {path.end}"
        yield NicExpected(f"nic_self:{node.name}:{path.id}", node.name, says, node.profile, path)


def _memory(node: Node) -> Iterator[Expectation]:
    for numa in node.numa or (None,):
        where = "" if numa is None else f":numa{numa}"
        says = f"memory of {node.name}{where.replace(':', ', ')} is as fast as planned"
        command = work.memory_command(node, numa)
        yield MemoryExpected(
            f"memory:{node.name}{where}", node.name, says, node.profile, numa, command
        )


def _disk(node: Node) -> Iterator[Expectation]:
    files = work.scratch(node)
    if files is None:
        return
    for way in WAYS:
        says = f"the disk under {files.place} of {node.name} is as fast as planned ({way})"
        key = f"disk:{node.name}:{way}"
        command = work.disk_command(files)
        yield DiskExpected(key, node.name, says, node.profile, way, files, command)


def _gpus(node: Node) -> Iterator[Expectation]:
    asked, name = node.acceptance, node.name
    if level := asked.dcgm_level:
        command = work.dcgm_command(level)
        says = f"DCGM's level {level} passes on {name}"
        yield DcgmExpected(f"dcgm:{name}", name, says, level, None, command)
    for gpu in node.gpus:
        which = f"{name}:gpu{gpu.index}"
        if node.software.gpu and node.software.gpu.nvswitch:
            says = f"all NVLinks of GPU {gpu.index} of {name} have their rate"
            yield NvlinkExpected(f"nvlink:{which}", name, says, gpu)
        if level:
            says = f"DCGM's level {level} passes on GPU {gpu.index} of {name}"
            yield DcgmExpected(f"dcgm:{which}", name, says, level, gpu, work.dcgm_command(level))
        if asked.burn:
            says = f"GPU {gpu.index} of {name} burns without error, as fast as others"
            yield BurnExpected(f"burn:{which}", name, says, gpu, work.burn_command(asked.burn))
    if work.reducer(node):
        size = terms().all_reduce.bytes
        says = f"the GPUs of {name} reduce {size} bytes at the rate of their model"
        command = work.all_reduce_command(node)
        yield AllReduceExpected(f"nvlink_reduce:{name}", name, says, len(node.gpus), command)


def unanswered(plan: Plan) -> Iterator[str]:
    """Kinds of nodes whose memory has no norm: no planned figure, and too few to be a fleet."""
    count = Counter(node.profile for node in plan.nodes)
    for profile, nodes in sorted(count.items()):
        if nodes < MEDIAN_NEEDS and figures_of(profile).memory_gbytes_per_s is None:
            yield (
                f"has no expected memory bandwidth for profile {profile}: none is planned, and "
                f"{nodes} nodes are too few for a median, which needs {MEDIAN_NEEDS}"
            )
