"""Which tests to run for a change, and what they are expected to take.

Every test that a change can touch is chosen. Where that is more than CAP_S of tests, those far
from the change run a part of their instances, one at least: a class of tests is never left out.
A lab is chosen where nothing cheaper reaches what changed, or where only a lab proves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from tests.plugins.instances import NEAR_S
from tests.plugins.seconds import UNKNOWN_S, each_s

from . import data
from .change import touched
from .graph import Graph, Node

UNKNOWN_LAB_S = 20.0
CAP_S = 90.0
LAB_CAP_S = 60.0
# Of the instances of a class far from the change, so many run.
SHARE = 0.1
PYTHON_LINTS = ("test_ruff_check", "test_ruff_format", "test_mypy")
YAML_LINTS = ("test_yamllint", "test_ansible_lint")
SHELL_LINTS = ("test_shellcheck",)
# What these do shows on machines only: fakes agree with whatever they were written for.
LAB_PROVES = (
    *("deploy/lab/*", "deploy/*_run.py", "deploy/playbooks/*", "deploy/switches/switch_push.py"),
    *("roles/*", "switch_configs/linux_frr/*", "switch_configs/frr/*", "tests/vm/*"),
)


@dataclass(frozen=True)
class Choice:
    """Test functions (file::name), each with the share of its instances that runs.

    `everything`: why all tests have to run; then there are no functions.
    """

    functions: Mapping[str, float]
    seconds: float
    why: str
    everything: str = ""
    labs_left_out: int = 0
    tests: int = 0
    distances: Mapping[str, int] = field(default_factory=dict)

    def distance(self, function: str) -> int:
        """How far a test is from the change; one that the change does not reach is farthest."""
        return self.distances.get(function, 1000)

    def lines(self) -> list[str]:
        """For people: what was chosen, and why."""
        if self.everything:
            return ["changed: every test runs", f"why: {self.everything}"]
        thin = sum(share < 1 for share in self.functions.values())
        labs = f"; {self.labs_left_out} with labs are left out" if self.labs_left_out else ""
        chosen = f"{len(self.functions)} of {self.tests} test functions"
        return [
            f"changed: {chosen}, {thin} of them in part, about {self.seconds:.0f} s of tests{labs}",
            f"why: {self.why}",
        ]


def choose(graph: Graph, before: Mapping[str, str], seconds: Mapping[str, float]) -> Choice:
    """The tests of a tree for the files that changed, given with their text before."""
    start, everything = touched(graph, before)
    every = all_tests(graph)
    if everything:
        return Choice({}, sum(_cost(graph, one, seconds) for one in every), "", everything)
    far = {node: distance for node, distance in graph.reached(start).items() if node in every}
    labs = {node for node in far if is_lab(graph, node)}
    chosen_labs = _labs(graph, start, far, labs, seconds)
    quick = {node: distance for node, distance in far.items() if node not in labs}
    for node in _always(graph, before, every):
        quick[node] = 0
    shares = dict.fromkeys(chosen_labs, 1.0) | _thinned(graph, quick, seconds)
    return Choice(
        {"::".join(node): share for node, share in shares.items()},
        sum(share * _cost(graph, node, seconds) for node, share in shares.items()),
        _why(before, start),
        labs_left_out=len(labs - chosen_labs),
        tests=len(every),
        distances={"::".join(node): distance for node, distance in far.items()},
    )


def all_tests(graph: Graph) -> set[Node]:
    """Every test function; a class of tests counts as one."""
    return {
        (path, name)
        for path, source in graph.sources.items()
        if path.startswith("tests/") and path.rpartition("/")[2].startswith("test_")
        for name in source.symbols
        if name.startswith(("test_", "Test"))
    }


def is_lab(graph: Graph, node: Node) -> bool:
    """Whether a test builds a lab."""
    symbols = graph.sources[node[0]].symbols
    marked = (symbols[node[1]], *([symbols["pytestmark"]] if "pytestmark" in symbols else []))
    return any(("pytest", "mark", "lab") in one.uses for one in marked)


def _cost(graph: Graph, node: Node, seconds: Mapping[str, float]) -> float:
    unknown = UNKNOWN_LAB_S if is_lab(graph, node) else UNKNOWN_S
    function = "::".join(node)
    cost = seconds.get(function, unknown)
    # Of a large class the draw leaves so much, however near it is.
    return min(cost, max(NEAR_S, each_s(function))) if _has_instances(graph, node) else cost


def _always(graph: Graph, before: Mapping[str, str], every: set[Node]) -> set[Node]:
    """The drawing of the house, the linters of what changed, and who says a paper's name."""
    lints = [*PYTHON_LINTS] if any(one.endswith(".py") for one in before) else []
    if any(one.endswith((".yml", ".yaml")) or one.startswith("roles/") for one in before):
        lints += YAML_LINTS
    if not all(one.endswith((".py", ".yml", ".yaml", ".j2", ".md")) for one in before):
        # A script is known by its first line as well.
        lints += SHELL_LINTS
    found = {node for node in every if node[0] == "tests/test_architecture.py"}
    found |= {("tests/test_lint.py", name) for name in lints}
    for path in filter(data.is_paper, before):
        # Programs only point people to it.
        saying = [one for one in graph.saying(Path(path).name) if one[0].startswith("tests/")]
        reading = graph.reached(dict.fromkeys(saying, 0)).keys() & every
        found |= {node for node in reading if not is_lab(graph, node)}
    return found & every


def _labs(
    graph: Graph,
    start: Mapping[Node, int],
    far: Mapping[Node, int],
    labs: set[Node],
    seconds: Mapping[str, float],
) -> set[Node]:
    """The labs nearest to what only labs prove or reach; those that changed themselves always."""
    chosen = {node for node in labs if node in start and start[node] == 0}
    if not labs - chosen:
        return chosen
    proved = {node: distance for node, distance in start.items() if _needs_lab(graph, node, labs)}
    spent = 0.0
    reached = graph.reached(proved)
    for node in sorted(labs & reached.keys(), key=lambda one: (reached[one], one)):
        cost = _cost(graph, node, seconds)
        if not spent or spent + cost <= LAB_CAP_S:
            spent += cost
            chosen.add(node)
    return chosen


def _needs_lab(graph: Graph, node: Node, labs: set[Node]) -> bool:
    if any(fnmatchcase(node[0], one) for one in LAB_PROVES):
        return True
    tests = {one for one in graph.reached({node: 0}) if one[1].startswith(("test_", "Test"))}
    return bool(tests) and {one for one in tests if one[0].startswith("tests/")} <= labs


def _thinned(
    graph: Graph, quick: Mapping[Node, int], seconds: Mapping[str, float]
) -> dict[Node, float]:
    """Whole classes from the nearest on, as long as the rest in part stays below the cap."""
    least = {node: SHARE if _has_instances(graph, node) else 1.0 for node in quick}
    cost = {node: _cost(graph, node, seconds) for node in quick}
    left = CAP_S - sum(least[node] * cost[node] for node in quick)
    shares = dict(least)
    for node in sorted(quick, key=lambda one: (quick[one], cost[one], one)):
        more = (1 - least[node]) * cost[node]
        if more <= left or quick[node] == 0:
            shares[node] = 1.0
            left -= more
    return shares


def _has_instances(graph: Graph, node: Node) -> bool:
    uses = graph.sources[node[0]].symbols[node[1]].uses
    return ("pytest", "mark", "parametrize") in uses


def _why(before: Mapping[str, str], start: Mapping[Node, int]) -> str:
    files = sorted(before)
    named = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return f"{len(files)} files changed ({named}); {len(start)} symbols mean or read something else"
