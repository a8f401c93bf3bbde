"""Before a site is changed: its signing key, its version lock and its packages are there."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.files import write_atomically
from deploy.lab.host import install_missing
from deploy.packages.building import Made, build_all
from deploy.packages.fetch import (
    PackagesGoneError,
    fetch,
    hold_built,
    missing,
    refresh,
    resolve,
    today,
)
from deploy.packages.gpg_run import ensure_key
from deploy.packages.mirrors import Target
from deploy.packages.offered import Offered
from deploy.packages.version_lock import text_of, wanted
from deploy.session import Selection, open_plan
from inventory import site_folder
from inventory.load.site import PUBLIC_KEY, SITES, load
from inventory.plan import Plan
from inventory.software.builds import apart, builds_of
from inventory.software.lock import STAND_IN, STATE_LOCK, VersionsFile, lock_path, read_lock
from inventory.software.locked import to_lock
from inventory.software.systems import is_rpm

Say = Callable[[str], None]

# Program -> Debian package that brings it.
_SIGN = {"gpg": "gnupg", "gpgconf": "gnupg"}
_DEB = {"apt-ftparchive": "apt-utils", **_SIGN}
_RPM = {"createrepo_c": "createrepo-c", **_SIGN}
# apt is on every controller; a controller without a way to a mirror may have no dnf.
_FETCH_RPM = {"dnf": "dnf", "rpmkeys": "rpm"}
_BUILD = {"mmdebstrap": "mmdebstrap", "setpriv": "util-linux", "unshare": "util-linux"}


def prepare(selection: Selection, say: Say, plan: Plan) -> Plan:
    """Make the signing key if there is none, and bring every locked package into the cache.

    Returns the plan from here on: it holds the public key and the lock, so the site is opened
    again where one of them is new. Where the mirrors have lost a locked version, a site is
    refused; a lab gets a lock of its own, and its plan says so. Raises InventoryError or
    RailbedError.
    """
    if selection.is_lab and is_rpm(plan.packages.os):
        raise RailbedError(
            f"a lab's machines are Debian 12, the nodes of {plan.site} run {plan.packages.os}",
            hint=f"`railbed rehearse --site {selection.site}` runs a twin, and says how it differs",
        )
    _install(programs(plan.packages.os, fetches=bool(missing(plan.packages.packages))), say)
    before = _supplies(selection)
    ensure_key(selection.state_dir, plan.site)
    if selection.is_lab:
        _drop_old_lock(selection, say)
    if _supplies(selection) != before:
        plan = open_plan(selection)
    try:
        _fetch(selection.site, plan, say)
    except PackagesGoneError as gone:
        if not selection.is_lab:
            raise RailbedError(
                f"the mirrors no longer have {gone}",
                hint="`railbed packages refresh` says what they have; with --write it locks that",
                exit_code=1,
            ) from None
        say(f"the mirrors no longer have {gone}: this lab takes what they have")
        _lock_anew(selection, say)
        plan = open_plan(selection)
        _fetch(selection.site, plan, say)
    return plan


def _supplies(selection: Selection) -> tuple[bytes | None, ...]:
    """The files of the state folder that a plan is made of as well."""
    files = (selection.state_dir / name for name in (PUBLIC_KEY, STATE_LOCK))
    return tuple(path.read_bytes() if path.exists() else None for path in files)


def lock_in_use(selection: Selection) -> Path:
    """Where the lock lies that a plan is made of: as `lock_of_site`, or a lab's own."""
    own = selection.state_dir / STATE_LOCK
    return own if own.exists() else lock_of_site(selection.site)


def lock_of_site(site: str) -> Path:
    """Where people review the lock of a site: its own, else the project's.

    Also for a lock that does not fit its nodes yet. Raises InventoryError for a site whose
    files cannot be read.
    """
    profile = load(site).node_profile
    return lock_path(site_folder(site), None, f"{profile.os}-{profile.arch}")[0]


def own_lock_of_site(site: str) -> Path:
    """Where a lock of a site is written: beside its inventory; of our own sites, the project's."""
    path, folder = lock_of_site(site), site_folder(site)
    ours = folder.resolve().is_relative_to(SITES)
    return path if ours else folder / "versions" / path.name


