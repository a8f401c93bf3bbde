"""What is run: every collective on every group, then two jobs at once; as data. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from inventory.nodes.collectives import nccl_settings
from inventory.plan import Node, Plan, PortRef

from .groups import Connected, Group, classes, counts, groups, halves
from .launch import Launch
from .terms import COLLECTIVES, SIZES, Terms, ranks_of, terms_of, tool_of

PROGRAM = Path(__file__).parents[2] / "on_node" / "mpi_collective.py"
JOBS = "two-jobs"
AGAIN = "again"
SEARCH = "search"
WRONG = "wrong"
BITS = 8.0
# Open MPI over TCP alone; it waits without keeping its core from others.
_MPI = (("btl", "tcp,self,vader"), ("mpi_yield_when_idle", "1"), ("pml", "ob1"))
_NCCL = (("btl", "tcp,self"), ("coll_hcoll_enable", "0"), ("pml", "ob1"))


@dataclass(frozen=True, slots=True)
class Run:
    """One launch of one collective, and what the plan gives it.

    `kind` is `group` or JOBS, AGAIN with one of these, SEARCH or WRONG. `sizes` are names of the
    terms' sizes. Rates are of a node's rails together, and of what is left of a rank's own NIC
    where leaves meet, in GB/s. `direct`: NICs are to reach the GPUs' memory themselves.
    """

    id: str
    kind: str
    collective: str
    profile: str
    launch: Launch
    sizes: tuple[str, ...]
    node_gbs: float
    rank_gbs: float
    terms: Terms
    direct: bool = False

    @property
    def nodes(self) -> Group:
        """Who takes part, in rank order."""
        return self.launch.nodes


Step = tuple[Run, ...]


def steps(plan: Plan, configured: frozenset[str]) -> tuple[Step, ...]:
    """Every step, in order; runs of one step share no node.

    They are the whole plan's, so that a growing `configured` only adds runs.
    """
    connected = Connected(plan, configured)
    found = (
        tuple(run(plan, kind, collective, group, SIZES) for group in row if connected(group))
        for kind, collective, row in _rows(plan)
    )
    return tuple(one for one in found if one)


def _rows(plan: Plan) -> Iterator[tuple[str, str, tuple[Group, ...]]]:
    for nodes in classes(plan):
        for count in counts(nodes):
            for collective in COLLECTIVES:
                for row in groups(nodes, count):
                    yield "group", collective, row
        if jobs := halves(nodes):
            yield JOBS, "alltoall", jobs


def run(plan: Plan, kind: str, collective: str, group: Group, sizes: tuple[str, ...]) -> Run:
    """One run of a group."""
    first = plan.node[group[0]]
    tool = tool_of(first)
    terms = terms_of(tool)
    name = f"{collective}:{len(group)}:{group[0]}"
    node_gbs = min(_node_gbs(plan, plan.node[one]) for one in group)
    return Run(
        id=name if kind == "group" else f"{kind}:{name}",
        kind=kind,
        collective=collective,
        profile=first.profile,
        launch=_launch(plan, kind, collective, group, terms, sizes),
        sizes=sizes,
        node_gbs=node_gbs,
        rank_gbs=node_gbs / ranks_of(first) / _squeeze(plan, group),
        terms=terms,
        direct=tool == "nccl" and len(group) > 1 and _direct(plan, group),
    )


def _direct(plan: Plan, group: Group) -> bool:
    """Each way in which a plan has a GPU's driver give its memory to NICs is GPUDirect RDMA."""
    return all(plan.node[one].software.gpu is not None for one in group)


def _node_gbs(plan: Plan, node: Node) -> float:
    return sum(plan.cable_at[PortRef(node.name, nic.port)].rate_gbps for nic in node.rails) / BITS


def _squeeze(plan: Plan, group: Group) -> float:
    """How much more may come from below than leaves above, where the group crosses leaves."""
    leaves = {nic.leaf.device for one in group for nic in plan.node[one].rails if nic.index == 0}
    ratios = [capacity.ratio for capacity in plan.capacities if capacity.plane == "compute"]
    return max([1.0, *ratios]) if len(leaves) > 1 else 1.0


def _launch(
    plan: Plan, kind: str, collective: str, group: Group, terms: Terms, sizes: tuple[str, ...]
) -> Launch:
    node = plan.node[group[0]]
    bytes_of = [terms.bytes_of(one) for one in sizes]
    algorithm = terms.of(collective).settings if len(group) > 1 else ()
    if terms.tool == "nccl":
        argv, env = _nccl_argv(node, collective, terms, bytes_of), dict(algorithm)
        env |= {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET", **nccl_settings(plan, node)}
        settings: tuple[tuple[str, str], ...] = _NCCL
    else:
        ports = ",".join(nic.port for nic in node.rails)
        argv = _mpi_argv(collective, terms, ports, bytes_of)
        env, settings = {}, tuple(sorted((*_MPI, *algorithm)))
    rail = node.rails[0]
    shown = " ".join(f"{name}={value}" for name, value in sorted({**env, **dict(settings)}.items()))
    flags = " ".join(one for one in argv if "\n" not in one)
    return Launch(
        command=f"probe collective {kind} {_shown(group)} x{ranks_of(node)}: {flags}; {shown}",
        nodes=group,
        ranks_per_node=ranks_of(node),
        argv=argv,
        env=tuple(sorted(env.items())),
        settings=settings,
        meet_at=tuple(plan.node[one].rails[0].address.ip for one in group),
        meet_over=rail.rail_prefix,
        data_over=rail.fabric_prefix,
        limit_s=terms.limit_s,
    )


def _shown(group: Group) -> str:
    """The nodes of a group in few words that no other group has."""
    digest = sha256(" ".join(group).encode()).hexdigest()[:12]
    return f"{group[0]}..{group[-1]} {len(group)} {digest}"


def _nccl_argv(node: Node, collective: str, terms: Terms, sizes: list[int]) -> tuple[str, ...]:
    """-c 1 checks results, -I 1 times single iterations (nccl-tests 2.19, README).

    The programs lie beside the one that the node's profile names, else where they are found.
    """
    factor = sizes[1] // sizes[0] if len(sizes) > 1 else 2
    folder, sign, _ = (node.acceptance.all_reduce or "").rpartition("/")
    words = (
        f"{folder}{sign}{collective}_perf -b {sizes[0]} -e {sizes[-1]} -f {factor} -g 1 -c 1 -I 1"
    )
    return (*words.split(), "-n", str(terms.iterations))


def _mpi_argv(collective: str, terms: Terms, ports: str, sizes: list[int]) -> tuple[str, ...]:
    asked = (collective, str(terms.iterations), ports, *map(str, sizes))
    return ("python3", "-c", _source(), *asked)


@cache
def _source() -> str:
    return PROGRAM.read_text(encoding="utf-8")
