"""What to type next: every command that a text names, so that it runs for this site and lab.

Rooms below name a command as `railbed VERB ...`, in backticks, and know no selection. Here it
becomes what a person can paste: from the clone's root, with the site and the lab that were asked
for. It is put in where text leaves (console, JSON, report), so that no hint can be without it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_COMMAND = re.compile(r"`(?:\./)?railbed ((?!-)[^`]+)`")
_DEFAULT = "lab"
NEITHER = frozenset(
    {"audit", "demo", "dialects", "init", "profile", "test", "export schema", "lab sweep"}
)
"""Verbs that are for no site that is there already."""
SITE_ALONE = frozenset(
    {"check", "prove", "rehearse", "render", "packages build", "packages refresh", "export"}
)
"""Verbs of a site and no lab of it; their option is `--site`."""
LAB_ALONE = frozenset({"lab down", "lab status", "lab shell", "lab restart"})
"""Verbs of a lab that is up, which knows its own site."""


@dataclass(frozen=True, slots=True)
class Typed:
    """The site and the lab that a command line named."""

    site: str = _DEFAULT
    lab: str = _DEFAULT


_now = Typed()


def remember_site(site: str) -> str:
    """Hold the site that this process was asked for; the callback of each `--site`."""
    global _now  # noqa: PLW0603 - one process is one command line
    _now = Typed(site, _now.lab)
    return site


def remember_lab(lab: str) -> str:
    """Hold the lab that this process was asked for; the callback of each `--lab`."""
    global _now  # noqa: PLW0603
    _now = Typed(_now.site, lab)
    return lab


def as_typed(text: str, chosen: Typed | None = None) -> str:
    """The text with each of its commands as it must be typed for `chosen`, or this process."""
    mine = chosen or _now
    return _COMMAND.sub(lambda found: f"`./railbed {_completed(found[1], mine)}`", text)


def in_all(value: Any, change: Callable[[str], str]) -> Any:
    """The same plain data with each text changed; keys are names, and stay."""
    if type(value) is str:
        return change(value)
    if isinstance(value, Mapping):
        return {key: in_all(one, change) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [in_all(one, change) for one in value]
    return value


def _completed(command: str, mine: Typed) -> str:
    words = command.split()
    verbs = {words[0], " ".join(words[:2])}
    if verbs & NEITHER:
        return command
    options = []
    if not verbs & LAB_ALONE:
        options += _option(words, ("--site",), mine.site, "RAILBED_SITE")
    if not verbs & SITE_ALONE:
        options += _option(words, ("--lab", "--name"), mine.lab, "RAILBED_LAB")
    return " ".join([command, *options])


def _option(words: list[str], names: tuple[str, ...], value: str, variable: str) -> list[str]:
    """The option, where the command would else mean another site or lab than this."""
    is_default = value == os.environ.get(variable, _DEFAULT) == _DEFAULT
    return [] if is_default or set(names) & set(words) else [names[0], shlex.quote(value)]
