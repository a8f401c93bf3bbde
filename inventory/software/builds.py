"""Packages that a site builds itself, because no repository has them: from which source, in what.

`SITE/versions/builds.yml` names the sources, people write it. What one is built in has a lock of
its own, `SITE/versions/builds/PACKAGE-OS-ARCH.yml`, in the form of the nodes' lock: every package
of that root folder. A result's version names both by digest, so what changes one of them is
another version, which `check` misses in the nodes' lock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path as FilePath

from pydantic import ValidationError

from inventory.load.files import is_there, yaml_mapping
from inventory.load.wording import problem_of
from inventory.load.yaml_positions import Marked
from inventory.problems import InventoryError, Problem, close_to, one_of
from inventory.schema.versions import Build, BuildsFile

from .lock import Built, LockedFile, Versions, VersionsFile, read_lock
from .locked import names_of
from .systems import is_rpm

BUILDS = "builds.yml"
COMPILER = "build-essential"
# Changes with what is made of the same inputs: control fields, compression, owners.
_FORM = 1
_DIGITS = 8


def builds_of(site: FilePath, os: str, arch: str) -> tuple[Built, ...]:
    """What a site builds for an OS and architecture; raises InventoryError."""
    problems: list[Problem] = []
    found = read_builds(site, os, arch, problems)
    if problems:
        raise InventoryError(problems)
    return found


def read_builds(site: FilePath, os: str, arch: str, problems: list[Problem]) -> tuple[Built, ...]:
    """As `builds_of`, but all that is wrong with the site's files comes to the problems."""
    path = site / "versions" / BUILDS
    marked = yaml_mapping(path, problems) if is_there(path) else None
    if marked is None:
        return ()
    try:
        rows = BuildsFile.model_validate(marked.value).builds
    except ValidationError as error:
        found = error.errors(include_url=False)
        problems += [problem_of(BuildsFile, one, marked, ()) for one in found]
        return ()
    problems += _problems(rows, marked)
    ours = [row for row in rows if row.os == os]
    return tuple(Built(row, _root(root_path(site, row, arch), problems)) for row in ours)


def root_path(site: FilePath, row: Build, arch: str) -> FilePath:
    """Where the lock of what a package is built in lies."""
    return site / "versions" / "builds" / f"{row.package}-{row.os}-{arch}.yml"


def _root(path: FilePath, problems: list[Problem]) -> VersionsFile | None:
    if not is_there(path):
        return None
    try:
        return read_lock(path)
    except InventoryError as error:
        problems += error.problems
        return None


def _problems(rows: list[Build], marked: Marked) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    for at, row in enumerate(rows):
        if is_rpm(row.os):
            hint = "build an rpm elsewhere, and name its repository in versions/sources.yml"
            expected = "an OS with apt: packages of rpm are not built here"
            yield marked.problem(("builds", at, "os"), f"`{row.os}`", expected, hint)
        names = names_of(row.os)
        if row.component not in names:
            hint = close_to(row.component, names)
            expected = f"what roles install: {one_of(sorted(names))}"
            yield marked.problem(("builds", at, "component"), f"`{row.component}`", expected, hint)
        if (row.os, row.package) in seen:
            path = ("builds", at, "package")
            yield marked.problem(path, f"a second `{row.package}`", f"one for {row.os}")
        seen.add((row.os, row.package))


def named(need: str) -> tuple[str, str]:
    """The package that a need names, and its version; "" for whatever there is."""
    name, _, version = need.partition("=")
    return name, version


def fits(row: Build, root: VersionsFile) -> bool:
    """Whether a root's lock is what the row asks to be built in."""
    pins = dict(map(named, row.needs))
    asked = sorted({COMPILER, *pins})
    versions = {name: one.version for name, one in root.packages.items()}
    return root.components == {row.component: asked} and all(
        name in versions and version in ("", versions[name]) for name, version in pins.items()
    )


def version_of(row: Build, root: VersionsFile) -> str:
    """The version of what is built: the source's, its digest, and one of all that it is made of."""
    files = {name: (one.version, one.sha256) for name, one in sorted(root.packages.items())}
    text = json.dumps([_FORM, row.model_dump(), root.suite, root.arch, files], sort_keys=True)
    made_of = sha256(text.encode()).hexdigest()
    return f"{row.version}+{row.sha256[:_DIGITS]}.{made_of[:_DIGITS]}"


def builds_fit(versions: Versions) -> Iterator[Problem]:
    """What nodes have of a build is what it would be now, beside what it was built with."""
    locked, marked = versions.file.packages, versions.marked
    for one in versions.builds:
        name, root = one.row.package, one.root
        if name not in locked:
            continue
        hint = "`./railbed packages build --write` builds it, and locks it"
        path = ("packages", name, "version")
        if root is None or not fits(one.row, root):
            said = f"a build of {name} in locked packages, as versions/{BUILDS} asks for it"
            yield marked.problem(path, locked[name].version, said, hint)
            continue
        if locked[name].version != (wanted := version_of(one.row, root)):
            yield marked.problem(path, locked[name].version, wanted, hint)
        for other, had in apart(one, versions.file):
            expected = f"{had}, with which {name} was built"
            path = ("packages", other, "version")
            yield marked.problem(path, locked[other].version, expected, hint)


def apart(one: Built, nodes: VersionsFile) -> Iterator[tuple[str, str]]:
    """What nodes have at another version than the one it was built with: name, and that."""
    root = one.root.packages if one.root else {}
    for name in sorted(_together(one.row, root) & {*nodes.packages} & {*root}):
        if nodes.packages[name].version != root[name].version:
            yield name, root[name].version


def _together(row: Build, root: dict[str, LockedFile]) -> set[str]:
    """What a build takes from its root that nodes must have, too: by name, or by exact relation."""
    asked = {name for name, _ in map(named, row.needs)}
    exact = {other for name in asked & {*root} for other in root[name].needs}
    return {*row.depends, *asked, *exact}
