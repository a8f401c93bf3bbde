"""Rules for versions: what was never read to go together is unknown, and unknown is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from inventory.load import profile_names as named
from inventory.model import Fabric
from inventory.problems import Problem, close_to, one_of
from inventory.software.compat import (
    WHERE,
    firmware_sets,
    is_older,
    minima,
    order,
    published,
    switch_releases,
    upstream,
    versions_for,
)

DOCA = "doca_ofed"


def switch_releases_are_known(fabric: Fabric) -> Iterator[Problem]:
    """A release renames commands and may lack a driver for the ASIC: templates fit exact ones."""
    places = {name: path for path, name in named.switch_profiles(fabric.intent)}
    for name, path in places.items():
        profile = fabric.switch_profiles[name]
        known = switch_releases(fabric.versions.compat, profile.dialect, profile.asic)
        if profile.release not in {release.release for release in known}:
            what = f"{profile.dialect} on {profile.asic or 'no ASIC'}"
            found = f"`{name}`, whose release {profile.release} is unknown for {what}"
            expected = one_of(release.release for release in known) if known else f"a known {what}"
            yield fabric.problem(path, found, expected, WHERE)


def components_are_known(fabric: Fabric) -> Iterator[Problem]:
    """A misspelled component would be wanted by nobody, and no device would be asked for it."""
    compat, said = fabric.versions.compat, fabric.intent.versions
    for part, names in (("software", said.software), ("firmware", said.firmware)):
        for name in names:
            if name not in compat.components:
                expected = f"a component of compat.yml: {one_of(sorted(compat.components))}"
                path = ("versions", part, name)
                hint = close_to(name, compat.components) or WHERE
                yield fabric.marked.key_problem(path, f"`{name}`", expected, hint)


def software_is_published(fabric: Fabric) -> Iterator[Problem]:
    """A version that was never built for the nodes' OS and architecture cannot be installed."""
    compat = fabric.versions.compat
    systems = {(profile.os, profile.arch) for profile in fabric.node_profiles.values()}
    for (name, version), (os, arch) in product(_known_software(fabric).items(), sorted(systems)):
        known = versions_for(compat, name, os, arch)
        if version in known:
            continue
        elsewhere = sorted({f"{row.os} {row.arch}" for row in published(compat, name, version)})
        found = f"{name} {version}, unknown for {os} {arch}"
        if elsewhere:
            found += f" (known for {', '.join(elsewhere)})"
        expected = one_of(known) if known else f"a {name} known for that OS and architecture"
        yield fabric.problem(("versions", "software", name), found, expected, WHERE)


def equal_versions_are_equal(fabric: Fabric) -> Iterator[Problem]:
    """The fabric manager refuses to start beside a GPU driver of another version."""
    said = fabric.intent.versions.software
    for row in fabric.versions.compat.same:
        if row.component in said:
            other = said.get(row.equals)
            if other != said[row.component]:
                path = ("versions", "software", row.component)
                expected = f"the version of {row.equals}, {other or 'which is not said'}"
                yield fabric.problem(path, said[row.component], expected, row.source)


def locked_versions_are_equal(fabric: Fabric) -> Iterator[Problem]:
    """What nodes install comes from the lock: there too, equal versions must be equal."""
    lock = fabric.versions.file
    for row in fabric.versions.compat.same:
        others = {
            upstream(lock.packages[name].version)
            for name in lock.components.get(row.equals, [])
            if name in lock.packages
        }
        for name in lock.components.get(row.component, []):
            if name in lock.packages and {upstream(lock.packages[name].version)} != others:
                wanted = one_of(sorted(others, key=order)) if others else "not locked"
                expected = f"the upstream version of {row.equals}, {wanted}"
                path = ("packages", name, "version")
                found = lock.packages[name].version
                yield fabric.versions.marked.problem(path, found, expected, row.source)


def software_is_what_is_locked(fabric: Fabric) -> Iterator[Problem]:
    """A site that says one version and locks another would judge nodes by the wrong one."""
    lock = fabric.versions.file
    for name, version in fabric.intent.versions.software.items():
        packages = [one for one in lock.components.get(name, []) if one in lock.packages]
        apart = [
            package for package in packages if upstream(lock.packages[package].version) != version
        ]
        if apart:
            locked = upstream(lock.packages[apart[0]].version)
            expected = f"{locked}, the version of {apart[0]} in the lock"
            yield fabric.problem(("versions", "software", name), version, expected)


