"""startup.yaml read into the same commands that `nv set` would say, with the line of each.

Shape: CumulusNetworks/docs, content/cumulus-linux-514/System-Configuration/
NVIDIA-User-Experience-NVUE/NVUE-CLI.md. The words are taken as they stand: YAML 1.1 would make
true of `on`, and NVUE wants `on`. NVUE writes no anchor, alias or tag, so none is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from switch_configs.grammar.tree import GrammarProblem

from . import plain as nvue_plain
from .plain import LISTS
from .tree import Command, masked

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH = 40
NULLS = {"", "~", "null", "Null", "NULL"}
HEADER = {"model", "nvue-api-version", "rev-id", "version"}


@dataclass(slots=True)
class Item:
    """One thing of the file: a scalar (`text`), a mapping (`pairs`) or a list (`items`)."""

    line: int
    text: str | None = None
    pairs: list[tuple[Item, Item]] | None = None
    items: list[Item] | None = None
    quoted: bool = False
    key: Item | None = field(default=None, repr=False)


class Unreadable(Exception):
    """The text is no YAML that NVUE could have written."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line, self.why = line, why


def item_of(event: yaml.Event) -> Item | None:
    """What an event opens or is; None where one ends. Raises Unreadable."""
    line = event.start_mark.line + 1 if event.start_mark else 1
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise Unreadable(line, "anchors and aliases are no words of NVUE: say it out in full")
    if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None):
        raise Unreadable(line, "a tag (!) is no word of NVUE")
    if isinstance(event, yaml.ScalarEvent):
        return Item(line, text=str(event.value), quoted=bool(event.style))
    if isinstance(event, yaml.MappingStartEvent):
        return Item(line, pairs=[])
    return Item(line, items=[]) if isinstance(event, yaml.SequenceStartEvent) else None


def put(parent: Item, child: Item) -> None:
    """Put a thing into its mapping or list; a mapping gets its keys and values by turns."""
    if parent.items is not None:
        parent.items.append(child)
    elif parent.key is None:
        parent.key = child
    else:
        assert_pairs(parent).append((parent.key, child))
        parent.key = None


def assert_pairs(item: Item) -> list[tuple[Item, Item]]:
    """The pairs of a mapping; a scalar holds nothing, so it never gets here."""
    return item.pairs if item.pairs is not None else []


def read(text: str) -> Item:
    """The whole file as one thing. Raises Unreadable; never recurses."""
    documents: list[Item] = []
    stack: list[Item] = []
    for event in events(text):
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            stack.pop()
            continue
        item = item_of(event)
        if item is None:
            continue
        if stack:
            put(stack[-1], item)
        else:
            documents.append(item)
        if item.text is None:
            stack.append(item)
        if len(stack) > MAX_DEPTH:
            raise Unreadable(item.line, f"nested deeper than {MAX_DEPTH} levels")
    if len(documents) != 1:
        raise Unreadable(1, f"one YAML document is wanted, here are {len(documents)}")
    return documents[0]


def events(text: str) -> Iterator[yaml.Event]:
    """The events of a text. Raises Unreadable where it is no YAML."""
    try:
        yield from yaml.parse(text, Loader=LOADER)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        why = str(getattr(problem, "problem", None) or getattr(problem, "reason", "not YAML"))
        raise Unreadable(mark.line + 1 if mark else 1, f"no YAML: {why}") from None
    except (ValueError, OverflowError, RecursionError) as problem:
        raise Unreadable(1, f"no YAML: {type(problem).__name__}") from None


@dataclass(slots=True)
class Tree:
    """The commands of a file, what is wrong with its shape, and the release its header names."""

    commands: list[Command] = field(default_factory=list)
    version: str = ""
    problems: list[GrammarProblem] = field(default_factory=list)


def tree_of(text: str) -> Tree:
    """The commands of startup.yaml; never raises."""
    plain = nvue_plain.commands_of(text)
    return whole(text) if plain is None else Tree(*plain)


def whole(text: str) -> Tree:
    """The same by a whole YAML reader, which also says what is wrong; never raises."""
    tree = Tree()
    try:
        top = read(text)
    except Unreadable as problem:
        tree.problems.append(GrammarProblem(problem.line, "", problem.why))
        return tree
    if not top.items:
        tree.problems.append(GrammarProblem(1, "", "startup.yaml is a list: `- header`, `- set`"))
    for number, entry in enumerate(top.items or []):
        section(tree, number, entry)
    if top.items and not tree.commands and not tree.problems:
        tree.problems.append(GrammarProblem(1, "", "there is nothing under `- set`"))
    return tree


def section(tree: Tree, number: int, entry: Item) -> None:
    """One entry of the list: a header first, or a `set` tree."""
    name = entry.pairs[0][0].text if entry.pairs and len(entry.pairs) == 1 else None
    if name == "set" and entry.pairs:
        value = entry.pairs[0][1]
        if value.pairs is None:
            tree.problems.append(GrammarProblem(entry.line, "set", "`set` holds a tree of objects"))
        else:
            flatten(tree, (), value)
    elif name == "header" and number == 0 and entry.pairs:
        header(tree, entry.pairs[0][1])
    else:
        why = "an entry is `header` (the first) or `set`, nothing else"
        tree.problems.append(GrammarProblem(entry.line, name or "", why))


def header(tree: Tree, value: Item) -> None:
    """The header: a few words about the file, of which the version is judged."""
    for key, item in value.pairs or []:
        if key.text not in HEADER or item.text is None:
            why = f"a header says {', '.join(sorted(HEADER))}, each with one value"
            tree.problems.append(GrammarProblem(key.line, str(key.text), why))
        elif key.text == "version":
            tree.version = item.text


def flatten(tree: Tree, path: tuple[str, ...], mapping: Item) -> None:
    """Every leaf and every empty object below a mapping; as deep as `read` lets it be."""
    seen: set[str] = set()
    for key, value in mapping.pairs or []:
        if key.text is None:
            tree.problems.append(GrammarProblem(key.line, said(path), "a key must be one word"))
            continue
        words = (*path, key.text)
        if key.text in seen:
            tree.problems.append(GrammarProblem(key.line, said(words), "said twice"))
            continue
        seen.add(key.text)
        if value.pairs:
            flatten(tree, words, value)
        else:
            one(tree, key.line, words, value)


def one(tree: Tree, line: int, words: tuple[str, ...], value: Item) -> None:
    """A leaf or an empty object."""
    if value.pairs is not None:
        tree.commands.append(Command(line, words, leaf=False))
    elif words in LISTS:
        ordered(tree, line, words, value)
    elif value.text is None:
        why = "a list stands here, and NVUE has objects: `name: {}`"
        tree.problems.append(GrammarProblem(line, said(words), why))
    elif value.text in NULLS and not value.quoted:
        why = "nothing stands here: an object with nothing below it is `{}`"
        tree.problems.append(GrammarProblem(line, said(words), why))
    else:
        tree.commands.append(Command(line, (*words, value.text), leaf=True))


def ordered(tree: Tree, line: int, words: tuple[str, ...], value: Item) -> None:
    """A list whose order counts; `nv set` says it with commas."""
    texts = [item.text for item in value.items or [] if item.text]
    if not texts or len(texts) != len(value.items or []):
        why = "a list of words must stand here: `[tacacs, local]`"
        tree.problems.append(GrammarProblem(line, said(words), why))
        return
    tree.commands.append(Command(line, (*words, ",".join(texts)), leaf=True))


def said(words: tuple[str, ...]) -> str:
    """A path as a message says it."""
    return " ".join(masked(words))
