"""Labs that were applied once and kept: where they lie, what names them, who may remove them.

A kept lab is a folder below APPLIED that is written to once, aside, and renamed at the end:
nothing half-made can be taken for one. Its disks lie under those of the labs started from it,
so it is removed only while no lab stands on it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from deploy.errors import RailbedError
from deploy.lab import spec
from deploy.lab.command import run
from deploy.lab.locks import held
from deploy.lab.machines.image import image_key
from deploy.lab.paths import APPLIED, CLONE, RUNTIME, LabPaths
from deploy.lab.spec import LabSpec

ROOMS = ("deploy", "inventory", "roles", "switch_configs", "validation")
LOCK = APPLIED / "lock"
# What a tree of packages signs is good for a week, and is signed anew after half of it.
FRESH_S = 2 * 24 * 3600.0
# Of other keys so many stay: other clones', other sites', and the one that was before.
_OTHERS = 12
_HALF = "half-"


@dataclass(frozen=True, slots=True)
class About:
    """What each machine showed (`settled.shown`); the jump host's MAC; the keeper's own notes."""

    shown: dict[str, list[str]]
    access_mac: str
    notes: dict[str, Any]

    def save(self, folder: Path) -> None:
        """Write it beside the disks."""
        text = json.dumps(asdict(self), indent=1, sort_keys=True)
        (folder / "about.json").write_text(text + "\n")


@dataclass(frozen=True, slots=True)
class Kept:
    """One kept lab."""

    folder: Path

    @property
    def name(self) -> str:
        """What a spec calls it."""
        return self.folder.name

    @property
    def state(self) -> Path:
        """The state folder as it was."""
        return self.folder / "state"

    @property
    def spec(self) -> LabSpec:
        """The lab as it was built."""
        return spec.load(self.folder / "lab.json")

    @property
    def about(self) -> About:
        """What its keeper wrote down beside the disks."""
        return About(**json.loads((self.folder / "about.json").read_text()))

    def upper(self, machine: str) -> Path:
        """What a machine had written over its image."""
        return self.folder / "disks" / machine


def named(name: str) -> Kept:
    """The kept lab that a spec names."""
    return Kept(APPLIED / name)


def key_of(site: Path, chosen: str = "", wiring: Path | None = None) -> str:
    """Digest of all that decides what `apply` makes of a lab of `site`, and what it is made of.

    `chosen` says which part of the site was applied; `wiring` what the cables are, if not the
    site's own. READMEs and tests decide nothing.
    """
    system = os.uname()
    told = [image_key(), system.release, system.machine, sys.version, chosen]
    cables = wiring or site / "wiring.csv"
    parts = [product(CLONE), *(one.encode() for one in told), cables.read_bytes()]
    parts += [line.encode() for line in _digests(site, _plain_files(site))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def newest(key: str) -> Kept | None:
    """The newest fresh lab kept under `key`."""
    found = [path for path in _all() if _key(path) == key and _age_s(path) < FRESH_S]
    return Kept(max(found, key=_made)) if found else None


@contextmanager
def half_made() -> Iterator[Path]:
    """A folder to make a kept lab in; gone afterwards unless `put` took it."""
    with ExitStack() as lock:
        with held(LOCK, lambda: None):  # so that nobody takes it for one that was left
            half = Path(tempfile.mkdtemp(prefix=_HALF, dir=APPLIED))
            half.chmod(0o755)
            lock.enter_context(held(half / "lock", lambda: None))
        try:
            yield half
        finally:
            shutil.rmtree(half, ignore_errors=True)


def put(half: Path, key: str) -> Kept:
    """Make what was made aside the newest of its key, and remove what nobody needs any more."""
    run(["sync", "--file-system", str(half)], timeout_s=300)
    with held(LOCK, lambda: None):
        kept = Kept(APPLIED / f"{key}.{time.time_ns()}")
        half.rename(kept.folder)
        _tidy(key)
    return kept


@contextmanager
def standing_on(kept: Kept) -> Iterator[None]:
    """Nobody removes `kept` meanwhile; afterwards the spec of a lab names it, or it is free."""
    try:
        file = (kept.folder / "lock").open()
    except FileNotFoundError:
        raise _removed(kept) from None
    with file:
        fcntl.flock(file, fcntl.LOCK_SH)
        if not kept.folder.is_dir():
            raise _removed(kept)
        yield


def _removed(kept: Kept) -> RailbedError:
    return RailbedError(f"the kept lab {kept.name} was removed", hint="keep one anew")


def hand_out(kept: Kept, paths: LabPaths) -> None:
    """Give a lab the kept state; RailbedError where it has a record of its own."""
    if (paths.state / "record.sqlite").exists():
        raise RailbedError(
            f"lab {paths.name} has a record of its own in {paths.state}",
            hint="take another name, or remove that folder",
        )
    paths.state.mkdir(parents=True, exist_ok=True, mode=0o700)
    run(["cp", "-a", "--reflink=auto", f"{kept.state}/.", str(paths.state)])


def _tidy(key: str) -> None:
    """Of `key` the newest stays, of others the newest few; and what labs stand on."""
    for half in APPLIED.glob(f"{_HALF}*"):
        _remove_free(half)
    folders = sorted(_all(), key=_made, reverse=True)
    others = [path for path in folders if _key(path) != key]
    stay = {next(path for path in folders if _key(path) == key), *others[:_OTHERS]}
    for folder in folders:
        if folder not in stay:
            _remove_free(folder)


def _remove_free(folder: Path) -> None:
    """Remove a folder unless a lab stands on it, or somebody is just making or using it."""
    try:
        file = (folder / "lock").open("a")
    except FileNotFoundError:  # its maker removed it
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        # Asked under the lock: whoever starts a lab has it until the lab's spec is there.
        if folder.name not in _used():
            shutil.rmtree(folder, ignore_errors=True)


def _used() -> set[str]:
    """What labs stand on; another clone's may be described otherwise than ours."""
    found = set()
    for path in RUNTIME.glob("*/lab.json"):
        with suppress(FileNotFoundError):
            found.add(str(json.loads(path.read_text()).get("kept", "")))
    return found


def _all() -> list[Path]:
    return [path for path in APPLIED.glob("*.*/") if path.suffix[1:].isdigit()]


def _key(folder: Path) -> str:
    return folder.stem


def _made(folder: Path) -> int:
    return int(folder.suffix[1:])


def _age_s(folder: Path) -> float:
    return abs(time.time() - _made(folder) / 1e9)


@cache
def product(clone: Path) -> bytes:
    """Digest of all that `apply` imports, runs or sends; read once by each process."""
    files = [clone / "requirements.lock", clone / "ansible.cfg"]
    # Of the sites, the one that is applied counts, which is read by itself.
    sites = clone / "inventory/sites"
    for room in ROOMS:
        files += [path for path in _plain_files(clone / room) if sites not in path.parents]
    return "\n".join(_digests(clone, files)).encode()


def _plain_files(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "README.md" and "__pycache__" not in path.parts
    ]


def _digests(base: Path, files: Iterable[Path]) -> Iterator[str]:
    for path in files:
        mode = path.stat().st_mode & 0o111
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield f"{path.relative_to(base)} {bool(mode)} {digest}"
