"""What reads a tool's answer is asked for by something that runs: tests alone keep no reader.

Followed by name from what people and machines start: commands, stages, the programs of nodes. A
module's own statements run once it is imported; of what it defines, only what they name.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.tree import ROOMS, python_files, tree

# Started by name: the launcher, Ansible, pyinfra, and pytest by the ladder.
STARTED = ("deploy/__main__.py", "deploy/nodes.py", "inventory/ansible_source.py")
# All that a command could name, and every stage: a reader is not among them.
ASKING = ("deploy/", "validation/stages/")
READERS = tuple(
    f"validation/{name}"
    for name in (
        *("collectives/", "congestion/", "counters/", "lossless/", "optics/", "pairing/", "parse/"),
        *("routing/", "single/", "storage/", "soak/read.py"),
    )
)

Place = tuple[str, str]  # a module, and a name in it; without one, the module's own statements


def module_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {module_of(path): path for path in python_files(*ROOMS)}


def imported(path: Path, module: str, node: ast.AST) -> Iterator[tuple[str, Place]]:
    """Names that an import binds, and what each of them is."""
    known = modules()
    if isinstance(node, ast.Import):
        yield from ((one.asname or one.name, (one.name, "")) for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
        above = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        for one in node.names:
            whole = f"{base}.{one.name}"
            yield one.asname or one.name, (whole, "") if whole in known else (base, one.name)


def defined(node: ast.stmt) -> tuple[str, ...]:
    """What a statement defines and does not run: nothing where a decorator registers it."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return (node.name,) if isinstance(node, ast.ClassDef) or _is_plain(node) else ()
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return tuple(one.id for one in targets if isinstance(one, ast.Name))


def _is_plain(node: ast.FunctionDef) -> bool:
    """Whether its decorators hand it to nobody."""
    plain = {"cache", "lru_cache", "contextmanager", "overload"}
    return all(
        isinstance(one, ast.Name) and one.id in plain
        for one in (getattr(deco, "func", deco) for deco in node.decorator_list)
    )


@cache
def graph() -> dict[Place, frozenset[Place]]:
    """Every place, and the places that it names."""
    edges: defaultdict[Place, set[Place]] = defaultdict(set)
    for module, path in modules().items():
        body = tree(path).body
        names = {one: (module, one) for node in body for one in defined(node)}
        for node in ast.walk(tree(path)):
            names.update(imported(path, module, node))
        for node in body:
            said = set(_named(node, names))
            for one in defined(node) or ("",):
                edges[module, one] |= said | {(module, "")}
        edges[module, ""].discard((module, ""))
        package = module.rpartition(".")[0]
        if package in modules():
            edges[module, ""].add((package, ""))
    return {one: frozenset(said) for one, said in edges.items()}


def _named(node: ast.AST, names: dict[str, Place]) -> Iterator[Place]:
    for part in ast.walk(node):
        if isinstance(part, ast.ImportFrom | ast.Import):
            continue
        if isinstance(part, ast.Name) and part.id in names:
            yield names[part.id]
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            module, name = names.get(part.value.id, ("", ""))
            if module and not name:
                yield module, part.attr


def reached(edges: dict[Place, frozenset[Place]], roots: set[Place]) -> set[Place]:
    found, todo = set[Place](), list(roots)
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += edges.get(one, ())
    return found


def unread(edges: dict[Place, frozenset[Place]]) -> list[str]:
    """Public functions of readers that nothing asks for."""
    paths = modules().items()
    roots = {one for one in edges if modules()[one[0]].as_posix().startswith(ASKING)}
    roots |= {(module, "") for module, path in paths if path.as_posix() in STARTED}
    found = reached(edges, roots)
    return sorted(
        f"{path}:{node.lineno}: {node.name}"
        for module, path in paths
        if path.as_posix().startswith(READERS)
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef)
        if not node.name.startswith("_") and (module, node.name) not in found
    )


def test_every_reader_is_asked_for() -> None:
    assert not unread(graph()), "no stage, check or command reads this: use it, or delete it"


def test_a_reader_that_only_tests_ask_for_is_found() -> None:
    edges, lost = graph(), 0
    for reader in (
        ("validation.parse.loads.iperf3", "flow"),
        ("validation.parse.loads.fio", "run"),
    ):
        assert reader in edges
        left = {one: said - {reader} for one, said in edges.items()}
        lost += any(line.endswith(f": {reader[1]}") for line in unread(left))
    assert lost == 2
