"""What one Python file says: its symbols, and the names and words that each of them uses."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

BODY = "<body>"
_MAX_WORD = 2000


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function, class or variable of a module; BODY is what runs when it is imported."""

    name: str
    digest: str
    uses: frozenset[tuple[str, ...]]
    words: frozenset[str]
    arguments: frozenset[str]
    commands: frozenset[str]
    line: int
    is_autouse: bool = False
    is_fixture: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its symbols by name, and what the names that it imports stand for."""

    path: str
    symbols: dict[str, Symbol]
    imports: dict[str, str]
    stars: tuple[str, ...]
    is_readable: bool = True


def module_of(path: str) -> str:
    """The dotted name of a file."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@lru_cache(maxsize=20_000)
def read(path: str, text: str) -> Source:
    """Read one file; one that is no Python has no symbols, and touches everything."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return Source(path, {}, {}, (), is_readable=False)
    imports, stars = _imports(path, tree)
    nodes: dict[str, list[ast.stmt]] = {BODY: []}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for name in _names(node) or [BODY]:
            nodes.setdefault(name, []).append(node)
    symbols = {name: _symbol(name, found, imports) for name, found in nodes.items()}
    return Source(path, symbols, imports, stars)


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        targets = [leaf for one in node.targets for leaf in ast.walk(one)]
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.If | ast.Try | ast.With | ast.For):
        return [name for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)
                for name in _names(one)]  # fmt: skip
    else:
        return []
    return [one.id for one in targets if isinstance(one, ast.Name)]


def _symbol(name: str, nodes: list[ast.stmt], imports: dict[str, str]) -> Symbol:
    uses, words, arguments = set(), set(), set()
    for one in (leaf for node in nodes for leaf in ast.walk(node)):
        if isinstance(one, ast.Attribute | ast.Name) and (chain := _chain(one)):
            uses.add(chain)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            words.add(one.value[:_MAX_WORD])
        elif isinstance(one, ast.arg):
            arguments.add(one.arg)
    meant = sorted(f"{one}={imports[one]}" for one in {use[0] for use in uses} if one in imports)
    said = "\n".join([*(ast.dump(node) for node in nodes), *meant])
    fixtures = [one for node in nodes for one in _decorators(node)
                if "fixture" in _chain_of_call(one)]  # fmt: skip
    return Symbol(
        name,
        hashlib.sha256(said.encode()).hexdigest()[:16],
        frozenset(uses),
        frozenset(words),
        frozenset(arguments),
        frozenset(one for node in nodes for one in _verbs(node)),
        min((node.lineno for node in nodes), default=1),
        is_autouse=any("autouse=True" in ast.unparse(one) for one in fixtures),
        is_fixture=bool(fixtures),
    )


def _verbs(node: ast.stmt) -> Iterator[str]:
    """The words that call a function of the command line (typer)."""
    for one in _decorators(node):
        if _chain_of_call(one)[-1:] == ("command",) and isinstance(one, ast.Call):
            named = [arg.value for arg in one.args if isinstance(arg, ast.Constant)]
            yield str(named[0]) if named else getattr(node, "name", "").replace("_", "-")


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


def _chain_of_call(node: ast.expr) -> tuple[str, ...]:
    return _chain(node.func if isinstance(node, ast.Call) else node)


def _chain(node: ast.AST) -> tuple[str, ...]:
    """("a", "b") of a.b; empty where it does not begin with a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def _imports(path: str, tree: ast.Module) -> tuple[dict[str, str], tuple[str, ...]]:
    """Each imported name with what it stands for, late imports too; and star imports."""
    found: dict[str, str] = {}
    stars = []
    for name, target in _imported(path, tree):
        if name == "*":
            stars.append(target)
        else:
            found[name] = target
    return found, tuple(stars)


def _imported(path: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                top = one.name.partition(".")[0]
                yield (one.asname, one.name) if one.asname else (top, top)
        elif isinstance(node, ast.ImportFrom):
            base = _base(path, node)
            for one in node.names:
                if one.name == "*":
                    yield "*", base
                else:
                    yield one.asname or one.name, f"{base}.{one.name}"


def _base(path: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = PurePosixPath(path).parts
    folder = parts[: len(parts) - node.level]
    return ".".join((*folder, *([node.module] if node.module else [])))
