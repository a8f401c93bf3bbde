"""A site opened for an import, and its files written when all of it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.files import write_atomically
from inventory import site_folder
from inventory.derive import derive
from inventory.imports.merge import Merge, Place
from inventory.imports.site import DevicePorts, device_ports
from inventory.load.files import is_there, label, text_of
from inventory.load.site import read
from inventory.model import Fabric
from inventory.plan import Plan
from inventory.problems import InventoryError, Problem
from inventory.rules.check import check
from inventory.topology.asbuilt import parse_asbuilt
from inventory.topology.asbuilt_rows import BuiltRow, rows_of

ASBUILT, CABLES = "asbuilt.csv", "cables.csv"


@dataclass(frozen=True, slots=True)
class OpenSite:
    """A site as an import needs it: its plan, its devices' ports, its rows so far."""

    folder: Path
    fabric: Fabric
    plan: Plan
    ports: Mapping[str, DevicePorts]
    rows: Mapping[Place, BuiltRow]


@dataclass(frozen=True, slots=True)
class Change:
    """What an import would write: a file, its text now (None where there is none) and then."""

    path: Path
    before: str | None
    after: str

    @property
    def differs(self) -> bool:
        """Whether writing would change the file."""
        return self.before != self.after


def open_site(site: str, state: Path | None) -> OpenSite:
    """Open a site; unlike elsewhere, it may have no `asbuilt.csv` yet."""
    folder = site_folder(site)
    fabric, problems = read(site, state)
    if fabric is not None:
        problems += check(fabric)
    path = folder / ASBUILT
    if is_there(folder) and not is_there(path):
        problems = [problem for problem in problems if problem.file != label(path)]
    if fabric is None or problems:
        raise InventoryError(problems)
    plan = derive(fabric)
    return OpenSite(folder, fabric, plan, device_ports(fabric, plan), rows_of(fabric.asbuilt))


def read_input(path: Path, kind: str) -> str:
    """Read a file that a person named; InventoryError where it cannot be read."""
    problems: list[Problem] = []
    text = text_of(path, problems, kind)
    if text is None:
        raise InventoryError(problems)
    return text


def must_hold(problems: tuple[Problem, ...]) -> None:
    """Stop at the first kind of trouble, with all of it."""
    if problems:
        raise InventoryError(problems)


def asbuilt_change(site: OpenSite, merged: Merge) -> Change:
    """Return the new `asbuilt.csv`; InventoryError where the site would not accept it."""
    must_hold(merged.problems)
    path = site.folder / ASBUILT
    text = merged.text
    asbuilt, problems = parse_asbuilt(text, label(path))
    problems += check(replace(site.fabric, asbuilt=asbuilt))
    must_hold(tuple(problems))
    before = read_input(path, "a CSV file") if is_there(path) else None
    return Change(path, before, text if merged.differs or before is None else before)


def cables_change(site: OpenSite, text: str) -> Change:
    """Return the new `cables.csv` of a site: the cables as another source lists them."""
    path = site.folder / CABLES
    before = read_input(path, "a CSV file") if is_there(path) else None
    return Change(path, before, text)


def write(changes: tuple[Change, ...]) -> None:
    """Write what differs, each file whole or not at all."""
    for change in changes:
        if change.differs:
            write_atomically(change.path, change.after)
