"""NVUE's YAML -> its header and its tree, all texts; for what the device holds and for commands."""

from __future__ import annotations

import re
from typing import Any

import yaml

from switch_configs.errors import DialectError

from .tree import Listed, Tree

_BASE = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# NVUE takes and keeps lists and ranges in keys: 10,20,30 or swp1-4 (NVUE CLI, "Command Syntax").
_PIECE = r"(swp\d+s|bond\d+s|swp|bond|vlan|)(\d+)(?:-(\d+))?"
_ONE = re.compile(_PIECE)
_RANGE = re.compile(f"{_PIECE}(?:,{_PIECE})*".replace("(swp", "(?:swp"))

# What the tree begins with, where a store of configurations keeps it without `set` above it.
_TOPS = {
    "acl", "bridge", "evpn", "interface", "maintenance", "mlag", "nve", "platform", "qos",
    "router", "service", "system", "vrf",
}  # fmt: skip


class _Words(_BASE):  # type: ignore[misc, valid-type] # PyYAML's C loader where it is built
    """Keeps `on` and `off` as words: a node's form says what it is, so there is no tag to find."""

    def resolve(self, *_: object) -> str:
        """A tag that nobody reads."""
        return ""

    def descend_resolver(self, *_: object) -> None:
        """Nothing to do."""

    def ascend_resolver(self) -> None:
        """Nothing to do."""


def configuration(text: str) -> tuple[dict[str, str], Tree]:
    """Header and tree; `DialectError` for what is not NVUE's YAML."""
    # NVIDIA's guide shows the header without its dash (NVUE CLI, "Show Switch Configuration").
    text = re.sub(r"\Aheader:", "- header:", text)
    try:
        parts = _plain(yaml.compose(text, Loader=_Words))
    except (yaml.YAMLError, RecursionError) as error:
        raise DialectError(f"not YAML: {str(error).splitlines()[0]}") from None
    return configuration_of(parts)


def configuration_of(parts: Any) -> tuple[dict[str, str], Tree]:
    """The same of what a YAML reader made of a text: mappings and lists of texts."""
    if isinstance(parts, dict) and parts and set(parts) <= _TOPS:
        parts = {"set": parts}
    header: dict[str, str] = {}
    tree: Tree = {}
    for part in parts if isinstance(parts, list) else [parts]:
        if not isinstance(part, dict) or not set(part) <= {"header", "set"}:
            raise DialectError("not what NVUE writes: a list of `header` and `set`")
        said, held = part.get("header") or {}, _expanded(part.get("set") or {})
        if not isinstance(said, dict) or not isinstance(held, dict):
            raise DialectError("not what NVUE writes: words where a tree is")
        header |= said
        merge(tree, held)
    return header, tree


def _plain(one: yaml.Node | None) -> Any:
    """Texts, lists, and mappings whose keys are texts."""
    if isinstance(one, yaml.MappingNode):
        if not all(isinstance(key, yaml.ScalarNode) for key, _ in one.value):
            raise yaml.YAMLError("a key that is no word")
        return {key.value: _plain(value) for key, value in one.value}
    if isinstance(one, yaml.SequenceNode):
        return [_plain(value) for value in one.value]
    return None if one is None else one.value


def merge(tree: Tree, more: Tree) -> None:
    """Puts one tree into another; the later leaf wins."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(tree.get(key), dict):
            merge(tree[key], value)
        else:
            tree[key] = value


def _expanded(value: Any) -> Any:
    if isinstance(value, list):
        if not all(isinstance(one, str) for one in value):
            raise DialectError("not what NVUE writes: a list of more than words")
        return Listed(",".join(value))
    if not isinstance(value, dict):
        return value
    out: Tree = {}
    for key, below in value.items():
        for one in _keys(key):
            merge(out, {one: _expanded(below)})
    return out


def _keys(key: str) -> list[str]:
    if not _RANGE.fullmatch(key) or not ("," in key or "-" in key):
        return [key]
    out = []
    before = ""
    for piece in key.split(","):
        said, first, last = _ONE.fullmatch(piece).groups()  # type: ignore[union-attr]
        stem = before = said or before  # `vlan10,20` is vlan10 and vlan20
        out += [f"{stem}{at}" for at in range(int(first), int(last or first) + 1)]
    return out