def unlocked_of_site(site: str) -> dict[str, tuple[str, ...]]:
    """Components that profiles of a site ask for and its lock lacks, with their packages."""
    return to_lock(load(site))


@dataclass(frozen=True, slots=True)
class Locked:
    """A package of a site's own making; `is_locked` where nodes get it at this version."""

    package: str
    version: str
    is_locked: bool


def build(site: str, write: bool, say: Say) -> list[Locked]:
    """Build what a site builds itself; with `write`, lock it for the nodes, as a refresh does.

    Raises InventoryError or RailbedError, also where the lock has this version as another file.
    """
    fabric, path = load(site), lock_of_site(site)
    lock = read_lock(path)
    target = Target(site, lock.os, lock.suite, lock.arch)
    if os.geteuid() == 0:
        _install({**programs(lock.os), **_BUILD}, say)
    profiles = tuple(one for one in fabric.node_profiles.values() if one.os == lock.os)
    hold_built(target, lock)
    found = build_all(target, lock, profiles, write, say)
    hold_built(target, lock)
    if write:
        path = own_lock_of_site(site)
        lock = _refreshed(site, path, say)
        builds = builds_of(site_folder(site), lock.os, lock.arch)
        if any(name for one in builds for name in apart(one, lock)):
            # The mirrors have what nodes run in a newer version than when the root was locked.
            found = build_all(target, lock, profiles, write, say)
            lock = _refreshed(site, path, say)
    return [_held_against(lock, one, path, say) for one in found]


def _refreshed(site: str, into: Path, say: Say) -> VersionsFile:
    for line in refresh(site, lock_of_site(site), into, say, unlocked_of_site(site)):
        say(line)
    return read_lock(lock_of_site(site))


def _held_against(lock: VersionsFile, one: Made, path: Path, say: Say) -> Locked:
    there = lock.packages.get(one.package)
    if there is None or there.version != one.version:
        has = f"has {there.version}" if there else "lacks it"
        say(f"{path} {has}: `railbed packages build --write` locks {one.version}")
        return Locked(one.package, one.version, is_locked=False)
    return Locked(one.package, one.version, is_locked=True)


def _fetch(site: str, plan: Plan, say: Say) -> None:
    lock = plan.packages
    fetch(Target(site, lock.os, lock.suite, lock.arch), lock.packages, say)


def _lock_anew(selection: Selection, say: Say) -> None:
    path = lock_of_site(selection.site)
    old = read_lock(path)
    target = Target(selection.site, old.os, old.suite, old.arch)
    # What a twin has in place of makers' packages, no mirror has.
    made = {
        name: Offered(one.version, one.sha256, one.size_bytes, one.needs)
        for name, one in old.packages.items()
        if one.licence == STAND_IN
    }
    found = resolve(target, wanted(old) - {*made}, say)
    licences = dict.fromkeys(made, STAND_IN)
    text = text_of(old, {**found, **made}, today(), instead_of=_digest(path), licences=licences)
    write_atomically(selection.state_dir / STATE_LOCK, text)


def _drop_old_lock(selection: Selection, say: Say) -> None:
    """A lab's own lock stands for one lock of the project, and ends with it."""
    own = selection.state_dir / STATE_LOCK
    if not own.exists():
        return
    path = lock_of_site(selection.site)
    if read_lock(own).instead_of != _digest(path):
        say("the project has a new version lock: this lab's own is removed")
        own.unlink()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def programs(os_name: str, *, fetches: bool = True) -> dict[str, str]:
    """What bringing packages of an OS to its nodes needs here: program to Debian package.

    Without `fetches` every package is in the cache, and no mirror is asked.
    """
    if not is_rpm(os_name):
        return _DEB
    return _RPM | _FETCH_RPM if fetches else _RPM


def _install(needed: dict[str, str], say: Say) -> None:
    if os.geteuid() == 0:
        install_missing(needed, say)
    elif lacking := sorted({pkg for name, pkg in needed.items() if not shutil.which(name)}):
        names = " ".join(lacking)
        raise RailbedError(f"not installed: {names}", hint=f"as root: apt-get install {names}")
