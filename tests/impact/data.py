"""Who reads the files that are no Python: the rules, and what no rule knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from .graph import Graph, Node
from .source import BODY

# Every test may depend on these.
EVERYTHING = (
    *("pyproject.toml", "requirements.lock", "railbed", "ansible.cfg"),
    *("tests/conftest.py", "tests/__init__.py", "tests/plugins/*", "tests/tree.py"),
)
# Only people read these; that they are in order is a test of its own.
PAPER = ("*.md", "LICENSE", ".pictures/*", ".editorconfig", ".pre-commit-config.yaml",
         ".ansible-lint", ".yamllint", ".shellcheckrc", ".gitignore",
         "tests/impact/seconds.csv")  # fmt: skip
_LOADERS = {"FileSystemLoader", "PackageLoader"}
# Whoever reads all roles, profiles or versions is touched by one of them, but from afar.
_FAR = 10


def touches_everything(path: str) -> bool:
    """Whether a file is one of those that every test may depend on."""
    return any(fnmatchcase(path, one) for one in EVERYTHING)


def is_paper(path: str) -> bool:
    """Whether no program reads a file."""
    return any(fnmatchcase(path, one) for one in PAPER)


def readers(graph: Graph, path: str) -> dict[Node, int]:
    """The symbols that read a file, with a distance; none: nobody is known."""
    found: dict[Node, int] = {}
    for node, distance in _readers(graph, path):
        found[node] = min(distance, found.get(node, distance))
    return found


def _readers(graph: Graph, path: str) -> Iterator[tuple[Node, int]]:
    parts = PurePosixPath(path).parts
    if parts[0] == "tests":
        yield from _of_tests(graph, path)
    elif parts[0] == "roles" and len(parts) > 2:
        yield from _of_role(graph, parts[1], path)
    elif path.startswith("inventory/sites/") and len(parts) > 3:
        yield from _of_site(graph, parts[2])
    elif parts[:2] in {("inventory", "profiles"), ("inventory", "versions")}:
        yield from _of_profile(graph, path)
    else:
        yield from _of_room(graph, path)


def _of_tests(graph: Graph, path: str) -> Iterator[tuple[Node, int]]:
    """Tests that say the file's name, or from a little farther that of a folder it lies in."""
    parts = PurePosixPath(path).parts[1:]
    names = [parts[-1], PurePosixPath(path).stem, *reversed(parts[:-1])]
    for distance, name in enumerate(names):
        for node in graph.saying(name):
            if node[0].startswith("tests/") and not node[0].startswith("tests/impact/"):
                yield node, distance


def _of_role(graph: Graph, role: str, path: str) -> Iterator[tuple[Node, int]]:
    yield from ((node, 0) for node in graph.symbols(f"roles/{role}/deploy.py"))
    for node in graph.saying(PurePosixPath(path).name):
        if node[0].startswith("tests/"):
            yield node, 0
    for node in graph.saying(role):
        if node[0].startswith("tests/") and not node[0].startswith("tests/impact/"):
            yield node, 1
    for file in ("validation/manifest/contract.py", "roles/pyinfra_role.py"):
        yield from ((node, _FAR) for node in graph.symbols(file) if node[1] != BODY)


def _of_site(graph: Graph, site: str) -> Iterator[tuple[Node, int]]:
    for node in graph.saying(site):
        if not node[0].startswith("tests/impact/"):
            yield node, 0
    yield ("inventory/load/site.py", "SITES"), 0


def _of_profile(graph: Graph, path: str) -> Iterator[tuple[Node, int]]:
    """Who says its name, and who reads a site or another data file that does."""
    name = PurePosixPath(path).stem
    yield from ((node, 0) for node in graph.saying(name))
    said = re.compile(rf"\b{re.escape(name)}\b")
    for other, text in graph.texts.items():
        if other.endswith((".yml", ".yml.patch")) and other != path and said.search(text):
            if other.startswith("inventory/sites/"):
                yield from ((node, 1) for node, _ in _of_site(graph, other.split("/")[2]))
            elif other.startswith("tests/"):
                yield from ((node, 1 + far) for node, far in _of_tests(graph, other))
    yield from ((node, _FAR) for node in graph.symbols("inventory/load/site.py") if node[1] != BODY)


def _of_room(graph: Graph, path: str) -> Iterator[tuple[Node, int]]:
    """Who loads templates from the folder, or says the name, or else all of the folder."""
    name = PurePosixPath(path)
    saying = [node for node in graph.saying(name.name) if node[0].split("/")[0] in
              {name.parts[0], "tests"}]  # fmt: skip
    yield from ((node, 0) for node in saying)
    for folder in name.parents:
        inside = [one for one in graph.sources if PurePosixPath(one).parent == folder]
        if not inside or folder == PurePosixPath():
            continue
        loading = list(_loading(graph, inside))
        if path.endswith(".j2") and loading:
            yield from ((node, 0) for node in loading)
        elif not saying:
            yield from ((node, 1) for one in inside for node in graph.symbols(one))
        return


def _loading(graph: Graph, files: list[str]) -> Iterator[Node]:
    for file in files:
        for symbol in graph.sources[file].symbols.values():
            if any(use[-1] in _LOADERS for use in symbol.uses):
                yield file, symbol.name
