"""Builds what a site builds itself, once: root locked, source checked, result into the cache."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.lab.locks import held
from inventory import site_folder
from inventory.schema import NodeProfile
from inventory.schema.versions import Build
from inventory.software.builds import COMPILER, apart, builds_of, fits, named, root_path, version_of
from inventory.software.lock import Built, VersionsFile
from validation.evidence.aside import scratch

from . import built
from .build_run import build, files_of, source
from .fetch import (
    PackagesGoneError,
    Say,
    cache_folder,
    cached,
    fetch,
    from_nothing,
    lock_of,
    locked,
    today,
)
from .mirrors import Target
from .version_lock import text_of

_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True)
class Made:
    """One package of a site's own making, at the version that it is built as."""

    package: str
    version: str


def build_all(
    target: Target, nodes: VersionsFile, profiles: tuple[NodeProfile, ...], write: bool, say: Say
) -> list[Made]:
    """Build all that a site builds for its nodes; what is in the cache is not built again.

    With `write`, roots are locked that have no lock, or one that no longer fits the row or the
    lock of the `nodes`. Raises RailbedError, with what to do.
    """
    found = builds_of(site_folder(target.site), target.os, target.arch)
    if not found:
        raise RailbedError(
            f"{target.site} builds no packages for {target.label}",
            hint="name sources in SITE/versions/builds.yml: inventory/versions/README.md",
        )
    _refuse_elsewhere(target)
    return [_build(target, one, nodes, profiles, write, say) for one in found]


def _build(
    target: Target,
    one: Built,
    nodes: VersionsFile,
    profiles: tuple[NodeProfile, ...],
    write: bool,
    say: Say,
) -> Made:
    row, root, path = one.row, one.root, root_path(site_folder(target.site), one.row, target.arch)
    if root is None or not fits(row, root) or any(apart(one, nodes)):
        root = _resolved(target, row, nodes, path, write, say)
    kept = built.place(cache_folder(), Built(row, root), target.arch)
    if kept is None:
        raise RailbedError(f"{path} does not have what {row.package} needs: remove it, and --write")
    version, is_new = version_of(row, root), not kept.is_file()
    if is_new:
        _make(target, row, root, kept, profiles, say)
    say(f"{row.package} {version}: {'built' if is_new else 'was built before'}")
    return Made(row.package, version)


def _resolved(
    target: Target, row: Build, nodes: VersionsFile, path: Path, write: bool, say: Say
) -> VersionsFile:
    """What the repositories have today of a root, as its lock."""
    if not write:
        raise RailbedError(
            f"{row.package}: {path} does not say what it is built in, as nodes have it",
            hint="`railbed packages build --write` writes it, and locks what is built",
            exit_code=1,
        )
    packages = from_nothing(target, {COMPILER, *row.needs}, say)
    asked = {COMPILER, *(name for name, _ in map(named, row.needs))}
    of_root = nodes.model_copy(update={"components": {row.component: sorted(asked)}})
    text = text_of(of_root, packages, today())
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    return lock_of(text)


def _make(
    target: Target, row: Build, root: VersionsFile, kept: Path, profiles: tuple[NodeProfile, ...],
    say: Say,
) -> None:  # fmt: skip
    packages = locked(target.os, root.packages)
    try:
        fetch(target, packages, say)
    except PackagesGoneError as gone:
        lock = root_path(site_folder(target.site), row, target.arch)
        raise RailbedError(
            f"the mirrors no longer have {gone}",
            hint=f"remove {lock}: `railbed packages build --write` locks what they have",
            exit_code=1,
        ) from None
    archive = source(row, site_folder(target.site) / "versions", cache_folder())
    debs = {one.name: cached(one) for one in packages}
    with held(cache_folder() / "built.lock", lambda: say("waiting: packages are being built")):
        say(f"building {row.package} {row.version} in a root of {len(debs)} packages")
        kept.parent.mkdir(parents=True, exist_ok=True)
        with scratch("build", cache_folder()) as folder:
            version = version_of(row, root)
            made = _built(row, root, version, archive, debs, folder, kept.parent)
            _refuse_without(made, row, profiles)
            made.replace(kept)


def _built(
    row: Build, root: VersionsFile, version: str, archive: Path, debs: dict[str, Path],
    folder: Path, logs: Path,
) -> Path:  # fmt: skip
    """As `build`, whose folder goes: what was said in one that failed stays among the `logs`."""
    said, kept = folder / "log", logs / f"{row.package}.log"
    kept.unlink(missing_ok=True)
    try:
        return build(row, root, version, archive, debs, folder)
    except RailbedError as error:
        if not said.is_file():
            raise
        shutil.copyfile(said, kept)
        raise RailbedError(error.message, f"all that was said: {kept}", exit_code=1) from None


def _refuse_without(deb: Path, row: Build, profiles: tuple[NodeProfile, ...]) -> None:
    """What stages start by its path must be there: they find out on nodes, hours later."""
    lacking = sorted({*_programs(row.component, profiles)} - files_of(deb))
    if lacking:
        raise RailbedError(
            f"{row.package} brings no {', '.join(lacking)}, which a profile names under acceptance",
            hint="have the last line under `run` put it there: install -D -t $DESTDIR/usr/bin ...",
            exit_code=1,
        )


def _programs(component: str, profiles: tuple[NodeProfile, ...]) -> Iterator[str]:
    for one in profiles:
        said = {"nccl_tests": one.acceptance.all_reduce, "gpu_burn": one.acceptance.burn}
        if path := said.get(component):
            yield path


def _refuse_elsewhere(target: Target) -> None:
    if os.uname().machine != _MACHINES[target.arch]:
        raise RailbedError(
            f"packages of {target.arch} are not built on {os.uname().machine}",
            hint=f"build on a controller of {target.arch}; `packages export` carries the result",
        )
    if os.geteuid():
        raise RailbedError(
            "a clean root folder needs root: namespaces, mounts and owners",
            hint="as root, or build on another controller: `packages export` carries the result",
        )
    if not shutil.which("mmdebstrap"):
        raise RailbedError("not installed: mmdebstrap", hint="apt-get install mmdebstrap")
