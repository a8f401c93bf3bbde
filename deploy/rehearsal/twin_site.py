"""The folder of a twin: made from its site's, for as many machines as this one carries."""

from __future__ import annotations

import csv
import io
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from deploy.errors import RailbedError
from deploy.lab.wires import made_up_mac
from inventory import open_site
from inventory.load.site import existing_folder, load
from inventory.own_yaml import own_yaml
from inventory.plan import Plan
from inventory.topology.asbuilt import AsBuilt, parse_asbuilt
from inventory.topology.wiring import Wire, load_wiring

from .compared import compared
from .logins import accounts, credentials
from .makers import Makers, makers_of, write_lock
from .slices import Slice, sizes, sliced
from .twin import Exceptional, LeftOut, TwinFiles, narrowed, twin_of

OS = "debian-12"
_WIRING = "wiring.csv"
AS_BUILT = ("asbuilt.csv", _WIRING)
_CABLE = ("a_device", "a_port", "b_device", "b_port", "plane")
_PORT = ("device", "port", "mac", "serial")
_ARCH = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True, slots=True)
class Twin:
    """A twin's folder, its plan, which slice it is, and what it is not of its site."""

    folder: Path
    plan: Plan
    slice: Slice
    exceptions: tuple[Exceptional, ...]
    left_out: tuple[LeftOut, ...]
    same_texts: int


def make(
    site: str,
    folder: Path,
    asked: Slice,
    most_machines: int,
    wiring: Path | None = None,
    engine: str = "",
) -> Twin:
    """Write the folder of a site's twin: the largest slice of at most `most_machines`.

    Where the site has less than `asked`, all that it has.
    `wiring` are the cables as people plugged them; a lab's site has its own. `engine` changes its
    servers, "" those of the site. InventoryError where the site, its cables or its twin cannot be
    read, RailbedError where no slice fits.
    """
    source = existing_folder(site)
    fabric, whole = load(site), open_site(site)
    text = own_yaml(source / "fabric.yml")
    tried, makers = [], makers_of(fabric, fabric.node_profiles)
    for of in sizes(asked):
        files = twin_of(fabric, sliced(text, of), OS, _ARCH[os.uname().machine], engine)
        plan, found_logins = _written(source, folder, files, wiring, makers)
        tried.append(count := len(plan.devices))
        if count <= most_machines:
            found = compared(whole, plan)
            return Twin(
                folder,
                plan,
                of,
                tuple(sorted(files.exceptions + found_logins)) + found.exceptions,
                files.left_out + found.left_out,
                found.same_texts,
            )
    raise RailbedError(
        f"the smallest twin of this site has {min(tried)} machines, at most {most_machines} fit",
        hint="--machines N, where this machine has the memory: about 60 MiB for each",
    )


def _written(
    source: Path, folder: Path, files: TwinFiles, wiring: Path | None, makers: Makers | None
) -> tuple[Plan, tuple[Exceptional, ...]]:
    """The twin's folder, anew; its plan, which knows where every device is plugged."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(source, folder)
    fabric, keys = credentials(files.fabric)
    _dump(folder / "fabric.yml", narrowed(fabric, ()))
    nodes = folder / "profiles" / "nodes.yml"
    nodes.parent.mkdir(exist_ok=True)
    own = own_yaml(nodes) if nodes.exists() else {}
    _dump(nodes, {**own, **files.nodes})
    if makers:
        write_lock(folder, f"{OS}-{_ARCH[os.uname().machine]}", makers)
    (folder / _WIRING).unlink(missing_ok=True)
    (folder / "asbuilt.csv").write_text(_csv(_PORT, []))
    planned = open_site(folder)
    fabric, allowed = accounts(narrowed(fabric, planned.devices), planned)
    _dump(folder / "fabric.yml", fabric)
    (folder / "asbuilt.csv").write_text(_asbuilt(source, planned))
    (folder / _WIRING).write_text(_cables(planned, _plugged(source, wiring)))
    return open_site(folder), keys + allowed


def _asbuilt(source: Path, plan: Plan) -> str:
    """MAC and serial of every port that has one: the site's own, else made up ones."""
    built, _ = parse_asbuilt((source / "asbuilt.csv").read_text(encoding="utf-8"), "asbuilt.csv")
    devices = [*plan.any_switch.values(), *plan.nodes]
    ports = {(one.name, one.management.port) for one in devices}
    ports |= {(node.name, nic.port) for node in plan.nodes for nic in node.rails}
    ports |= {(node.name, nic.port) for node in plan.nodes for nic in node.nics}
    ports.add((plan.oob.name, plan.oob.access_port))
    return _csv(_PORT, [(*port, *_known(built, port)) for port in sorted(ports)])


def _known(built: AsBuilt, port: tuple[str, str]) -> tuple[str, str]:
    """A port's MAC and its device's serial number."""
    if (row := built.ports.get(port)) is not None:
        return row.mac, row.serial or f"TWIN-{port[0]}"
    return made_up_mac(*port), f"TWIN-{port[0]}"


def _plugged(source: Path, wiring: Path | None) -> tuple[Wire, ...]:
    """The cables as people plugged them; a lab's site has its own beside it."""
    found = wiring or source / _WIRING
    return load_wiring(found) if wiring or found.exists() else ()


def _cables(plan: Plan, plugged: Sequence[Wire]) -> str:
    """Those that were plugged, and as planned where nothing is plugged at either end."""
    here = set(plan.devices)
    known = [one for one in plugged if {one.a.device, one.b.device} <= here]
    used = {end for one in known for end in (one.a, one.b)}
    rows = [(str(one.plane), one.a, one.b) for one in known]
    rows += [(str(one.plane), one.a, one.b) for one in plan.cables if not {one.a, one.b} & used]
    texts = [(a.device, a.port, b.device, b.port, plane) for plane, a, b in sorted(rows)]
    return _csv(_CABLE, texts)


def _csv(fields: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([fields, *rows])
    return text.getvalue()


def _dump(path: Path, data: Mapping[str, Any]) -> None:
    path.write_text(yaml.safe_dump(dict(data), sort_keys=False, width=100), encoding="utf-8")
