"""Versions and BIOS settings that a site wants of each kind of device, with their sources."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.model import Fabric
from inventory.plan import Assumption, BiosSetting, VersionWanted
from inventory.rules.nodes.versions import DOCA

from .compat import firmware_sets, is_of, published, switch_releases, upstream, versions_for

SWITCH_OS = "switch_os"
# What a server without GPUs has no use for.
_OF_GPUS = frozenset({"cuda", "dcgm", "fabric_manager", "gds", "nccl", "nvidia_driver"})


def wanted_versions(fabric: Fabric) -> tuple[VersionWanted, ...]:
    """Return what every kind of device shall run, sorted; a checked site has all sources."""
    return tuple(sorted((*_switches(fabric), *_software(fabric), *_firmware(fabric))))


def wanted_bios(fabric: Fabric) -> tuple[BiosSetting, ...]:
    """Return the BIOS settings of every kind of node, sorted by kind and attribute."""
    return tuple(
        BiosSetting(f"node {profile}", attribute, value)
        for profile, settings in sorted(fabric.intent.versions.bios.items())
        for attribute, value in sorted(settings.items())
    )


def ledger(fabric: Fabric) -> Iterator[Assumption]:
    """Say what nobody has read from a device yet: each version and BIOS setting wanted."""
    for wanted in wanted_versions(fabric):
        name = f"version of {wanted.kind}: {wanted.component}"
        yield Assumption(name, wanted.version, wanted.source, measured=False)
    yield from _locked_unknown(fabric)
    for setting in wanted_bios(fabric):
        name = f"BIOS of {setting.kind}: {setting.attribute}"
        yield Assumption(name, str(setting.value), "fabric.yml, versions.bios", measured=False)


def _locked_unknown(fabric: Fabric) -> Iterator[Assumption]:
    """Say which locked versions nobody has read to go together with the nodes' OS."""
    lock, compat = fabric.versions.file, fabric.versions.compat
    for component, names in sorted(lock.components.items()):
        if component not in compat.components or component in fabric.intent.versions.software:
            continue
        known = versions_for(compat, component, lock.os, lock.arch)
        found = {upstream(lock.packages[one].version) for one in names[:1] if one in lock.packages}
        for version in sorted(found):
            if not any(is_of(version, line) for line in known):
                said = (
                    f"{version}, of which nobody has read that it goes with {lock.os} {lock.arch}"
                )
                name = f"version of what is locked: {component}"
                yield Assumption(name, said, fabric.versions.origin, measured=False)


def _switches(fabric: Fabric) -> Iterator[VersionWanted]:
    for name, profile in fabric.switch_profiles.items():
        rows = switch_releases(fabric.versions.compat, profile.dialect, profile.asic)
        source = next((row.source for row in rows if row.release == profile.release), "")
        version = f"{profile.dialect} {profile.release}"
        yield VersionWanted(f"switch {name}", SWITCH_OS, version, source)


def _software(fabric: Fabric) -> Iterator[VersionWanted]:
    compat, said = fabric.versions.compat, fabric.intent.versions.software
    for name, profile in fabric.node_profiles.items():
        for component, version in said.items():
            if component in _OF_GPUS and not profile.gpus:
                continue
            rows = published(compat, component, version)
            here = (row for row in rows if (row.os, row.arch) == (profile.os, profile.arch))
            source = next((row.source for row in here), "")
            yield VersionWanted(f"node {name}", component, version, source)


def _firmware(fabric: Fabric) -> Iterator[VersionWanted]:
    said = fabric.intent.versions
    doca = said.software.get(DOCA)
    for name in fabric.node_profiles:
        for device, version in said.firmware.items():
            sets = firmware_sets(fabric.versions.compat, device)
            rows = [one for one in sets if one.devices[device] == version]
            sources = [one.source for one in rows if doca is None or one.doca_ofed in (doca, None)]
            source = next(iter(sources), "")
            yield VersionWanted(f"node {name}", device, version, source)
