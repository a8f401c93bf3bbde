"""A new site: from flags and answers to two files that open."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from deploy.errors import RailbedError
from deploy.files import write_atomically
from inventory import open_site
from inventory.load.site import known_profiles
from inventory.plan import Plan
from inventory.schema import NodeProfile
from inventory.schema.topology import Kind
from inventory.starter import (
    ASBUILT_CSV,
    BusinessWish,
    CannotBuildError,
    Shelf,
    StorageWish,
    Wish,
    nodes_for,
    starter_text,
    usual_planes,
)
from validation.evidence.aside import scratch

Word = TypeVar("Word", StorageWish, BusinessWish)
Ask = Callable[[str, str, tuple[str, ...]], str]
_FILES = ("fabric.yml", "asbuilt.csv")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,61}")
# Sites for tests and labs have profiles too, but nobody builds with them by answering questions.
_NOT_ASKED = ("lab-", "generated-")
_LEAST_GBPS = 400
MOST_GPUS, _MOST_GROWTH = 10_000_000, 64
_QUESTIONS = {
    "--gpus": "How many GPUs are built at first",
    "--node-profile": "Which kind of node",
    "--switch-profile": "Which kind of switch",
    "--storage": "Storage plane",
    "--business": "Switches of the business plane: its own, or those of storage",
    "--growth": "By which factor may it grow later",
}
_USUAL_NODE, _USUAL_SWITCH, _USUAL_GROWTH = "hgx-h100", "sn5600-cumulus", 2.0


@dataclass(frozen=True, slots=True)
class Answers:
    """What the flags said; None where they said nothing."""

    gpus: int | None = None
    nodes: int | None = None
    node_profile: str | None = None
    switch_profile: str | None = None
    dialect: str | None = None
    kind: Kind | None = None
    storage: StorageWish | None = None
    business: BusinessWish | None = None
    oob_switches: bool | None = None
    growth: float | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class NewSite:
    """What was made: the text of `fabric.yml`, its plan, and where it was written."""

    text: str
    plan: Plan
    paths: tuple[Path, ...]


def new_site(folder: Path, answers: Answers, ask: Ask | None, *, dry_run: bool) -> NewSite:
    """Make a site in `folder`, open it, and only then leave it there.

    `ask` puts a question with its usual answer and its choices; None where nobody can answer.
    RailbedError (exit 2) where a file is there already, an answer is missing, or no such site
    can be built.
    """
    from deploy.switches.printable import must_print

    _refuse_to_overwrite(folder)
    shelf = Shelf(*known_profiles(folder))
    try:
        text = starter_text(_wish(folder, answers, shelf, ask), shelf)
    except CannotBuildError as error:
        raise RailbedError(str(error), error.hint) from None
    plan = _opened(folder, text)
    must_print(plan)
    if dry_run:
        return NewSite(text, plan, ())
    paths = tuple(folder / name for name in _FILES)
    for path, content in zip(paths, (text, ASBUILT_CSV), strict=True):
        write_atomically(path, content)
    return NewSite(text, plan, paths)


def _refuse_to_overwrite(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise RailbedError(f"{folder}: found a file, expected a folder", "another name")
    there = [name for name in _FILES if (folder / name).exists()]
    if there:
        found = f"{folder}: found {' and '.join(there)}, expected a folder without a site"
        raise RailbedError(found, "another folder; a site is never overwritten")


def _opened(folder: Path, text: str) -> Plan:
    """The plan of the text, read from files as they will lie; profiles of the folder included."""
    with scratch("site") as trial:
        (trial / "fabric.yml").write_text(text, encoding="utf-8")
        (trial / "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
        if (folder / "profiles").is_dir():
            (trial / "profiles").symlink_to((folder / "profiles").resolve())
        return open_site(trial)


def _wish(folder: Path, said: Answers, shelf: Shelf, ask: Ask | None) -> Wish:
    node_profile = said.node_profile or _needed(ask, "--node-profile", _USUAL_NODE, _nodes(shelf))
    node = shelf.node(node_profile)
    switch_profile = _switch(said, shelf, ask)
    nodes = _node_count(said, node, ask)
    storage, business = usual_planes(node)
    growth = _growth(ask, said.growth)
    return Wish(
        name=_name(folder, said.name),
        nodes=nodes,
        node_profile=node_profile,
        switch_profile=switch_profile,
        kind=said.kind,
        storage=said.storage or _choice(ask, "--storage", storage, ("none", "roce", "tcp")),
        business=said.business or _choice(ask, "--business", business, ("none", "own", "storage")),
        oob_switches=said.oob_switches,
        growth=growth,
    )


def _nodes(shelf: Shelf) -> tuple[str, ...]:
    known = (name for name, one in shelf.nodes.items() if one.rails)
    return tuple(sorted(name for name in known if not name.startswith(_NOT_ASKED)))


def _switch(said: Answers, shelf: Shelf, ask: Ask | None) -> str:
    if said.switch_profile and said.dialect:
        raise RailbedError("--switch-profile and --dialect: found both, expected one of them")
    if said.dialect:
        return shelf.of_dialect(said.dialect)
    if said.switch_profile:
        return said.switch_profile
    known = tuple(
        sorted(
            name
            for name, one in shelf.switches.items()
            if one.ports.rate_gbps >= _LEAST_GBPS and not name.startswith(_NOT_ASKED)
        )
    )
    return _needed(ask, "--switch-profile", _USUAL_SWITCH, known)


def _node_count(said: Answers, node: NodeProfile, ask: Ask | None) -> int:
    if said.nodes is not None and said.gpus is not None:
        raise RailbedError("--gpus and --nodes: found both, expected one of them")
    if said.nodes is not None:
        return said.nodes
    return nodes_for(said.gpus or _whole(_needed(ask, "--gpus", "", ())), node)


def _needed(ask: Ask | None, flag: str, usual: str, choices: tuple[str, ...]) -> str:
    """An answer that no flag gave; without a terminal it is missing."""
    if ask is not None:
        return ask(_QUESTIONS[flag], usual, choices)
    expected = f"one of {', '.join(choices)}" if choices else "a number"
    raise RailbedError(f"{flag}: found nothing, expected {expected}", "on a terminal it is asked")


def _choice(ask: Ask | None, flag: str, usual: Word, choices: tuple[Word, ...]) -> Word:
    """One of some words; the usual one where nobody can answer."""
    if ask is None or usual == "none":
        return usual
    told = ask(_QUESTIONS[flag], usual, choices)
    return next(one for one in choices if one == told)


def _growth(ask: Ask | None, said: float | None) -> float:
    told = "" if said is None else str(said)
    if said is None:
        told = f"{_USUAL_GROWTH:g}"
        told = ask(_QUESTIONS["--growth"], told, ()) if ask else told
    try:
        number = float(told)
    except ValueError:
        number = math.nan
    if not 1 <= number <= _MOST_GROWTH:
        expected = f"a number from 1 to {_MOST_GROWTH}"
        raise RailbedError(f"--growth: found `{told}`, expected {expected}")
    return number


def _whole(told: str) -> int:
    if told.isascii() and told.isdigit() and 0 < int(told) <= MOST_GPUS:
        return int(told)
    raise RailbedError(f"--gpus: found `{told}`, expected a number from 1 to {MOST_GPUS:,}")


def _name(folder: Path, said: str | None) -> str:
    name = said or folder.resolve().name.lower().replace("_", "-")
    if not _NAME.fullmatch(name):
        expected = "lower case letters, digits and `-`, a letter first"
        raise RailbedError(f"--name: found `{name}`, expected {expected}")
    return name
