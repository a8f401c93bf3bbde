"""Who uses whom: symbols of all files as a graph, read backwards from what changed.

Where Python finds a module only as it runs, the rules below say what it may find.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from heapq import heapify, heappop, heappush
from pathlib import PurePosixPath

from .source import BODY, Source, Symbol, module_of, read

# A symbol of a file; ("file", BODY) is what runs whenever anything of the file is imported.
Node = tuple[str, str]

# File -> files that it imports, or has others load, by a name that it makes up.
DYNAMIC = {
    "switch_configs/__init__.py": (
        "switch_configs/*/dialect.py",
        "switch_configs/*/__init__.py",
    ),
    "validation/ladder.py": ("validation/stages/*/*.py",),
    "validation/run.py": ("validation/stages/*/*.py",),
    "validation/audit/rules/__init__.py": ("validation/audit/rules/*.py",),
    "deploy/loads/loading.py": ("deploy/loads/s*_run.py",),
    "switch_configs/grammar/__init__.py": ("switch_configs/*/grammar/proof.py",),
    "deploy/nodes.py": ("roles/*/deploy.py",),
    "deploy/servers/pyinfra_run.py": ("deploy/nodes.py", "inventory/pyinfra_source.py"),
    "deploy/servers/ansible_run.py": ("inventory/ansible_source.py", "roles/plugins/*"),
    "deploy/lab/supervisor.py": ("deploy/lab/__main__.py",),
}
_COMMANDS = "deploy/commands/"
_LAUNCHERS = {"railbed", "./railbed", "deploy"}
# In the text of a program that a test has another Python run.
_IMPORT = re.compile(r"from ([\w.]+) import (\w+)")
_ASKING = ("import_module", "run_module", "run_path", "find_spec", "iter_modules")


class Graph:
    """The symbols of a tree of files, `texts` by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        python = [path for path in texts if path.endswith(".py")]
        self.sources = {path: read(path, texts[path]) for path in python}
        self._modules = {module_of(path): path for path in python}
        self.users: dict[Node, set[Node]] = defaultdict(set)
        for source in self.sources.values():
            self._add(source)

    def symbols(self, path: str) -> list[Node]:
        """All symbols of a file."""
        source = self.sources.get(path)
        return [(path, name) for name in source.symbols] if source else []

    def reached(self, start: Mapping[Node, int]) -> dict[Node, int]:
        """Every symbol that uses one of these, over however many others; with the distance."""
        far: dict[Node, int] = {}
        todo = [(distance, node) for node, distance in start.items()]
        heapify(todo)
        while todo:
            distance, node = heappop(todo)
            if node not in far:
                far[node] = distance
                for user in self.users.get(node, ()):
                    if user not in far:
                        heappush(todo, (distance + 1, user))
        return far

    def saying(self, word: str) -> list[Node]:
        """The symbols with this word, whole or as a part of a path."""
        return self._words.get(word, [])

    @cached_property
    def _words(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = defaultdict(list)
        for path, source in self.sources.items():
            for symbol in source.symbols.values():
                for word in {one for said in symbol.words for one in _parts(said)}:
                    found[word].append((path, symbol.name))
        return found

    @cached_property
    def _commands(self) -> dict[str, list[Node]]:
        """The command line's verbs, by the word that calls them."""
        found: dict[str, list[Node]] = defaultdict(list)
        for path, source in self.sources.items():
            if not path.startswith(_COMMANDS):
                continue
            for symbol in source.symbols.values():
                for word in symbol.commands:
                    found[word].append((path, symbol.name))
            for used in self._used(source, source.symbols[BODY].uses):
                if used[0].startswith(_COMMANDS) and used[1] != BODY:
                    found[used[1].replace("_", "-")].append(used)
        return found

    @cached_property
    def _speaking(self) -> set[str]:
        """The files of tests that call the command line, or import one that does."""
        importers: dict[str, set[str]] = defaultdict(set)
        found = set()
        for path, source in self.sources.items():
            if not path.startswith("tests/"):
                continue
            targets = set(source.imports.values())
            for target in targets:
                for module in (target, target.rpartition(".")[0]):
                    if module in self._modules:
                        importers[self._modules[module]].add(path)
            says = {word for symbol in source.symbols.values() for word in symbol.words}
            if any(one.startswith("deploy.commands.main") for one in targets) or says & _LAUNCHERS:
                found.add(path)
        todo = list(found)
        while todo:
            more = importers[todo.pop()] - found
            found |= more
            todo += more
        return found

    def _add(self, source: Source) -> None:
        path = source.path
        for symbol in source.symbols.values():
            here = (path, symbol.name)
            if symbol.name != BODY:
                self.users[(path, BODY)].add(here)
            for used in self._used(source, symbol.uses):
                # What the command line registers is used by who says its verb.
                registers = path.startswith(_COMMANDS) and used[0].startswith(_COMMANDS)
                if not (here[1] == BODY and registers):
                    self.users[used].add(here)
            if path.startswith("tests/"):
                for used in self._asked(source, symbol):
                    self.users[used].add(here)
            if any(use[-1] in _ASKING for use in symbol.uses) or path in DYNAMIC:
                for used in self._dynamic(path):
                    self.users[used].add(here)

    def _used(self, source: Source, chains: Iterable[tuple[str, ...]]) -> Iterator[Node]:
        for chain in chains:
            if chain[0] in source.symbols:
                yield source.path, chain[0]
            elif chain[0] in source.imports:
                yield from self._resolve([*source.imports[chain[0]].split("."), *chain[1:]])
            else:
                for star in source.stars:
                    yield from self._resolve([*star.split("."), *chain])

    def _resolve(self, parts: list[str], depth: int = 0) -> Iterator[Node]:
        """What a dotted name stands for in this tree; nothing for others' modules."""
        for length in range(len(parts), 0, -1):
            path = self._modules.get(".".join(parts[:length]))
            if path is None:
                continue
            rest, source = parts[length:], self.sources[path]
            if not rest:
                yield from self.symbols(path)
            elif rest[0] in source.symbols:
                yield path, rest[0]
            elif rest[0] in source.imports and depth < 10:
                yield path, BODY
                target = [*source.imports[rest[0]].split("."), *rest[1:]]
                yield from self._resolve(target, depth + 1)
            else:
                yield path, BODY
            return

    def _asked(self, source: Source, symbol: Symbol) -> Iterator[Node]:
        """Fixtures by name, verbs of the command line, and files that a test runs by their path."""
        asked = symbol.arguments | symbol.words
        for path in (*_conftests(source.path), source.path):
            for other in self.sources[path].symbols.values() if path in self.sources else ():
                if other.is_autouse or (other.is_fixture and other.name in asked):
                    yield path, other.name
        is_speaking = source.path in self._speaking
        for said in symbol.words:
            verbs = said.split() if "railbed " in said else [said]
            for word in verbs if is_speaking else ():
                yield from self._commands.get(word, ())
            for module, name in _IMPORT.findall(said) if "import" in said else ():
                yield from self._resolve([*module.split("."), name])
            for word in {said, *said.split()}:
                if word in self.sources:
                    yield from self.symbols(word)
                elif word in self._modules and "." in word:
                    yield from self.symbols(self._modules[word])

    def _dynamic(self, path: str) -> Iterator[Node]:
        folder = str(PurePosixPath(path).parent)
        patterns = DYNAMIC.get(path)
        for other in self.sources:
            if patterns is None:
                is_found = other.startswith(f"{folder}/")
            else:
                is_found = any(_matches(other, one) for one in patterns)
            if is_found and other != path:
                yield from self.symbols(other)


def _matches(path: str, pattern: str) -> bool:
    """Whether a path is of a pattern, of which a star stands for no folder."""
    return path.count("/") == pattern.count("/") and fnmatchcase(path, pattern)


def _conftests(path: str) -> list[str]:
    return [str(folder / "conftest.py") for folder in PurePosixPath(path).parents]


def _parts(said: str) -> set[str]:
    """A text's words, and of a path also its parts and its file's name without an ending."""
    words = set(said.split()) | {said}
    parts = {part for word in words for part in word.split("/")}
    stems = {part.partition(".")[0] for part in parts if "." in part}
    return {one.strip("'\"(),;:{}") for one in words | parts | stems if len(one) > 1}
