"""A twin's folder: a site's own files, in which a machine of this kind can be what is planned.

Pure: what differs from the site is a list of `Exceptional`, what a twin has not of `LeftOut`; both
are told to people, and nothing else differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import filter as filtered
from typing import Any

from inventory.model import Fabric
from inventory.schema import NodeProfile
from inventory.software.systems import is_rpm, network_tool

from .makers import dcgm_level, why_no_driver

# What a node's hardware or its maker's packages are needed for, and that no container has.
_OF_HARDWARE = {
    "gpu_storage": "no GPU",
    "containers": "the maker's packages are of another release than the machine's",
    "collectives": "no GPU",
}
_RHEL = "not tried: dnf, rpm, its network tool, boot entries and SELinux; nodes have apt and dpkg"
_OF_TUNING = (
    "hugepages", "cpu", "thp", "numa_balancing", "iommu", "pci_realloc", "acs", "modules",
)  # fmt: skip
TUNING = {
    "clock": "measure",
    "boot": "file",
    # systemd's own defaults (systemd-system.conf(5)): a container gets no more than its host.
    "limits": {"memlock_kib": 8192, "open_files": 1024},
}


@dataclass(frozen=True, slots=True, order=True)
class Exceptional:
    """A setting that the twin has otherwise than its site, and why."""

    where: str
    site: str
    twin: str
    why: str


@dataclass(frozen=True, slots=True, order=True)
class LeftOut:
    """What the site has and its twin has not, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class TwinFiles:
    """`fabric.yml` and `profiles/nodes.yml` of a twin, as data, and what they tell."""

    fabric: dict[str, Any]
    nodes: dict[str, Any]
    exceptions: tuple[Exceptional, ...]
    left_out: tuple[LeftOut, ...]


def twin_of(
    site: Fabric, fabric: Mapping[str, Any], os: str, arch: str, engine: str = ""
) -> TwinFiles:
    """The twin of a site whose `fabric.yml`, or a slice of it, is `fabric`.

    `os` and `arch` are those of the machines that nodes are; `engine` changes all of them, where
    it is said.
    """
    made = deepcopy(dict(fabric))
    left_out = [*_planes(made), *_outside(made)]
    exceptions = [*_clock(made), *_engine(made, engine)]
    nodes: dict[str, Any] = {}
    for name in sorted(_profiles(made)):
        profile = site.node_profiles[name]
        lacking = why_no_driver(site, profile)
        nodes[_twin(name)], found, lacks = node(name, profile, os, arch, lacking)
        if not lacking and (level := dcgm_level(site, profile)):
            nodes[_twin(name)]["acceptance"] = {"dcgm_level": level}
        exceptions += found
        left_out += lacks
    made["compute"]["node_profile"] = _twin(made["compute"]["node_profile"])
    for group in (made.get("servers") or {}).values():
        group["profile"] = _twin(group["profile"])
    return TwinFiles(made, nodes, tuple(sorted(exceptions)), tuple(sorted(left_out)))


def node(
    name: str, profile: NodeProfile, os: str, arch: str, no_driver: str
) -> tuple[dict[str, Any], tuple[Exceptional, ...], tuple[LeftOut, ...]]:
    """A profile as a machine can be it: its ports, names and addresses stay.

    `no_driver` is why it has no stand-ins of the GPU driver, empty where it has.
    """
    made: dict[str, Any] = profile.model_dump(mode="json", exclude_unset=True)
    where = f"profile {name}"
    why = "the machines' own release: roles, files and services run, packages are its own"
    found = [Exceptional(f"{where}: os", profile.os, os, why)] if profile.os != os else []
    tools = (network_tool(profile.os, profile.nics.network), network_tool(os, None))
    if tools[0] != tools[1]:
        found.append(Exceptional(f"{where}: nics.network", *tools, "what the machines have"))
    made |= {"os": os, "arch": arch}
    lacks = [
        LeftOut(f"{where}: {key}", why)
        for key, why in sorted(_OF_HARDWARE.items())
        if made.pop(key, None) is not None
    ]
    if is_rpm(profile.os):
        lacks.append(LeftOut(f"{where}: RHEL userland", _RHEL))
    asked_of_nics = {
        key
        for key, value in (made.get("nics") or {}).items()
        if value != "inbox" and key != "network"
    }
    lacks += [
        LeftOut(f"{where}: nics.{key}", "no NIC and no package of that maker")
        for key in sorted(asked_of_nics)
    ]
    made["nics"] = {"stack": "inbox"}
    if made.pop("acceptance", None):
        lacks.append(LeftOut(f"{where}: acceptance", "of stages that no twin climbs"))
    found += _driver(made, where) if not no_driver else ()
    lacks += _no_driver(made, where, no_driver) if no_driver else ()
    tuning = dict(made.get("tuning") or {})
    taken = [key for key in _OF_TUNING if tuning.pop(key, None) is not None]
    lacks += [LeftOut(f"{where}: tuning.{key}", "the kernel is the host's") for key in taken]
    asked = profile.tuning.model_dump(mode="json")
    found += [
        Exceptional(f"{where}: tuning.{key}", _said(asked[key]), _said(value), "a container")
        for key, value in TUNING.items()
        if asked[key] != value
    ]
    made["tuning"] = {**tuning, **deepcopy(TUNING)}
    made["source"] = f"the twin of profile {name}: {profile.source}"
    return made, tuple(found), tuple(lacks)