def minima_are_met(fabric: Fabric) -> Iterator[Problem]:
    """A CUDA toolkit calls what older GPU drivers do not have."""
    said = _software(fabric)
    for name, version in fabric.intent.versions.software.items():
        for row in minima(fabric.versions.compat, name, version):
            have = said.get(row.needs)
            if have is None or is_older(have, row.at_least):
                found = f"{name} {version} with {row.needs} {have or 'unsaid'}"
                expected = f"{row.needs} {row.at_least} or later"
                path = ("versions", "software", name)
                yield fabric.problem(path, found, expected, row.source)


def locked_minima_are_met(fabric: Fabric) -> Iterator[Problem]:
    """What nodes install comes from the lock: its CUDA toolkit, too, needs its GPU driver."""
    lock, have = fabric.versions.file, _software(fabric)
    for component, names in lock.components.items():
        if component in fabric.intent.versions.software:
            continue
        for name in (one for one in names[:1] if one in lock.packages):
            version = upstream(lock.packages[name].version)
            for row in minima(fabric.versions.compat, component, version):
                other = have.get(row.needs)
                if other is None or is_older(other, row.at_least):
                    found = f"{component} {version} with {row.needs} {other or 'not locked'}"
                    expected = f"{row.needs} {row.at_least} or later"
                    path = ("packages", name, "version")
                    yield fabric.versions.marked.problem(path, found, expected, row.source)


def firmware_is_known(fabric: Fabric) -> Iterator[Problem]:
    """A NIC takes any firmware of its model, and fails later: only known ones are wanted."""
    compat, said = fabric.versions.compat, fabric.intent.versions
    for device, version in said.firmware.items():
        if device not in compat.components:
            continue
        known = sorted({one.devices[device] for one in firmware_sets(compat, device)}, key=order)
        if version not in known:
            found = f"{device} {version}, which is unknown"
            expected = one_of(known) if known else f"a known firmware of {device}: there is none"
            yield fabric.problem(("versions", "firmware", device), found, expected, WHERE)


def firmware_fits_doca(fabric: Fabric) -> Iterator[Problem]:
    """NIC firmware and drivers are tested in pairs: the pair that a DOCA release brings."""
    said = fabric.intent.versions
    doca = said.software.get(DOCA)
    for device, version in said.firmware.items():
        sets = list(firmware_sets(fabric.versions.compat, device))
        fit = [one.doca_ofed for one in sets if one.devices[device] == version]
        if doca is None or not fit or {doca, None} & set(fit):
            continue
        pair = [one.devices[device] for one in sets if one.doca_ofed == doca]
        found = f"{device} {version}, which comes with DOCA {', '.join(map(str, fit))}"
        brings = one_of(pair) if pair else "nothing that is known"
        expected = f"what DOCA {doca} brings: {brings}"
        yield fabric.problem(("versions", "firmware", device), found, expected, WHERE)


def bios_is_of_used_profiles(fabric: Fabric) -> Iterator[Problem]:
    """Settings of a profile that no node has would be set nowhere, and nobody would notice."""
    known = fabric.node_profiles
    for name in fabric.intent.versions.bios:
        if name not in known:
            expected = f"a profile of this site's nodes: {one_of(sorted(known))}"
            path = ("versions", "bios", name)
            yield fabric.marked.key_problem(path, f"`{name}`", expected, close_to(name, known))


def _software(fabric: Fabric) -> dict[str, str]:
    """Software by component: what the site says, and where it says nothing, what is locked."""
    lock = fabric.versions.file
    locked = {
        component: upstream(lock.packages[names[0]].version)
        for component, names in lock.components.items()
        if names and names[0] in lock.packages
    }
    return {**locked, **fabric.intent.versions.software}


def _known_software(fabric: Fabric) -> dict[str, str]:
    known = fabric.versions.compat.components
    said = fabric.intent.versions.software
    return {name: version for name, version in said.items() if name in known}


VERSION_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    switch_releases_are_known,
    components_are_known,
    software_is_published,
    equal_versions_are_equal,
    locked_versions_are_equal,
    software_is_what_is_locked,
    minima_are_met,
    locked_minima_are_met,
    firmware_is_known,
    firmware_fits_doca,
    bios_is_of_used_profiles,
)
