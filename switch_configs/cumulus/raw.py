"""A site's own lines: YAML that hangs below the name of its section, merged into the tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from inventory.plan import RawStanza
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, RawTree, SwitchIntent

from .kept import touched
from .parse import configuration
from .tree import Listed, Tree, emit

SECTIONS = ("acl", "bridge", "interface", "mlag", "qos", "router", "service", "system", "vrf")


def section_of(intent: SwitchIntent | OobIntent) -> Callable[[str], str]:
    """By what the tree begins with: a section is such a branch."""
    del intent
    return lambda top: top if top in SECTIONS else ""


def lines(section: str, tree: Tree) -> tuple[str, ...]:
    """What hangs below a section."""
    return tuple(emit({key: _leaf(value) for key, value in tree[section].items()}))


def _leaf(value: Any) -> Any:
    """A part of a tree as it is printed: its whole numbers as numbers, its lists as lists."""
    if isinstance(value, dict):
        return {key: _leaf(one) for key, one in value.items()}
    if isinstance(value, list):
        return Listed(",".join(value))
    return int(value) if re.fullmatch(r"0|[1-9][0-9]*", value) else value


def add_raw(device: str, stanzas: tuple[RawStanza, ...], tree: Tree) -> None:
    """Puts the stanzas in; `DialectError` for what is no tree or says otherwise than we do."""
    for stanza in stanzas:
        if stanza.section not in SECTIONS:
            raise DialectError(
                f"{device}: dialect cumulus has no section '{stanza.section}' for raw lines",
                f"there are: {', '.join(SECTIONS)}",
            )
        more = {stanza.section: _tree(device, stanza)}
        if path := touched(more):
            raise DialectError(f"{device}: raw lines say `{' '.join(path)}`, which is not ours")
        _add(device, tree, more, ())


def _tree(device: str, stanza: RawStanza) -> Tree:
    text = "".join(f"    {line}\n" for line in stanza.lines)
    try:
        held = configuration(f"- set:\n   {stanza.section}:\n{text}")[1].get(stanza.section)
    except DialectError as error:
        raise DialectError(f"{device}: raw lines of {stanza.section}: {error.message}") from None
    if not isinstance(held, dict):
        raise DialectError(f"{device}: raw lines of {stanza.section} are no YAML mapping")
    return held


def _add(device: str, tree: Tree, more: Tree, path: tuple[str, ...]) -> None:
    for key, value in more.items():
        at, held = (*path, key), tree.get(key)
        if held is None:
            tree[key] = value
        elif isinstance(held, dict) and isinstance(value, dict):
            _add(device, held, value, at)
        elif str(held) != value:
            raise DialectError(f"{device}: raw lines say `{' '.join(at)}` otherwise than the plan")


RAW_TREE = RawTree(SECTIONS, section_of, lines)
