"""What changed, as git tells it: files, and in Python the symbols that mean something else."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from . import data
from .graph import Graph, Node
from .source import BODY, module_of, read

ROOT = Path(__file__).parents[2]
MAIN = "origin/main"


def git(*arguments: str, root: Path = ROOT) -> str:
    """What git prints; CalledProcessError where it refuses."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, errors="replace"
    ).stdout


def base_of(asked: str, root: Path = ROOT) -> str:
    """The commit that a change is measured from.

    Asked for none: where this branch left origin/main, or the last commit where there is no such
    branch. What is not committed counts on top.
    """
    if asked:
        return git("rev-parse", "--verify", "--quiet", f"{asked}^{{commit}}", root=root).strip()
    try:
        return git("merge-base", MAIN, "HEAD", root=root).strip()
    except subprocess.CalledProcessError:
        return git("rev-parse", "HEAD", root=root).strip()


def working_tree(root: Path = ROOT) -> dict[str, str]:
    """Every file that git knows or would take, with its text."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", root=root)
    paths = {name for name in listed.split("\0") if name and (root / name).is_file()}
    return {name: (root / name).read_text(errors="replace") for name in sorted(paths)}


def tree_of(commit: str, root: Path = ROOT) -> dict[str, str]:
    """Every file of a commit, with its text."""
    found = {}
    for entry in git("ls-tree", "-r", "-z", commit, root=root).split("\0"):
        if entry:
            meta, _, path = entry.partition("\t")
            found[path] = _blob(meta.split()[2], root)
    return found


@lru_cache(maxsize=50_000)
def _blob(name: str, root: Path) -> str:
    return git("cat-file", "blob", name, root=root)


def changed_files(base: str, new: Mapping[str, str], root: Path = ROOT) -> dict[str, str]:
    """The files that differ from the commit `base`, with their text there; empty if new."""
    listed = git("diff", "--name-only", "--no-renames", "-z", base, root=root).split("\0")
    known = set(git("ls-tree", "-r", "--name-only", "-z", base, root=root).split("\0"))
    paths = {one for one in listed if one} | (new.keys() - known)
    return {one: _text_at(base, one, root) if one in known else "" for one in sorted(paths)}


def _text_at(commit: str, path: str, root: Path) -> str:
    return git("show", f"{commit}:{path}", root=root)


def touched(graph: Graph, before: Mapping[str, str]) -> tuple[dict[Node, int], str]:
    """The symbols that changed or read what changed; else why every test has to run."""
    start: dict[Node, int] = {}
    for path, text in before.items():
        if data.touches_everything(path):
            return {}, f"{path} touches every test"
        if data.is_paper(path):
            continue
        if path.endswith(".py"):
            if path in graph.sources and not graph.sources[path].is_readable:
                return {}, f"{path} is no Python that can be read"
            nodes = _symbols(graph, path, text)
        else:
            nodes = data.readers(graph, path)
            if not nodes:
                return {}, f"no rule knows who reads {path}"
        for node, distance in nodes.items():
            start[node] = min(distance, start.get(node, distance))
    return start, ""


def _symbols(graph: Graph, path: str, text: str) -> dict[Node, int]:
    """The symbols of a file that are new or mean something else, and who misses lost ones."""
    old = read(path, text).symbols if text else {}
    now = graph.sources[path].symbols if path in graph.sources else {}
    found = {
        (path, name): 0
        for name, symbol in now.items()
        if name not in old or old[name].digest != symbol.digest
    }
    if path.endswith("conftest.py") and any(name.startswith("pytest_") for _, name in found):
        found |= dict.fromkeys(_below(graph, path), 0)
    for lost in old.keys() - now.keys() - {BODY}:
        for node in _missing(graph, f"{module_of(path)}.{lost}"):
            found[node] = 0
    return found


def _below(graph: Graph, conftest: str) -> list[Node]:
    """All of the folder whose tests pytest runs by the hooks of this file."""
    folder = conftest.removesuffix("conftest.py")
    return [node for path in graph.sources if path.startswith(folder)
            for node in graph.symbols(path)]  # fmt: skip


def _missing(graph: Graph, target: str) -> list[Node]:
    """The symbols of files that import what is no longer there."""
    return [
        (path, name)
        for path, source in graph.sources.items()
        if target in source.imports.values()
        for name in source.symbols
    ]
