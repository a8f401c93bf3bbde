"""The work of stage 45 as steps: what loads little on all nodes at once, then the ramp. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inventory.plan import Node, Plan
from validation.probes.disk_io import Files
from validation.probes.work import Job, Step

from . import shell
from .nics import MESSAGE_BYTES, QPS, NicPath, paths
from .ramp import draws, waves
from .terms import figures_of, terms

_PROGRAMS = Path(__file__).parents[2] / "on_node"
COPY = "memory_copy.py"
WHO = "probe gpus"
NVLINK = "probe nvlink"
_MARGIN_S = 60.0
_BLOCK = "1M"


def program_files() -> dict[str, str]:
    """The programs that the work sends along, by name."""
    return {COPY: (_PROGRAMS / COPY).read_text(encoding="utf-8")}


def memory_command(node: Node, numa: int | None) -> str:
    """The frame of a node's memory: one for each NUMA node with STREAM, else one for all."""
    if node.acceptance.stream is None:
        return f"probe memory_copy seconds={terms().memory.seconds}"
    where = "all" if numa is None else str(numa)
    return f"probe stream {node.acceptance.stream} numa={where}"


def scratch(node: Node) -> Files | None:
    """The files that a node's disk is asked for, where its profile names a folder."""
    if node.acceptance.scratch is None:
        return None
    asked = terms().disk
    own = figures_of(node.profile)
    mib = own.disk_mib or asked.mib
    return Files(
        place=node.acceptance.scratch,
        files=asked.files,
        mib=max(mib // asked.files, 1),
        seconds=own.disk_seconds or asked.seconds,
        depth=asked.depth,
        block=_BLOCK,
        spare_percent=round(asked.spare * 100),
        mounted=False,
    )


def disk_command(files: Files) -> str:
    """The frame of a node's disk: both directions."""
    return f"probe disk {files.asked}"


def dcgm_command(level: int) -> str:
    """The frame of the diagnostic."""
    return f"probe dcgm level={level}"


def burn_command(program: str) -> str:
    """The frame of the burn."""
    return f"probe burn {program} seconds={terms().burn.seconds}"


def reducer(node: Node) -> str | None:
    """The program that reduces over the node's GPUs; None where no two of them meet."""
    return node.acceptance.all_reduce if len(node.gpus) > 1 else None


def all_reduce_command(node: Node) -> str:
    """The frame of the node's own all_reduce."""
    size = terms().all_reduce.bytes
    return f"probe all_reduce {node.acceptance.all_reduce} bytes={size} gpus={len(node.gpus)}"


def nic_command(path: NicPath) -> str:
    """The frame of one way of a NIC."""
    return (
        f"probe nic {path.id} {path.address}:{path.tcp_port} bytes={MESSAGE_BYTES} qps={QPS} "
        f"seconds={terms().nic.seconds}"
    )


def steps(plan: Plan, configured: frozenset[str]) -> tuple[Step, ...]:
    """All of it: memory, disks, GPUs at rest, NICs; then waves of nodes that draw full power.

    Raises RampError where no order of the nodes keeps within the declared steps.
    """
    nodes = [node for node in plan.nodes if node.name in configured]
    kinds = (_memory, _disk, _quiet, _nics)
    light = [tuple(job for node in nodes for job in kind(node)) for kind in kinds]
    heavy = {node.name: tuple(_heavy(node)) for node in nodes}
    hot = [name for name, jobs in heavy.items() if jobs]
    order = waves(draws(plan, hot, terms().ramp))
    burning = [tuple(job for name in wave for job in heavy[name]) for wave in order]
    return tuple(one for one in (*light, *burning) if one)


def _memory(node: Node) -> Iterator[Job]:
    seconds = terms().memory.seconds
    many = max(len(node.numa), 4)
    program = node.acceptance.stream
    if program is None:
        command = memory_command(node, None)
        yield Job(node.name, command, shell.memory(seconds), _MARGIN_S + 3.0 * seconds * many)
        return
    for numa in node.numa or (None,):
        text = shell.stream(program, numa)
        yield Job(node.name, memory_command(node, numa), text, 5 * _MARGIN_S)


def _disk(node: Node) -> Iterator[Job]:
    if files := scratch(node):
        yield Job(node.name, disk_command(files), files.shell, files.limit_s)


def _quiet(node: Node) -> Iterator[Job]:
    if node.gpus:
        yield Job(node.name, WHO, shell.WHO, _MARGIN_S)
    if node.software.gpu and node.software.gpu.nvswitch:
        yield Job(node.name, NVLINK, shell.NVLINK, _MARGIN_S)
    if level := _cool_level(node):
        text = shell.dcgm(level)
        yield Job(node.name, dcgm_command(level), text, terms().dcgm.limit_s[level])


def _nics(node: Node) -> Iterator[Job]:
    seconds = terms().nic.seconds
    for path in paths(node):
        yield Job(node.name, nic_command(path), shell.nic(path, seconds), _MARGIN_S + seconds)


def _cool_level(node: Node) -> int | None:
    """The node's run level, where that draws little."""
    level = node.acceptance.dcgm_level
    return level if level and level < terms().dcgm.power_from_level else None


def _heavy(node: Node) -> Iterator[Job]:
    asked = node.acceptance
    if asked.dcgm_level and not _cool_level(node):
        text = shell.dcgm(asked.dcgm_level)
        limit = terms().dcgm.limit_s[asked.dcgm_level]
        yield Job(node.name, dcgm_command(asked.dcgm_level), text, limit)
    if asked.burn:
        seconds = terms().burn.seconds
        text = shell.burn(asked.burn, seconds)
        yield Job(node.name, burn_command(asked.burn), text, seconds + 5 * _MARGIN_S)
    if program := reducer(node):
        size = terms().all_reduce.bytes
        text = shell.all_reduce(program, size, len(node.gpus))
        yield Job(node.name, all_reduce_command(node), text, 5 * _MARGIN_S)
