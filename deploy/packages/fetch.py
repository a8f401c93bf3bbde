"""Locked packages: into the cache by apt or dnf, and the lock itself written anew.

The cache holds files by their SHA-256, so that it can serve every lock there is, and
nothing in it is believed by its name.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.lab.locks import held
from inventory.plan import LockedPackage
from inventory.problems import ExpectedError
from inventory.software.lock import LockedFile, VersionsFile, read_lock
from inventory.software.systems import is_rpm, package_kind
from validation.evidence.aside import aside, scratch

from . import built
from .apt_run import Apt, open_apt
from .dnf_run import open_dnf
from .licence_run import licence
from .mirrors import Target, named_sources, open_mirrors, urls
from .offered import Offered, Resolver
from .version_lock import differences, text_of, wanted

Say = Callable[[str], None]
# What an interruption may cost, and a slow link brings within a limit.
_BATCH_BYTES = 64 * 2**20


class PackagesGoneError(ExpectedError):
    """Locked versions that no mirror has any more: `gone`, and in words what there is."""

    def __init__(self, gone: tuple[LockedPackage, ...], offered: dict[str, list[str]]) -> None:
        self.gone = gone
        super().__init__(
            "; ".join(
                f"{package.name} {package.version} "
                f"(there is {', '.join(offered[package.name]) or 'none'})"
                for package in gone
            )
        )


def cache_folder() -> Path:
    """Where downloads are kept: for root, one place for all clones of this machine."""
    if os.geteuid() == 0:
        return Path("/var/cache/railbed/packages")
    return Path.home() / ".cache/railbed/packages"


def cached(package: LockedPackage) -> Path:
    """The place of a package's file, named by its content."""
    return cache_folder() / "files" / f"{package.sha256}.{package.ending}"


def missing(packages: Iterable[LockedPackage]) -> list[LockedPackage]:
    """The packages whose file is not in the cache, or not the file that was locked."""
    return [package for package in packages if not is_whole(cached(package), package)]


def is_whole(path: Path, package: LockedPackage) -> bool:
    """Whether a file is the one that was locked, by size and digest."""
    try:
        if path.stat().st_size != package.size_bytes:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == package.sha256
    except OSError:
        return False


def fetch(target: Target, packages: tuple[LockedPackage, ...], say: Say) -> None:
    """Bring every package into the cache, checked; asks mirrors only for what is missing.

    Raises PackagesGoneError where the mirrors have no such version, RailbedError where they
    do not answer, or have another file under the locked version.
    """
    if not missing(packages):
        return
    with held(cache_folder() / "lock", lambda: say("waiting: packages are being fetched")):
        wanted = missing(packages)
        if not wanted:
            return
        built.refuse_unbuilt(cache_folder(), target, {one.name for one in wanted})
        source = _opened(target, lambda said: say(f"fetching {len(wanted)} packages from {said}"))
        _refuse_gone(source, wanted)
        _bring(source, wanted, say)


def hold_built(target: Target, lock: VersionsFile) -> None:
    """Where results of this machine's builds lie, have the files that are locked.

    What another machine built, and `import` brought, is put there; RailbedError, with the file
    removed, for other bytes under a locked version: a refresh would take them for the mirrors'.
    """
    places = built.places(cache_folder(), target)
    for one in locked(lock.os, lock.packages):
        place = built.named(cache_folder(), one.name, one.version, lock.arch)
        if place not in places or is_whole(place, one):
            continue
        if is_whole(cached(one), one):
            place.parent.mkdir(parents=True, exist_ok=True)
            made = aside(place)
            shutil.copyfile(cached(one), made)
            made.replace(place)
        elif place.exists():
            found = hashlib.sha256(place.read_bytes()).hexdigest()
            place.unlink()
            raise RailbedError(
                f"{one.name} {one.version} was built here as another file than the one that is "
                f"locked (SHA-256 {found}, expected {one.sha256})",
                hint="its compiler does not give the same bytes twice: take the file of the "
                "machine that locked it, by `packages export` and `import`",
                exit_code=1,
            )


def _bring(source: Resolver, wanted: list[LockedPackage], say: Say) -> None:
    """Bring packages a batch at a time: what came stays, and the next run goes on there."""
    done_bytes, all_bytes = 0, sum(one.size_bytes for one in wanted)
    for done, batch in batches(wanted):
        with scratch("packages", cache_folder()) as folder:
            source.download(batch, folder)
            for one in batch:
                _keep(one, folder)
        done_bytes += sum(one.size_bytes for one in batch)
        if done < len(wanted):
            shares = f"{done_bytes >> 20} of {all_bytes >> 20} MiB"
            say(f"fetched {done} of {len(wanted)} packages, {shares}")


def batches(wanted: Sequence[LockedPackage]) -> Iterator[tuple[int, list[LockedPackage]]]:
    """Packages by at most `_BATCH_BYTES`, but for a single larger one; and how many are done."""
    batch: list[LockedPackage] = []
    for at, one in enumerate(wanted):
        if batch and sum(each.size_bytes for each in [*batch, one]) > _BATCH_BYTES:
            yield at, batch
            batch = []
        batch.append(one)
    if batch:
        yield len(wanted), batch