def _driver(made: dict[str, Any], where: str) -> Iterator[Exceptional]:
    packages = "stand-ins of the lock's names and versions"
    why = "apt and holds are real, and so are units; what they bring moves no hardware"
    yield Exceptional(f"{where}: gpu_driver", "makers' packages", packages, why)
    gpus = f"{len(made['gpus'])}"
    yield Exceptional(f"{where}: gpus", gpus, f"{gpus} stand-ins that keep state", "no GPU")


def _no_driver(made: dict[str, Any], where: str, why: str) -> Iterator[LeftOut]:
    if made.pop("gpu_driver", None) is not None:
        yield LeftOut(f"{where}: gpu_driver", why)
    if made.pop("gpus", None):
        yield LeftOut(f"{where}: gpus", "no GPU")
    for rail in made.get("rails") or ():
        rail.pop("gpu", None)


def _planes(fabric: dict[str, Any]) -> Iterator[LeftOut]:
    """Planes that need VLANs, bonds and VRFs of a kernel; machines here have none to count on."""
    kernel = "bonds, VLANs and VRFs are not built between machines"
    if fabric.pop("business", None) is not None:
        yield LeftOut("the business plane", kernel)
    if fabric["oob"].pop("switches", None) is not None:
        (fabric["oob"].get("ports") or {}).pop("trunk", None)
        yield LeftOut(
            "switches of the OOB plane", f"{kernel}: each device has a port of the OOB server"
        )


def _outside(fabric: dict[str, Any]) -> Iterator[LeftOut]:
    if fabric.pop("boundary", None) is not None:
        yield LeftOut("the boundary", "a twin reaches nobody outside")
    if fabric.pop("versions", None) is not None:
        yield LeftOut("versions of software, firmware and BIOS", "those of makers' hardware")


def narrowed(fabric: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """A slice's `fabric.yml`, which says nothing of devices that the slice has not."""
    made = deepcopy(dict(fabric))
    overrides = made.get("overrides") or {}
    made["overrides"] = {name: value for name, value in overrides.items() if name in names}
    services = made.get("switch_services") or {}
    for part, key in (
        (made, "raw"), (made, "logins"), (services, "accounts"), (services, "logins"),
    ):  # fmt: skip
        if key in part:
            part[key] = list(_of_some(part[key], names))
    return made


def _of_some(entries: list[dict[str, Any]], names: Collection[str]) -> Iterator[dict[str, Any]]:
    """Entries without the patterns that match no device; those without `devices` are of all."""
    for entry in entries:
        if "devices" not in entry:
            yield entry
        elif here := [one for one in entry["devices"] if filtered(names, one)]:
            yield {**entry, "devices": here}


def _clock(fabric: dict[str, Any]) -> Iterator[Exceptional]:
    time = fabric["oob"].setdefault("time", {})
    if time.get("clock") != "measure":
        yield Exceptional("oob.time.clock", time.get("clock", "set"), "measure", "a container")
    time["clock"] = "measure"
    if time.get("sources"):
        sources = ", ".join(map(str, time["sources"]))
        yield Exceptional("oob.time.sources", sources, "none", "a twin reaches nobody outside")
        time["sources"] = []


def _engine(fabric: dict[str, Any], engine: str) -> Iterator[Exceptional]:
    if not engine:
        return
    # Also where they name this engine: the other one is asked by `engine` alone.
    groups = fabric.pop("engine_groups", None) or {}
    if {fabric["engine"], *groups.values()} != {engine}:
        others = (f"{name} {said}" for name, said in groups.items())
        said = ", ".join([fabric["engine"], *others])
        yield Exceptional("engine", said, engine, "asked for by --engine")
        fabric["engine"] = engine


def _profiles(fabric: Mapping[str, Any]) -> set[str]:
    groups = (fabric.get("servers") or {}).values()
    return {fabric["compute"]["node_profile"], *(group["profile"] for group in groups)}


def _twin(profile: str) -> str:
    return f"{profile}-twin"


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_said(each)}" for key, each in value.items())
    return "not said" if value is None else str(value)
