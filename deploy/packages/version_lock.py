"""The version lock as text, and two locks compared. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inventory.software.lock import LockedFile, VersionsFile

from .offered import Offered

HEADER = """\
# The packages of nodes with this OS and architecture, at exactly these versions.
# People write `components`: what roles ask for. `./railbed packages refresh` writes the rest:
# these packages and all that they pull in beyond a minimal system, as the mirrors have them.
"""


def wanted(lock: VersionsFile) -> frozenset[str]:
    """All packages that roles ask for."""
    return frozenset(name for names in lock.components.values() for name in names)


def text_of(
    old: VersionsFile,
    packages: Mapping[str, Offered],
    resolved: str,
    instead_of: str = "",
    licences: Mapping[str, str] | None = None,
) -> str:
    """Return a lock for what `old` is for: YAML, one value a line, so that a diff shows changes."""
    lines = [f"os: {old.os}", f"suite: {old.suite}", f"arch: {old.arch}"]
    lines.append(f'resolved: "{resolved}"')
    if instead_of:
        lines.append(f'instead_of: "{instead_of}"')
    lines += ["", "components:"]
    for component, names in sorted(old.components.items()):
        lines.append(f"  {component}: [{', '.join(sorted(names))}]")
    lines += ["", "packages:"]
    for name, one in sorted(packages.items()):
        lines += _package(name, one, (licences or {}).get(name, ""))
    return HEADER + "\n".join(lines) + "\n"


def _package(name: str, one: Offered, licence: str) -> Iterator[str]:
    yield f"  {name}:"
    yield f'    version: "{one.version}"'
    yield f'    sha256: "{one.sha256}"'
    yield f"    size_bytes: {one.size_bytes}"
    if licence:
        yield f'    licence: "{licence}"'
    if one.needs:
        yield "    needs:"
        yield from (f'      {other}: "{version}"' for other, version in sorted(one.needs.items()))


def differences(old: VersionsFile, new: VersionsFile) -> list[str]:
    """Say what a new lock changes, a line for each component or package; empty: nothing."""
    said = [
        f"+ component {name}: {', '.join(packages)}"
        for name, packages in sorted(new.components.items())
        if packages and old.components.get(name) != packages
    ]
    for name in sorted({*old.packages, *new.packages}):
        before, after = old.packages.get(name), new.packages.get(name)
        if before is None and after is not None:
            said.append(f"+ {name} {after.version}")
        elif after is None and before is not None:
            said.append(f"- {name} {before.version}")
        elif before is not None and after is not None and before.version != after.version:
            said.append(f"~ {name} {before.version} -> {after.version}")
        elif before is not None and _file(before) != _file(after):
            said.append(f"! {name} {before.version}: the same version, another file")
    return said


def _file(one: LockedFile | None) -> LockedFile | None:
    """What a package's file is, whatever was read in it."""
    return one.model_copy(update={"licence": None}) if one else None
