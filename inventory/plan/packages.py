"""The packages of nodes, by what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import ClassVar

from .words import Arch


@dataclass(frozen=True, slots=True, order=True)
class LockedPackage:
    """A package file, by what is in it: another file of that version is another package.

    `ending` is that of its file's name.
    """

    ending: ClassVar[str] = "deb"
    name: str
    version: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, order=True)
class LockedRpm(LockedPackage):
    """A package of rpm. Its version is EPOCH:VERSION-RELEASE, without an epoch of 0."""

    ending: ClassVar[str] = "rpm"


@dataclass(frozen=True, slots=True)
class PackageLock:
    """Which packages nodes get. `components` says what roles ask for, `packages` all of them.

    `sets` adds to each component what its packages want at exactly one version: apt changes
    these together or not at all, so roles name and hold all of a set.
    `resolved` is the day on which a mirror had them, `origin` in words where the lock lies.
    """

    os: str
    suite: str
    arch: Arch
    resolved: str
    origin: str
    components: tuple[tuple[str, tuple[str, ...]], ...]
    sets: tuple[tuple[str, tuple[str, ...]], ...]
    packages: tuple[LockedPackage, ...]

    def set_of(self, *components: str) -> dict[str, str]:
        """All packages of some components, sorted, with their versions; none if not locked."""
        known, versions = (
            dict(self.sets),
            {package.name: package.version for package in self.packages},
        )
        names = sorted({name for one in components for name in known.get(one, ())})
        return {name: versions[name] for name in names}


@dataclass(frozen=True, slots=True)
class PackageRepo:
    """The signed repository on the OOB server, open to the nodes' zone `prefix` alone.

    `keyring` is the armoured public key that nodes trust; empty until a signing key was made,
    and then apt on a node refuses the repository.
    """

    port: int
    prefix: IPv4Network
    uri: str
    suite: str
    keyring: str
