"""What this machine has built for a site, offered to apt beside the repositories.

Each result lies in the cache under a version that names all that it was made of, and is moved
there as a whole. A lock takes it like any other package, by its digest.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from deploy.errors import RailbedError
from inventory import site_folder
from inventory.software.builds import builds_of, fits, version_of
from inventory.software.lock import Built

from .index_run import printed
from .mirrors import Target


def place(cache: Path, one: Built, arch: str) -> Path | None:
    """Where the result of a build lies, once it is built; None while its root is not locked."""
    if one.root is None or not fits(one.row, one.root):
        return None
    return named(cache, one.row.package, version_of(one.row, one.root), arch)


def named(cache: Path, name: str, version: str, arch: str) -> Path:
    """Where the result of a build of this name and version lies."""
    return cache / "built" / f"{name}_{version}_{arch}.deb"


def places(cache: Path, target: Target) -> frozenset[Path]:
    """Where the results of all builds of a site lie, made or not."""
    return frozenset(path for _, path in _all(cache, target) if path is not None)


def made(cache: Path, target: Target) -> Iterator[tuple[str, str]]:
    """Component and package of each build of a site whose result is here."""
    for one, path in _all(cache, target):
        if path is not None and path.is_file():
            yield one.row.component, one.row.package


def components(cache: Path, target: Target) -> frozenset[str]:
    """What a site builds packages for, made or not."""
    return frozenset(one.row.component for one, _ in _all(cache, target))


def refuse_unbuilt(cache: Path, target: Target, names: Collection[str]) -> None:
    """RailbedError where one of these packages is the site's own making, and is not made yet."""
    there = {name for _, name in made(cache, target)}
    if lacking := sorted(
        one.row.package
        for one, _ in _all(cache, target)
        if one.row.package in names and one.row.package not in there
    ):
        raise RailbedError(
            f"this site builds {', '.join(lacking)} itself, and this machine has not yet",
            hint="`railbed packages build`, or `railbed packages import FOLDER` of one that has",
        )


def offered(cache: Path, target: Target) -> tuple[str, ...]:
    """The one-line source (sources.list(5)) of what is built, written anew; none without any."""
    paths = [path for _, path in _all(cache, target) if path is not None and path.is_file()]
    if not paths:
        return ()
    folder = cache / "apt" / target.label / "built"
    flat(folder, {path.name: path for path in paths}, target.suite)
    # Nobody else writes below the cache, and each file is held against the lock's digest.
    return (f"deb [trusted=yes] file://{folder} ./",)


def flat(folder: Path, debs: Mapping[str, Path], suite: str) -> None:
    """A flat, unsigned repository of a suite: these files, under these names, and no others."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, path in debs.items():
        shutil.copyfile(path, folder / name)
    of_suite = ("-o", f"APT::FTPArchive::Release::Codename={suite}")
    for name, flags in {"Packages": (), "Release": of_suite}.items():
        listed = printed("apt-utils", folder, "apt-ftparchive", *flags, name.lower(), ".")
        (folder / name).write_text(listed, encoding="utf-8")


def _all(cache: Path, target: Target) -> Iterator[tuple[Built, Path | None]]:
    for one in builds_of(site_folder(target.site), target.os, target.arch):
        yield one, place(cache, one, target.arch)
