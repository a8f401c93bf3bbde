"""`railbed asbuilt`: rows from makers' manifests, and from what was seen on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.session import Selection
from inventory.imports.circuits import PortFinder
from inventory.imports.forms import form_named
from inventory.imports.learned import Learned, known, learn, neighbour_seats, oob_seats
from inventory.imports.leases import read_leases
from inventory.imports.lldp import read_neighbours
from inventory.imports.machines import Machine, read_manifest
from inventory.imports.merge import Merge, merge
from inventory.imports.placing import place, read_names, serial_by_mac
from inventory.imports.sightings import Sighting
from inventory.imports.site import locations
from inventory.load.files import label
from inventory.problems import InventoryError, Problem, close_to

from .site import OpenSite, asbuilt_change, must_hold, open_site, read_input, write


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A maker's manifest as named on the command line."""

    path: Path
    maker: str
    columns: str

    def machines(self) -> tuple[Machine, ...]:
        """All machines in it; InventoryError with everything that is wrong."""
        text = read_input(self.path, "a manifest")
        form = form_named(self.maker, self.columns, self.path.name)
        machines, problems = read_manifest(text, label(self.path), form)
        must_hold(problems)
        return machines


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import of a manifest found, and whether it was written."""

    merged: Merge
    unplaced: tuple[Machine, ...]
    path: Path
    written: bool


def import_manifest(
    selection: Selection, manifest: ManifestFile, names: Path | None, moved: bool, do_write: bool
) -> Imported:
    """Merge a manifest into `asbuilt.csv`; without `do_write`, only say what would change."""
    site = open_site(selection.site, selection.state_dir)
    machines = manifest.machines()
    named, wrong = (
        read_names(read_input(names, "a CSV file"), label(names), site.ports) if names else ({}, [])
    )
    placed = place(machines, site.ports, named, site.rows, locations(site.plan))
    merged = merge(site.rows, placed.claims, moved=moved)
    must_hold((*wrong, *placed.problems, *merged.problems))
    change = asbuilt_change(site, merged)
    written = do_write and change.differs
    if written:
        write((change,))
    return Imported(merged, placed.unplaced, change.path, written)


@dataclass(frozen=True, slots=True)
class Taught:
    """What was learned, and the rows that it would add."""

    learned: Learned
    merged: Merge
    path: Path
    written: bool

    @property
    def exit_code(self) -> int:
        """As the report's, but rows that are written now are as planned."""
        rest = self.learned
        if self.written and not (
            rest.swapped or rest.misplaced or rest.strangers or rest.missing or rest.unproven
        ):
            return 0
        return rest.exit_code


def learn_places(
    selection: Selection,
    leases: Iterable[Path],
    lldp: Path | None,
    manifest: ManifestFile | None,
    do_write: bool,
) -> Taught:
    """Hold what a DHCP server and switches saw against the plan; propose rows for new MACs."""
    site = open_site(selection.site, selection.state_dir)
    files = tuple(leases)
    if not files and lldp is None:
        raise RailbedError("nothing to learn from", hint="--leases FILE, --lldp DIR, or both")
    heard = _heard(site, lldp) if lldp else []
    sightings = [*_leased(site, files), *(sighting for _, found in heard for sighting in found)]
    watched = neighbour_seats(site.plan, frozenset(switch for switch, _ in heard))
    watched |= oob_seats(site.plan, site.ports) if files else frozenset()
    serials = serial_by_mac(manifest.machines()) if manifest else {}
    learned = learn(sightings, known(site.plan, site.ports, site.rows, serials), watched)
    merged = merge(site.rows, learned.proposed)
    change = asbuilt_change(site, merged)
    written = do_write and merged.differs
    if written:
        write((change,))
    return Taught(learned, merged, change.path, written)


def _leased(site: OpenSite, files: Iterable[Path]) -> list[Sighting]:
    """What each lease file says; a relay's port is one of a planned cable of the OOB plane."""
    ends = {end for cable in site.plan.cables if cable.plane == "oob" for end in (cable.a, cable.b)}
    finder = PortFinder.of(frozenset(ends - oob_seats(site.plan, site.ports)))
    found: list[Sighting] = []
    for path in files:
        sightings, problems = read_leases(
            read_input(path, "a lease file or log"), label(path), finder
        )
        must_hold(problems)
        found += sightings
    return found


def _heard(site: OpenSite, folder: Path) -> list[tuple[str, tuple[Sighting, ...]]]:
    """What each switch hears, from the file of its name (`leaf-p1-r0.json`)."""
    if not folder.is_dir():
        problem = Problem(label(folder), 1, 1, "", "no such folder", "a file for each switch")
        raise InventoryError([problem])
    heard = []
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.json*")):
        if path.stem not in site.plan.switch and path.stem not in site.plan.oob_switch:
            hint = close_to(path.stem, (*site.plan.switch, *site.plan.oob_switch))
            expected = "the name of a switch of this site"
            problems.append(Problem(label(path), 1, 1, "", f"`{path.stem}`", expected, hint))
            continue
        text = read_input(path, "lldpcli's output")
        sightings, wrong = read_neighbours(text, label(path), path.stem)
        problems += wrong
        heard.append((path.stem, sightings))
    must_hold(tuple(problems))
    return heard
