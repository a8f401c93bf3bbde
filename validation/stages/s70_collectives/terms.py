"""The terms of collectives, read strictly from `terms.yml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

from inventory.own_yaml import own_yaml
from inventory.plan import Node

THRESHOLDS = Path(__file__).with_name("terms.yml")
Tool = Literal["nccl", "mpi"]
SIZES = ("small", "medium", "large")
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "alltoall")
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CollectiveTerms:
    """What one collective is asked."""

    settings: Pairs
    line: Literal["node", "rank"]
    least: float
    most: float
    linear: float | None
    source: str


@dataclass(frozen=True, slots=True)
class OneNode:
    """What all_reduce reaches inside one node; `figures` are GB/s by node profile.

    `least` is the share of it that all_reduce must reach, `others` that of other collectives.
    """

    least: float
    others: float
    figures: tuple[tuple[str, float], ...]
    source: str


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one tool. A call may take `call_us`, and `step_us` for each of its steps."""

    tool: Tool
    sizes: tuple[tuple[str, int], ...]
    iterations: int
    limit_s: float
    first: int
    gap: float
    mads: float
    trends: tuple[tuple[str, float | None], ...]
    trend_source: str
    call_us: float
    step_us: float
    time_source: str
    p99: float
    collectives: tuple[tuple[str, CollectiveTerms], ...]
    one_node: OneNode

    def of(self, collective: str) -> CollectiveTerms:
        """The terms of one collective."""
        return dict(self.collectives)[collective]

    def trend_of(self, size: str) -> float | None:
        """The most that a size may lose against earlier runs; None is not asked."""
        return dict(self.trends)[size]

    def bytes_of(self, size: str) -> int:
        """A size by its name."""
        return dict(self.sizes)[size]


def tool_of(node: Node) -> Tool:
    """What measures collectives on a node."""
    return "nccl" if _gpus(node) else "mpi"


def ranks_of(node: Node) -> int:
    """How many ranks run on a node: one for each GPU, else one."""
    return _gpus(node) or 1


def _gpus(node: Node) -> int:
    """Those of its profile, or those that its rails are said to serve."""
    return len(node.gpus) or len({nic.gpu for nic in node.rails if nic.gpu is not None})


@cache
def terms_of(tool: Tool) -> Terms:
    """The terms of a tool. ValueError where the file lacks or adds a key, or a size is missing."""
    said = _keys(_read().get(tool), Terms, {"tool"}, tool)
    each = _table(said["collectives"], f"{tool}: collectives")
    sizes = (tuple(said["sizes"]), tuple(_table(said["trends"], f"{tool}: trends")))
    if set(each) != set(COLLECTIVES) or sizes != (SIZES, SIZES):
        raise ValueError(f"{THRESHOLDS.name}: {tool}: collectives or sizes are missing or unknown")
    one = _keys(said["one_node"], OneNode, set(), f"{tool}: one_node")
    return Terms(
        **{
            **said,
            "tool": tool,
            "sizes": tuple(said["sizes"].items()),
            "trends": tuple(said["trends"].items()),
            "collectives": tuple((name, _collective(tool, name, each[name])) for name in each),
            "one_node": OneNode(**{**one, "figures": tuple(sorted(one["figures"].items()))}),
        }
    )


def _read() -> Mapping[str, Any]:
    return _table(own_yaml(THRESHOLDS), THRESHOLDS.name)


def _collective(tool: str, name: str, said: object) -> CollectiveTerms:
    found = _keys(said, CollectiveTerms, set(), f"{tool}: {name}")
    if found["line"] not in ("node", "rank"):
        raise ValueError(f"{THRESHOLDS.name}: {tool}: {name}: line is {found['line']!r}")
    return CollectiveTerms(**{**found, "settings": tuple(sorted(found["settings"].items()))})


def _keys(said: object, kind: type[Any], but: set[str], where: str) -> dict[str, Any]:
    found = _table(said, where)
    expected = {field.name for field in fields(kind)} - but
    if set(found) != expected:
        wrong = ", ".join(sorted(set(found) ^ expected))
        raise ValueError(f"{THRESHOLDS.name}: {where}: {wrong}: missing or unknown")
    return found


def _table(said: object, where: str) -> dict[str, Any]:
    if not isinstance(said, dict):
        raise ValueError(f"{THRESHOLDS.name}: {where}: is no table")  # noqa: TRY004 - bad data
    return said
