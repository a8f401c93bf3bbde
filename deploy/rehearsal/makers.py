"""Makers' packages of a twin: stand-ins of the GPU driver that its site locks, by name and version.

Their files are made here and lie in the cache by digest, so that the twin's own signed repository
serves them as it does all others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.lab.hardware.debs import Deb
from deploy.lab.hardware.driver_debs import Locked, stand_ins
from deploy.packages.made import into_cache
from deploy.packages.offered import Offered
from deploy.packages.version_lock import text_of
from inventory.model import Fabric
from inventory.nodes.gpu_driver import driver_packages, gpu_stack
from inventory.schema import NodeProfile
from inventory.software.lock import STAND_IN, lock_path, read_lock
from inventory.software.locked import as_locked
from inventory.software.packages import lock
from inventory.software.systems import is_rpm

_COMPONENTS = ("dcgm", "fabric_manager", "imex", "nscq", "nvidia_driver")


@dataclass(frozen=True, slots=True)
class Makers:
    """What stands in for makers' packages of a site: what roles ask for, and each package."""

    components: Mapping[str, tuple[str, ...]]
    packages: tuple[Deb, ...]


def why_no_driver(site: Fabric, profile: NodeProfile) -> str:
    """Why a twin's nodes of this profile have no driver; empty where they have stand-ins of it."""
    said = as_locked(site.versions.file, profile)[0].gpu_driver
    if said is None:
        return "the site's lock has none either"
    if is_rpm(site.versions.file.os):
        return "stand-ins of packages are Debian's"
    if os.uname().machine != "x86_64":
        return "stand-ins of kernel modules are x86-64's"
    if "nvlsm" in said.extras:
        return "no stand-in of switches that a subnet manager sets up"
    return ""


def dcgm_level(site: Fabric, profile: NodeProfile) -> int | None:
    """The run level that DCGM is there for; None where the site's nodes have none."""
    return as_locked(site.versions.file, profile)[0].acceptance.dcgm_level


def makers_of(site: Fabric, profiles: Mapping[str, NodeProfile]) -> Makers | None:
    """Stand-ins of what nodes of these profiles get of the site's lock; None where that is none."""
    whole, file = lock(site), site.versions.file
    given = [one for one in profiles.values() if one.gpu_driver and not why_no_driver(site, one)]
    names = {name for one in given for name in driver_packages(whole, gpu_stack(site, one))}
    if any(dcgm_level(site, one) for one in given):
        names |= {*whole.set_of("dcgm")}
    if not names:
        return None
    needs = {name: file.packages[name].needs for name in names}
    locked = {
        name: Locked(
            file.packages[name].version,
            {other: exact for other, exact in needs[name].items() if other in names},
        )
        for name in names
    }
    components = {
        component: listed
        for component in _COMPONENTS
        if (listed := tuple(one for one in file.components.get(component, ()) if one in names))
    }
    return Makers(components, stand_ins(locked, components))


def write_lock(folder: Path, name: str, makers: Makers) -> None:
    """Write the lock `name` of a twin in `folder`: its site's or the project's, with stand-ins."""
    old = read_lock(lock_path(folder, None, name)[0])
    wanted = old.model_copy(
        update={"components": {**old.components, **{k: [*v] for k, v in makers.components.items()}}}
    )
    kept = {
        package: Offered(one.version, one.sha256, one.size_bytes, one.needs)
        for package, one in old.packages.items()
    }
    made = into_cache(makers.packages)
    licences = {package: one.licence or "" for package, one in old.packages.items()}
    licences |= dict.fromkeys(made, STAND_IN)
    path = folder / "versions" / f"{name}.yml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text_of(wanted, {**kept, **made}, old.resolved, licences=licences))
