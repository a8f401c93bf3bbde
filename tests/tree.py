"""The files of this clone as git sees them, and what their Python imports; for tests of it."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("inventory", "switch_configs", "validation", "deploy")
PACKAGES = (*ROOMS, "roles")


@cache
def files() -> tuple[Path, ...]:
    """Every file that is tracked or could be: relative to the root, sorted."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = (Path(name) for name in listed.split("\0") if name)
    return tuple(sorted(path for path in paths if (ROOT / path).is_file()))


def python_files(*rooms: str) -> list[Path]:
    """The Python files of these rooms."""
    return [path for path in files() if path.suffix == ".py" and path.parts[0] in rooms]


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of one file."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of a file's syntax tree that imports, calls or defines something."""
    told = (ast.Import, ast.ImportFrom, ast.Call, ast.FunctionDef, ast.AsyncFunctionDef)
    return tuple(node for node in ast.walk(tree(path)) if isinstance(node, told))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of all that a file imports, late imports too."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(path, node)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def _base(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folder = path.parts[: len(path.parts) - node.level]
    return ".".join((*folder, *([node.module] if node.module else [])))
