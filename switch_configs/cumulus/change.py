"""From one tree to another: what to unset, what to set, and what that does.

A patch must not set and unset the same object (NVIDIA Cumulus Linux 5.14, NVUE CLI, "Replace and
Patch"), so there are two: the first takes away, the second gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from switch_configs.intent import Impact
from switch_configs.shown.secrets import HELD

from . import impacts
from .tree import Leaf, Tree, emit, paths, put

ENCRYPTED = "$nvsec$"
# Values that NVUE encrypts: what it shows of them tells nothing, so they are no difference.
_NAMED = ("auth-sha", "auth-md5", "encrypt-aes", "encrypt-des")  # the name below is the secret
_SECRET = ("secret", "password", *_NAMED)


@dataclass(frozen=True, slots=True)
class Change:
    """Two patches ("" where there is nothing to do), what the whole does, and what splits cages.

    `breakouts` has to be applied before the rest (Quality of Service, "Configure QoS and Breakout
    Ports Simultaneously").
    """

    unset: str
    breakouts: str
    set: str
    impact: Impact

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.unset or self.set or self.breakouts)


def change(old: Tree, new: Tree) -> Change:
    """The change that makes `old` into `new`; both as `parse` reads them."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    secret = {_plain(path): path for path in before if _hidden(path, before[path])}
    gone = [path for path in before if path not in after and _plain(path) not in _all_plain(after)]
    come = [
        path
        for path, value in after.items()
        if before.get(path, "") != value and _plain(path) not in secret
    ]
    removed = _topmost(gone, new)
    breakouts = [path for path in come if "breakout" in path]
    rest = [path for path in come if "breakout" not in path]
    if rest or removed:  # secrets go along, because the device's cannot be compared
        rest += [path for path in after if _is_secret(path) and path not in rest]
    return Change(
        unset=_patch("unset", [(path, None) for path in removed], null=True),
        breakouts=_patch("set", [(path, after[path]) for path in breakouts]),
        set=_patch("set", [(path, after[path]) for path in rest]),
        impact=impacts.worst([impacts.of_path(path) for path in (*gone, *come)]),
    )


def _leaves(tree: Tree) -> list[Leaf]:
    return list(paths(tree))


def _is_secret(path: tuple[str, ...]) -> bool:
    return any(key in _SECRET for key in path)


def _hidden(path: tuple[str, ...], value: str | None) -> bool:
    texts = (*path, value or "")
    return _is_secret(path) and any(text.startswith((ENCRYPTED, HELD)) for text in texts)


def _plain(path: tuple[str, ...]) -> tuple[str, ...]:
    """A path without the secrets that are keys in it."""
    return tuple("?" if at and path[at - 1] in _NAMED else key for at, key in enumerate(path))


def _all_plain(leaves: dict[tuple[str, ...], str | None]) -> set[tuple[str, ...]]:
    return {_plain(path) for path in leaves if _is_secret(path)}


def _topmost(gone: list[tuple[str, ...]], new: Tree) -> list[tuple[str, ...]]:
    """The highest object that goes as a whole, in place of its leaves; no secret is its name."""
    out: dict[tuple[str, ...], None] = {}
    for path in gone:
        at: Any = new
        for depth, key in enumerate(path, start=1):
            if not isinstance(at, dict) or key not in at:
                named = depth > 1 and path[depth - 2] in _NAMED
                out[path[: depth - 1] if named else path[:depth]] = None
                break
            at = at[key]
    return list(out)


def _patch(word: str, leaves: list[Leaf], *, null: bool = False) -> str:
    if not leaves:
        return ""
    tree: Tree = {}
    for path, value in leaves:
        put(tree, *path, value=value)
    lines = list(emit(tree, 4))
    if null:
        lines = [line.removesuffix(" {}") for line in lines]
    return "\n".join((f"- {word}:", *lines)) + "\n"
