"""`railbed audit --learn`: a site's folder, proposed from what an audit understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.imports.site import read_input
from inventory import InventoryError, open_site
from inventory.load.site import known_profiles
from validation.audit.box import NotRead
from validation.audit.cabling.read import read_all
from validation.audit.learn.guess import Shelf
from validation.audit.learn.learn import Learned, Opened, learn
from validation.audit.links import Cable
from validation.audit.network import Network
from validation.evidence.aside import scratch

_NAME = re.compile(r"[a-z][a-z0-9-]{0,61}")
_OTHER = re.compile(r"[^a-z0-9-]+")
_FILES = ("fabric.yml", "asbuilt.csv", "cables.csv")


@dataclass(frozen=True, slots=True)
class LearnedSite:
    """A proposal and where its files were written; `paths` is empty for a preview."""

    learned: Learned
    folder: Path
    paths: tuple[Path, ...]

    @property
    def exit_code(self) -> int:
        """0 where every fact is reproduced, 1 where some are not, 3 where no plan came of it."""
        measured = self.learned.measured
        if measured is None:
            return 3
        return 0 if measured.reproduced == measured.facts and not self.learned.unsaid else 1


def learn_site(
    network: Network, folder: Path, refused: Iterable[NotRead] = (), *, write: bool
) -> LearnedSite:
    """Propose a site, and leave it in `folder` where `write` says so.

    `refused` are files of which nothing is known: the proposal lists them.
    RailbedError (exit 2) where a site is there already: it is never overwritten.
    """
    _refuse_to_overwrite(folder)
    nodes, switches, _ = known_profiles(folder)

    def opened(files: Mapping[str, str]) -> Opened:
        return _opened(folder, files)

    shelf = Shelf(nodes, switches, may_add=not (folder / "profiles").exists())
    found = learn(network, _name(folder), shelf, opened, refused)
    if not write:
        return LearnedSite(found, folder, ())
    paths = tuple(folder / name for name in found.files)
    for path, text in zip(paths, found.files.values(), strict=True):
        write_atomically(path, text)
    return LearnedSite(found, folder, paths)


def listed_cables(files: Iterable[Path]) -> tuple[tuple[Cable, ...], tuple[str, ...]]:
    """The cables of sheets, exports and tables, and what in them is not understood.

    InventoryError where a file cannot be read.
    """
    return read_all((read_input(path, "a list of cables"), str(path)) for path in files)


def _refuse_to_overwrite(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise RailbedError(f"{folder}: found a file, expected a folder", "another name")
    there = [name for name in _FILES if (folder / name).exists()]
    if there:
        found = f"{folder}: found {' and '.join(there)}, expected a folder without a site"
        raise RailbedError(found, "another folder; a site is never overwritten")


def _opened(folder: Path, files: Mapping[str, str]) -> Opened:
    """The plan of the texts, or the problems; profiles of the folder included."""
    with scratch("site") as trial:
        for name, text in files.items():
            (trial / name).parent.mkdir(exist_ok=True)
            (trial / name).write_text(text, encoding="utf-8")
        if (folder / "profiles").is_dir():
            (trial / "profiles").symlink_to((folder / "profiles").resolve())
        try:
            return open_site(trial)
        except InventoryError as error:
            return tuple(error.problems)


def _name(folder: Path) -> str:
    name = _OTHER.sub("-", folder.resolve().name.lower()).strip("-")
    return name if _NAME.fullmatch(name) else "learned"