def resolve(target: Target, names: frozenset[str], say: Say) -> dict[str, Offered]:
    """What the mirrors have today for a lock: what roles ask for, and all that it pulls in."""
    with held(cache_folder() / "lock", lambda: say("waiting: packages are being fetched")):
        return _opened(target, lambda said: say(f"asking {said}")).beyond_base(names)


def from_nothing(target: Target, names: set[str], say: Say) -> dict[str, Offered]:
    """What the mirrors have today of a root folder with these packages and all that they need."""
    with held(cache_folder() / "lock", lambda: say("waiting: packages are being fetched")):
        return _apt(target, lambda said: say(f"asking {said}")).from_nothing(names)


def _opened(target: Target, say: Say) -> Resolver:
    """The repositories of a target, with today's lists, and a machine that has no packages."""
    if is_rpm(target.os):
        found = named_sources(target)
        say(urls(found))
        return open_dnf(cache_folder(), found, target.os, target.arch)
    return _apt(target, say)


def _apt(target: Target, say: Say) -> Apt:
    mirrors = open_mirrors(target, cache_folder() / "keys")
    say(mirrors.said)
    own = built.offered(cache_folder(), target)
    mirrors = replace(mirrors, lines=(*mirrors.lines, *own))
    apt = open_apt(cache_folder(), mirrors, target.label, target.arch)
    apt.update()
    return apt


def refresh(
    site: str,
    path: Path,
    into: Path | None,
    say: Say,
    more: Mapping[str, tuple[str, ...]],
) -> list[str]:
    """Resolve the lock at `path` anew; returns what differs, line by line; writes it `into` a file.

    Of the components `more`, those come into it whose packages the repositories have. What is
    written has each package's licence, too: their files are brought into the cache.
    """
    old = read_lock(path)
    target = Target(site, old.os, old.suite, old.arch)
    hold_built(target, old)
    built.refuse_unbuilt(cache_folder(), target, wanted(old))
    own = built.components(cache_folder(), target)
    more = {one: names for one, names in more.items() if one not in own}
    there = {**_offered(target, more, say), **old.components} if more else {**old.components}
    for component, name in built.made(cache_folder(), target):
        there[component] = sorted({*there.get(component, ()), name})
    new = old.model_copy(update={"components": there})
    found = resolve(target, wanted(new), say)
    said = differences(old, lock_of(text_of(new, found, today())))
    if said and into is not None:
        fetch(target, locked(old.os, found), say)
        licences = _licences(old.os, found)
        write_atomically(into, text_of(new, found, today(), licences=licences))
    return said


def _offered(target: Target, more: Mapping[str, tuple[str, ...]], say: Say) -> dict[str, list[str]]:
    """The components whose packages the repositories have; of the others it says what lacks."""
    with held(cache_folder() / "lock", lambda: say("waiting: packages are being fetched")):
        source = _opened(target, lambda said: say(f"asking {said}"))
        found = source.versions_of(name for names in more.values() for name in names)
    lacking = {one: [name for name in names if not found[name]] for one, names in more.items()}
    for component, names in lacking.items():
        if names:
            say(
                f"{component}: no repository has {', '.join(names)}; name one in sources.yml"
                ", or the source of its package in builds.yml"
            )
    return {one: list(names) for one, names in more.items() if not lacking[one]}


def locked(os_name: str, found: Mapping[str, Offered | LockedFile]) -> tuple[LockedPackage, ...]:
    """The files of some packages, sorted by name."""
    kind = package_kind(os_name)
    return tuple(
        kind(name, one.version, one.sha256, one.size_bytes) for name, one in sorted(found.items())
    )


def _licences(os_name: str, found: Mapping[str, Offered]) -> dict[str, str]:
    """What the lists say, and else the packages' files, which are in the cache."""
    if is_rpm(os_name):
        return {name: one.licence for name, one in found.items()}
    said = {one.name: licence(cached(one), one.name) for one in locked(os_name, found)}
    return {name: one for name, one in said.items() if one is not None}


def lock_of(text: str) -> VersionsFile:
    """Read the text of a lock."""
    with scratch("lock") as folder:
        path = folder / "lock.yml"
        path.write_text(text, encoding="utf-8")
        return read_lock(path)


def today() -> str:
    """The day, as a lock says it."""
    return datetime.now(UTC).date().isoformat()


def _refuse_gone(source: Resolver, wanted: list[LockedPackage]) -> None:
    offered = source.versions_of(package.name for package in wanted)
    gone = tuple(package for package in wanted if package.version not in offered[package.name])
    if gone:
        raise PackagesGoneError(gone, offered)


def _keep(package: LockedPackage, folder: Path) -> None:
    """Move a download into the cache under the digest that it must have."""
    for file in folder.iterdir():
        if is_whole(file, package):
            cached(package).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(file, cached(package))
            return
    raise RailbedError(
        f"{package.name} {package.version}: the mirror's file is not the one that was locked "
        f"(SHA-256 {package.sha256})",
        hint="a version's file never changes on an honest mirror: find out why before refreshing",
        exit_code=1,
    )
