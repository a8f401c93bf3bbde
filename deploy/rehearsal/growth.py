"""A change that brings nodes: their machines stand from the start, and are off until it."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from deploy.errors import RailbedError
from inventory import open_site
from inventory.load.site import load

from .slices import Slice
from .twin_site import AS_BUILT, Twin

_ALONE = "rehearse it as a site of its own; other machines that come or go are no change yet"
_DEVICES = ("device", "a_device", "b_device")


def slice_of_change(of: Slice, site: str, change: str) -> Slice:
    """The slice of the changed site: of nodes that it brings to each pod, one more.

    InventoryError where either cannot be read.
    """
    if of.nodes_per_pod is None:
        return of
    built, later = (load(one).intent.topology.nodes_per_pod for one in (site, change))
    return replace(of, nodes_per_pod=of.nodes_per_pod + (later > built))


def new_nodes(twin: Twin, later: Twin) -> tuple[str, ...]:
    """The nodes that a change brings. RailbedError where it brings or takes anything else."""
    new = {*later.plan.devices} - {*twin.plan.devices}
    cables = {
        one
        for one in set(twin.plan.cables) ^ set(later.plan.cables)
        if one not in later.plan.cables or {one.a.device, one.b.device}.isdisjoint(new)
    }
    gone = {*twin.plan.devices} - {*later.plan.devices}
    for what, otherwise in (("machines", gone | new - {*later.plan.node}), ("cables", cables)):
        if named := sorted(map(str, otherwise)):
            said = f"the change has other {what}: {', '.join(named[:3])}"
            raise RailbedError(said, hint=_ALONE)
    if new and any(one.release != twin.plan.switch[name].release
                   for name, one in later.plan.switch.items()):  # fmt: skip
        raise RailbedError("the change has new nodes and other releases", hint="one at a time")
    return tuple(sorted(new))


def as_plugged(twin: Twin, later: Twin, new: Collection[str]) -> Twin:
    """The twin of the changed site with the cables and MACs of `twin`, and those of `new` nodes."""
    for name in AS_BUILT:
        ours, theirs = twin.folder / name, later.folder / name
        theirs.write_text(ours.read_text() + "".join(list(_of(theirs, new, _header(ours)))))
    return replace(later, plan=open_site(later.folder))


def _header(path: Path) -> list[str]:
    return next(csv.reader(path.read_text().splitlines()))


def _of(path: Path, new: Collection[str], fields: list[str]) -> Iterator[str]:
    """The lines of a CSV file that name one of these devices, with its values in this order."""
    for row in csv.DictReader(path.read_text().splitlines()):
        if not {row.get(key) for key in _DEVICES}.isdisjoint(new):
            yield ",".join(row[key] for key in fields) + "\n"
