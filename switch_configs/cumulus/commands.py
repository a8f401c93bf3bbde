"""The same configuration as `nv set` commands, for people and for `nv config patch FILE`.

Source: NVIDIA Cumulus Linux 5.14, NVUE CLI ("Replace and Patch a Pending Configuration").
"""

from __future__ import annotations

import re

from .parse import configuration
from .tree import paths

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+=,-]+")


def as_commands(yaml_text: str) -> str:
    """One `nv set` line for each leaf of a startup.yaml, in its order."""
    _, tree = configuration(yaml_text)
    lines = []
    for path, value in paths(tree):
        words = [*path, *(() if value is None else (value,))]
        lines.append(" ".join(("nv set", *map(quoted, words))))
    return "".join(f"{line}\n" for line in lines)


def quoted(word: str) -> str:
    """A word as the shell and NVUE's own reader of such files take it."""
    return word if _PLAIN.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
