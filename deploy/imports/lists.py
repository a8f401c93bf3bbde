"""`railbed import csv`: a spreadsheet's devices and cables, held against the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.session import Selection
from inventory.imports.compare import Difference, cables_text, compare_cables, compare_devices
from inventory.imports.merge import Claim, Merge, merge
from inventory.imports.spreadsheet import Device, Wired, device_claims, read_cables, read_devices
from inventory.load.files import is_there, label
from inventory.problems import Problem

from .site import (
    Change,
    OpenSite,
    asbuilt_change,
    cables_change,
    must_hold,
    open_site,
    read_input,
    write,
)

DEVICES_FILE, CABLES_FILE = "devices.csv", "cables.csv"


@dataclass(frozen=True, slots=True)
class Options:
    """What an import may do: take rows out, accept machines that moved, write."""

    prune: bool = False
    moved: bool = False
    write: bool = False


@dataclass(frozen=True, slots=True)
class ListImport:
    """How a source differs from the plan, and what it changes in the site's files."""

    differences: tuple[Difference, ...]
    merged: Merge
    changes: tuple[Change, ...]
    written: bool
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 where nothing differs, or all that may change is written; else 1."""
        pending = not self.written and any(change.differs for change in self.changes)
        return 1 if self.differences or pending else 0


def import_lists(selection: Selection, folder: Path, options: Options) -> ListImport:
    """Read `devices.csv` and `cables.csv` (one of them may be missing) and compare."""
    site = open_site(selection.site, selection.state_dir)
    problems: list[Problem] = []
    devices: tuple[Device, ...] | None = None
    wires: tuple[Wired, ...] | None = None
    if is_there(path := folder / DEVICES_FILE):
        devices, wrong = read_devices(read_input(path, "a CSV file"), label(path))
        problems += wrong
    if is_there(path := folder / CABLES_FILE):
        wires, wrong = read_cables(read_input(path, "a CSV file"), label(path))
        problems += wrong
    if devices is None and wires is None:
        hint = f"a folder with {DEVICES_FILE}, {CABLES_FILE} or both"
        raise RailbedError(f"nothing to import in {label(folder)}", hint=hint)
    claims, wrong = device_claims(devices or (), site.ports)
    must_hold((*problems, *wrong))
    differences = compare_devices(site.plan, devices) if devices is not None else ()
    differences += compare_cables(site.plan, wires) if wires is not None else ()
    return settle(site, claims, wires, differences, options)


def settle(
    site: OpenSite,
    claims: Iterable[Claim],
    wires: Iterable[Wired] | None,
    differences: tuple[Difference, ...],
    options: Options,
    notes: tuple[str, ...] = (),
) -> ListImport:
    """Merge and, where asked, write; with a problem in any file nothing is written."""
    listed = tuple(claims)
    owned = frozenset(site.ports) if options.prune and listed else frozenset()
    merged = merge(site.rows, listed, owned=owned, moved=options.moved)
    changes = [asbuilt_change(site, merged)]
    if wires is not None:
        changes.append(cables_change(site, cables_text(site.plan, wires)))
    pending = any(change.differs for change in changes)
    if options.write and pending:
        write(tuple(changes))
    return ListImport(differences, merged, tuple(changes), options.write and pending, notes)
