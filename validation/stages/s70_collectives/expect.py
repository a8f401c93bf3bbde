"""What collectives must reach, group by group and size by size. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from validation.expectation import Expectation

from .judge import LARGE
from .planned import least_share, most_us, planned_gbs
from .runs import JOBS, Run, steps
from .terms import ranks_of, terms_of, tool_of


@dataclass(frozen=True, slots=True)
class CollectiveExpected(Expectation):
    """A collective on a group of nodes is right, and as fast as the plan lets it be.

    `size` is one of the terms' names.
    """

    stage: ClassVar[int] = 70
    check: ClassVar[str] = "collective"
    run: Run
    size: str


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[CollectiveExpected]:
    """Every size of every run that can be made once `configured` is in place."""
    for run in (run for step in steps(plan, configured) for run in step):
        for size in run.sizes:
            says = f"{_what(run)} of {run.terms.bytes_of(size)} bytes is right{_rate(run, size)}"
            yield CollectiveExpected(expectation_of(run, size), run.nodes[0], says, run, size)


def expectation_of(run: Run, size: str) -> str:
    """The id of what is asked of one size of a run."""
    return f"collective:{run.id}:{size}"


def _what(run: Run) -> str:
    nodes = run.nodes
    who = nodes[0] if len(nodes) == 1 else f"{len(nodes)} nodes from {nodes[0]} to {nodes[-1]}"
    beside = ", beside a second job" if run.kind == JOBS else ""
    return f"{run.collective} on {who}{beside}"


def _rate(run: Run, size: str) -> str:
    planned, most = planned_gbs(run), most_us(run, size)
    if planned is None or most is None:
        return ", and has a figure to be judged by"
    if size != LARGE:
        return f", takes at most {most:.4g} us, and is no slower than its peers"
    return f" and moves {least_share(run) * planned:.3g} of {planned:.3g} GB/s (busbw)"


def unanswered(plan: Plan) -> Iterator[str]:
    """The profiles of which nobody published what one node reaches."""
    kinds = {one.profile: tool_of(one) for one in plan.nodes if one.rails and ranks_of(one) > 1}
    for profile, tool in sorted(kinds.items()):
        if profile in dict(terms_of(tool).one_node.figures):
            continue
        yield (
            f"has no expected bandwidth for collectives inside one node of profile {profile}: none "
            "is published, and the stage's terms.yml has none"
        )
