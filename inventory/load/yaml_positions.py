"""YAML text to plain values that remember their place; every problem of a file at once.

Only what JSON also knows comes out: mappings with text keys, lists, text, numbers,
booleans and nothing. Anchors, merge keys, tags and dates are refused: each would let a
reader and a loader see two different files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from inventory.problems import Problem, shown

from . import yaml_words
from .yaml_nodes import compose

Path = tuple[str | int, ...]
"""Where a value lies in a file: keys and list indices from the root."""

_CORE = "tag:yaml.org,2002:"
_SCALARS = frozenset(f"{_CORE}{kind}" for kind in ("str", "int", "float", "bool", "null"))
_CONSTRUCTOR = YAML(typ="safe", pure=True).constructor
_LEADING_ZERO = re.compile(r"([-+]?)0[0-9_]*[0-9]")
_LONGEST_KEY = 64
_TEMPLATES = ("{{", "{%")
# Tables of profiles and versions, read again with every site, are below; sites with thousands
# of lines, read once, are above and would be kept for nothing.
_MOST_KEPT = 64 * 2**10


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line and a column, both from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Marked:
    """A file as plain values, the places of keys and values, and what was wrong."""

    file: str
    value: object = None
    keys: dict[Path, Place] = field(default_factory=dict)
    values: dict[Path, Place] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def key_place(self, path: Path) -> Place:
        """Where the key stands; for a path the file lacks, where its nearest parent does."""
        return next(_places(path, self.keys, self.values), Place(1, 1))

    def value_place(self, path: Path) -> Place:
        """Where the value stands; for a path the file lacks, where its parent's key does."""
        return self.values.get(path) or self.key_place(path)

    def problem(self, path: Path, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem at a value of this file."""
        place = self.value_place(path)
        return Problem(self.file, place.line, place.column, dotted(path), found, expected, hint)

    def key_problem(self, path: Path, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem at a key of this file."""
        place = self.key_place(path)
        return Problem(self.file, place.line, place.column, dotted(path), found, expected, hint)


def _places(path: Path, keys: dict[Path, Place], values: dict[Path, Place]) -> Iterator[Place]:
    """The places of a path and of its parents, from the inside; an entry of a list has no key."""
    for end in range(len(path), 0, -1):
        places = values if isinstance(path[end - 1], int) else keys
        if path[:end] in places:
            yield places[path[:end]]


def dotted(path: Path) -> str:
    """Return a path as people write it: `compute.pools.rails`, `rails[1].port`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{_plain_key(part)}"
    return text.removeprefix(".")


def _plain_key(key: str) -> str:
    return key if key.isprintable() and len(key) <= _LONGEST_KEY else shown(key)


def parse(text: str, file: str) -> Marked:
    """Read one YAML document. Never raises for anything a file can contain.

    Half of the time of a small site goes into it, so texts seen lately are remembered; what
    comes out is the caller's own.
    """
    kept = _remembered(text) if len(text) <= _MOST_KEPT else None
    if kept is None or kept.problems:
        # A problem names its file.
        return _parsed(text, file)
    return Marked(file, _copy(kept.value), dict(kept.keys), dict(kept.values))


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return {key: _copy(one) for key, one in value.items()}
    return [_copy(one) for one in value] if isinstance(value, list) else value


def _parsed(text: str, file: str) -> Marked:
    marked = Marked(file)
    odd = yaml_words.no_break_space(text)
    if odd is not None:
        marked.problems.append(_problem(odd, file))
        return marked
    try:
        root = compose(text)
    except ReaderError as error:
        place = place_of(text, error.position)
        found = f"the character U+{error.character:04X}"
        marked.problems.append(Problem(file, place.line, place.column, "", found, "printable text"))
    except MarkedYAMLError as error:
        marked.problems.append(_problem(yaml_words.syntax(error, text), file))
    except (YAMLError, ValueError, RecursionError, AssertionError, IndexError) as error:
        found = "lists in lists without end" if isinstance(error, RecursionError) else "broken YAML"
        marked.problems.append(Problem(file, 1, 1, "", found, "a YAML document"))
    else:
        if root is not None:
            marked.value = _value(root, (), marked, set())
    return marked


@lru_cache(maxsize=64)
def _remembered(text: str) -> Marked:
    return _parsed(text, "")


def place_of(text: str, offset: int) -> Place:
    """Return the place of a character offset."""
    before = text[:offset]
    return Place(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def _place(node: Node) -> Place:
    return Place(node.start_mark.line + 1, node.start_mark.column + 1)


def _problem(wrong: yaml_words.Wrong, file: str) -> Problem:
    return Problem(file, wrong.line, wrong.column, "", wrong.found, wrong.expected, wrong.hint)


def _value(node: Node, path: Path, marked: Marked, seen: set[int]) -> object:
    if not (isinstance(node, ScalarNode) and node.value == ""):
        # An empty value has no place of its own: ruamel.yaml gives that of the next token.
        marked.values[path] = _place(node)
    if id(node) in seen or getattr(node, "anchor", None):
        marked.problems.append(
            marked.problem(path, "an anchor or alias", "the value itself", "write it out")
        )
        return None
    seen.add(id(node))
    if isinstance(node, MappingNode):
        return _mapping(node, path, marked, seen)
    if isinstance(node, SequenceNode):
        return [_value(one, (*path, at), marked, seen) for at, one in enumerate(node.value)]
    return _scalar(node, path, marked)


def _mapping(node: MappingNode, path: Path, marked: Marked, seen: set[int]) -> dict[str, object]:
    out: dict[str, object] = {}
    for key_node, value_node in node.value:
        key = _key(key_node, path, marked)
        if key is None:
            continue
        here = (*path, key)
        if key in out:
            first = marked.keys[here]
            place = _place(key_node)
            marked.problems.append(
                Problem(
                    marked.file,
                    place.line,
                    place.column,
                    dotted(here),
                    "the key a second time",
                    "each key once",
                    f"it is already on line {first.line}",
                )
            )
            continue
        marked.keys[here] = _place(key_node)
        out[key] = _value(value_node, here, marked, seen)
    return out


def _key(node: Node, path: Path, marked: Marked) -> str | None:
    place = _place(node)

    def refuse(found: str, expected: str, hint: str = "") -> None:
        at = dotted(path)
        marked.problems.append(
            Problem(marked.file, place.line, place.column, at, found, expected, hint)
        )

    if not isinstance(node, ScalarNode) or node.tag != "tag:yaml.org,2002:str":
        kind = "the merge key `<<`" if str(node.tag).endswith(":merge") else "a key that is no text"
        refuse(kind, "a name as key")
        return None
    if any(mark in node.value for mark in _TEMPLATES):
        refuse("a template in a key", "plain text", "Ansible would run it as a template")
        return None
    return str(node.value)


def _scalar(node: Node, path: Path, marked: Marked) -> object:
    tag = str(node.tag)
    if tag not in _SCALARS:
        kind = (
            "a date" if tag.endswith(":timestamp") else f"the tag {shown(tag.replace(_CORE, '!!'))}"
        )
        marked.problems.append(marked.problem(path, kind, "text or a number", "quote it"))
        return None
    if tag.endswith(":str"):
        return _text(str(node.value), path, marked)
    if tag.endswith(":int") and (zero := _LEADING_ZERO.fullmatch(str(node.value))):
        plain = zero[1] + str(node.value).lstrip("+-0_")
        hint = (
            f"write {plain if plain.strip('+-') else '0'}; other readers of YAML take it as octal"
        )
        found = shown(str(node.value))
        marked.problems.append(marked.problem(path, found, "a number without leading zeros", hint))
        return None
    try:
        # Not `construct_object`: that one keeps every node it has seen.
        return _CONSTRUCTOR.yaml_constructors[tag](_CONSTRUCTOR, node)
    except (ValueError, YAMLError, KeyError, IndexError):
        kind = tag.rpartition(":")[2]
        marked.problems.append(marked.problem(path, f"a broken {kind}", "text or a number"))
        return None


def _text(text: str, path: Path, marked: Marked) -> str | None:
    if any(mark in text for mark in _TEMPLATES):
        found, hint = "a template", "Ansible would run `{{` and `{%` as a template"
        marked.problems.append(marked.problem(path, found, "plain text", hint))
        return None
    return text
