"""The pair heat map's squares: figures of flows, gathered by node, by leaf or by pod."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from inventory.plan import Plan
from validation.verdict import Finding, worst

from .charts import inline
from .charts.heat import MOST_ROWS, Cell, Cells
from .figures import flow_of

_SHOWN = 1


@dataclass(frozen=True, slots=True)
class PairMap:
    """One matrix of flows, by `node`, `rack`, `pod` or `group of pods`: its rows, its squares."""

    stage: int
    check: str
    by: str
    places: tuple[str, ...]
    cells: Cells
    usual: float
    unit: str


def pair_maps(plan: Plan, findings: Iterable[Finding]) -> tuple[PairMap, ...]:
    """A map for each check whose expectations are flows of one node to another with a figure."""
    groups: dict[tuple[int, str], list[tuple[str, str, Finding]]] = {}
    for finding in findings:
        flow = flow_of(finding.expectation)
        if flow and flow[0] in plan.node and flow[1] in plan.node:
            groups.setdefault((finding.stage, finding.check), []).append((*flow, finding))
    made = [_map(plan, key, flows) for key, flows in sorted(groups.items())]
    return tuple(one for one in made if one is not None)


def _map(plan: Plan, key: tuple[int, str], flows: list[tuple[str, str, Finding]]) -> PairMap | None:
    figures = [one.figure for _, _, one in flows if one.figure]
    if not figures:
        return None
    usual, unit = median(figure.value for figure in figures), figures[0].unit
    nodes = {name for a, b, _ in flows for name in (a, b)}
    by, place_of = _places(plan, nodes)
    squares: dict[tuple[str, str], list[Finding]] = {}
    for sender, receiver, one in flows:
        squares.setdefault((place_of(sender), place_of(receiver)), []).append(one)
    order = {node.name: at for at, node in enumerate(plan.nodes)}
    places = dict.fromkeys(place_of(name) for name in sorted(nodes, key=order.__getitem__))
    best = max(figure.value for figure in figures)
    cells = {where: _cell(found, best) for where, found in squares.items()}
    return PairMap(*key, by, tuple(places), cells, usual, unit)


def _places(plan: Plan, nodes: set[str]) -> tuple[str, Callable[[str], str]]:
    """The finest grouping that still fits a phone."""
    if len(nodes) <= MOST_ROWS:
        return "node", str
    pods = sorted({plan.node[name].pod for name in nodes})
    racks = {_rack(plan, name) for name in nodes}
    if len(racks) <= MOST_ROWS:
        return "rack", lambda name: _rack(plan, name)
    if len(pods) <= MOST_ROWS:
        return "pod", lambda name: _pod(plan, name)
    width = -(-len(pods) // MOST_ROWS)
    at = {pod: number // width for number, pod in enumerate(pods)}

    def group(name: str) -> str:
        mine = [pod for pod in pods if at[pod] == at[plan.node[name].pod]]
        return f"pods {mine[0]}-{mine[-1]}"

    return "group of pods", group


def _rack(plan: Plan, name: str) -> str:
    node = plan.node[name]
    return f"p{node.pod} rack {node.rack}" if node.rack is not None else f"pod {node.pod}"


def _pod(plan: Plan, name: str) -> str:
    node = plan.node[name]
    return f"pod {node.pod}" if node.pod else node.kind


def _cell(found: list[Finding], best: float) -> Cell:
    verdict = worst([finding.verdict for finding in found])
    values = [finding.figure.value for finding in found if finding.figure]
    share = min(values) / best if values and best else None
    unit = next((finding.figure.unit for finding in found if finding.figure), "")
    said = f"least {inline.amount(min(values))} {unit}" if values else "nothing was measured"
    more = f" of {len(found)} flows" if len(found) > _SHOWN else ""
    return Cell(verdict, share, len(found), f"{verdict}, {said}{more}")
