"""The version lock: the exact packages that nodes of one OS and architecture get.

A lock lies in `inventory/versions/OS-ARCH.yml`; a site may bring its own in `SITE/versions/`.
A lab whose mirror no longer has a locked version keeps one of its own in its state folder,
and every report says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo

from inventory.load.files import is_there, yaml_mapping
from inventory.load.wording import problem_of
from inventory.load.yaml_positions import Marked
from inventory.plan import Arch
from inventory.problems import InventoryError, Problem, close_to
from inventory.schema.types import Closed, Key, Name, OsName, Text
from inventory.schema.versions import Build, CompatFile, Sha256

from .systems import is_rpm

VERSIONS = FilePath(__file__).parents[1] / "versions"
STATE_LOCK = "versions.yml"
# The licence of a package that a twin has in place of its maker's: no mirror has it.
STAND_IN = "stand-in"

# Debian Policy 5.6.1 and 5.6.12; rpm's names and versions (spec(5), rpm-version(7)) are wider.
_DEB_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_DEB_VERSION = re.compile(r"([0-9]+:)?[0-9][A-Za-z0-9.+~-]*")
_RPM_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]+")
_RPM_VERSION = re.compile(r"([1-9][0-9]*:)?[A-Za-z0-9.+_~^]+-[A-Za-z0-9.+_~^]+")

# By component, the package of a service that os_base starts on every node.
_SERVICES = {"lldp": "lldpd", "time": "chrony"}


def _of_its_family(
    deb: re.Pattern[str], of_deb: str, rpm: re.Pattern[str], of_rpm: str
) -> BeforeValidator:
    """A check by the lock's `os`, which who validates gives as context: apt's form without one."""

    def check(value: object, info: ValidationInfo) -> object:
        known: Mapping[str, object] = info.context or {}
        pattern, expected = (rpm, of_rpm) if is_rpm(str(known.get("os"))) else (deb, of_deb)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise ValueError(expected)
        return value

    return BeforeValidator(check)


Package = Annotated[
    str,
    _of_its_family(
        *(_DEB_PACKAGE, "a package name (Debian Policy 5.6.1)"),
        *(_RPM_PACKAGE, "a package name of rpm"),
    ),
]
Version = Annotated[
    str,
    _of_its_family(
        *(_DEB_VERSION, "a quoted version, like '1:2.3-4' (deb-version(7))"),
        *(_RPM_VERSION, "a quoted version-release of rpm, like '3:2.3-4.el9'"),
    ),
]


class LockedFile(Closed):
    """One package of a lock."""

    version: Version = Field(description="exact version")
    sha256: Sha256 = Field(description="SHA-256 of the package's file")
    size_bytes: int = Field(ge=1, description="size of that file")
    licence: Text | None = Field(default=None, description="as the package names it")
    needs: dict[Package, Version] = Field(
        default_factory=dict, description="packages it wants at exactly this version"
    )


class VersionsFile(Closed):
    """A version lock, written by `railbed packages refresh` and reviewed by people."""

    os: OsName = Field(description="the OS, like debian-12")
    suite: Name = Field(description="its release name, like bookworm")
    arch: Arch = Field(description="amd64 or arm64")
    resolved: Text = Field(description="quoted day on which a mirror had these versions")
    instead_of: Text | None = Field(
        default=None, description="SHA-256 of the lock that a lab could not get"
    )
    components: dict[Key, list[Package]] = Field(description="what roles ask for, by component")
    packages: dict[Package, LockedFile] = Field(description="these, and all that they pull in")


@dataclass(frozen=True, slots=True)
class Built:
    """A package that the site builds itself; `root`: the lock of what it is built in, if any."""

    row: Build
    root: VersionsFile | None


@dataclass(frozen=True, slots=True)
class Versions:
    """A lock as read: its values, its places, and in words where it comes from.

    `compat` says what goes together: the project's rows, and those that the site brings.
    """

    file: VersionsFile
    marked: Marked
    origin: str
    compat: CompatFile
    builds: tuple[Built, ...] = ()


def lock_path(site: FilePath, state: FilePath | None, name: str) -> tuple[FilePath, str]:
    """Return where the lock `name` (OS-ARCH) of a site lies, and that in words.

    The words are the same on every machine, because they are part of the plan.
    """
    if state is not None and is_there(state / STATE_LOCK):
        return state / STATE_LOCK, "this lab's own: its mirror lacks a version of the project's"
    if is_there(site / "versions" / f"{name}.yml"):
        return site / "versions" / f"{name}.yml", f"the site's versions/{name}.yml"
    return VERSIONS / f"{name}.yml", f"inventory/versions/{name}.yml"


def lock_problems(versions: Versions, os: str, arch: str) -> Iterator[Problem]:
    """Everything that makes a lock unusable on nodes with this OS and architecture."""
    yield from _is_for(versions, os, arch)
    yield from _components_are_locked(versions)
    yield from _needs_are_met(versions)
    yield from _what_runs_is_locked(versions)


def _is_for(versions: Versions, os: str, arch: str) -> Iterator[Problem]:
    """A lock for other machines would install, and break at the first start."""
    lock, marked = versions.file, versions.marked
    for key, found, wanted in (("os", lock.os, os), ("arch", lock.arch, arch)):
        if found != wanted:
            hint = "the profile of the nodes says so"
            yield marked.problem((key,), f"`{found}`", f"`{wanted}`", hint)


def _components_are_locked(versions: Versions) -> Iterator[Problem]:
    """A package without a locked version would be whatever a mirror has that day."""
    known = versions.file.packages
    for component, names in versions.file.components.items():
        for at, name in enumerate(names):
            if name not in known:
                hint = close_to(name, known) or "`./railbed packages refresh` resolves it"
                path = ("components", component, at)
                yield versions.marked.problem(path, f"`{name}`", "a package of `packages`", hint)


def _what_runs_is_locked(versions: Versions) -> Iterator[Problem]:
    """Nodes have no other source: without its package a service would fail on each of them."""
    for component, package in _SERVICES.items():
        if not versions.file.components.get(component):
            hint = f"add `{component}: [{package}]`; `./railbed packages refresh` resolves it"
            expected = f"`{component}`: every node runs {package}"
            yield versions.marked.problem(("components",), f"no `{component}`", expected, hint)


def _needs_are_met(versions: Versions) -> Iterator[Problem]:
    """Packages built together want each other at one version: apt would install none of them."""
    known = versions.file.packages
    for name, one in versions.file.packages.items():
        for other, version in one.needs.items():
            if other not in known:
                expected = "a package of `packages`"
                path: tuple[str | int, ...] = ("packages", name, "needs", other)
                yield versions.marked.key_problem(path, f"`{other}`", expected)
            elif known[other].version != version:
                path = ("packages", other, "version")
                expected = f"{version}, which {name} {one.version} needs exactly"
                yield versions.marked.problem(path, known[other].version, expected)


def context_of(value: Any) -> dict[str, object]:
    """By what names and versions in a lock are judged: see `_of_its_family`."""
    return {"os": value.get("os") if isinstance(value, dict) else None}


def read_lock(path: FilePath) -> VersionsFile:
    """Return the lock in a file, unchecked against any node; raises InventoryError."""
    problems: list[Problem] = []
    marked = yaml_mapping(path, problems)
    if marked is not None and not problems:
        try:
            return VersionsFile.model_validate(marked.value, context=context_of(marked.value))
        except ValidationError as error:
            found = error.errors(include_url=False)
            problems = [problem_of(VersionsFile, one, marked, ()) for one in found]
    raise InventoryError(problems)
