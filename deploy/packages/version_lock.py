"""The version lock as text, and two locks compared. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inventory.software.lock import VersionsFile

from .apt_run import Offered

HEADER = """\
# The packages of nodes with this OS and architecture, at exactly these versions.
# People write `components`: what roles ask for. `./railbed packages refresh` writes the rest:
# these packages and all that they pull in beyond a minimal system, as the mirrors have them.
"""


@dataclass(frozen=True, slots=True)
class Target:
    """What a lock is for; `components` says what roles ask for, by component."""

    os: str
    suite: str
    arch: str
    components: Mapping[str, list[str]]

    @property
    def wanted(self) -> list[str]:
        """All packages that roles ask for, sorted."""
        return sorted({name for names in self.components.values() for name in names})


def target_of(lock: VersionsFile) -> Target:
    """Return what an existing lock is for."""
    return Target(lock.os, lock.suite, lock.arch, lock.components)


def text_of(
    target: Target, packages: Mapping[str, Offered], resolved: str, instead_of: str = ""
) -> str:
    """Return a lock as YAML: sorted, one value a line, so that a diff shows what changed."""
    lines = [f"os: {target.os}", f"suite: {target.suite}", f"arch: {target.arch}"]
    lines.append(f'resolved: "{resolved}"')
    if instead_of:
        lines.append(f'instead_of: "{instead_of}"')
    lines += ["", "components:"]
    for component, names in sorted(target.components.items()):
        lines.append(f"  {component}: [{', '.join(sorted(names))}]")
    lines += ["", "packages:"]
    for name, one in sorted(packages.items()):
        lines += _package(name, one)
    return HEADER + "\n".join(lines) + "\n"


def _package(name: str, one: Offered) -> Iterator[str]:
    yield f"  {name}:"
    yield f'    version: "{one.version}"'
    yield f'    sha256: "{one.sha256}"'
    yield f"    size_bytes: {one.size_bytes}"
    if one.needs:
        yield "    needs:"
        yield from (f'      {other}: "{version}"' for other, version in sorted(one.needs.items()))


def differences(old: VersionsFile, new: VersionsFile) -> list[str]:
    """Say what a new lock changes, one line a package, sorted; empty when it is the same."""
    said = []
    for name in sorted({*old.packages, *new.packages}):
        before, after = old.packages.get(name), new.packages.get(name)
        if before is None and after is not None:
            said.append(f"+ {name} {after.version}")
        elif after is None and before is not None:
            said.append(f"- {name} {before.version}")
        elif before is not None and after is not None and before.version != after.version:
            said.append(f"~ {name} {before.version} -> {after.version}")
        elif before != after:
            said.append(
                f"! {name} {before.version if before else ''}: the same version, another file"
            )
    return said
