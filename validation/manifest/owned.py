"""What a device's roles own on it, thing by thing; together, the device's manifest."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256

from inventory.software.systems import Family

# A larger file is no configuration; the probe hashes nothing beyond.
LARGEST_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, order=True)
class OwnedFile:
    """A regular file; `mode` is four octal digits."""

    path: str
    role: str
    sha256: str
    owner: str
    group: str
    mode: str


@dataclass(frozen=True, slots=True, order=True)
class OwnedFolder:
    """A folder; `mode` is four octal digits."""

    path: str
    role: str
    owner: str
    group: str
    mode: str


@dataclass(frozen=True, slots=True, order=True)
class OwnedPackage:
    """An installed package; an empty `version` means any."""

    name: str
    role: str
    version: str
    hold: bool


@dataclass(frozen=True, slots=True, order=True)
class OwnedUnit:
    """A systemd unit; None: not the role's business. One that is masked can nobody start."""

    name: str
    role: str
    enabled: bool | None
    active: bool | None
    masked: bool = False


@dataclass(frozen=True, slots=True, order=True)
class OwnedSysctl:
    """A kernel parameter by its sysctl(8) name; white space in `value` is one space."""

    name: str
    role: str
    value: str


@dataclass(frozen=True, slots=True, order=True)
class OwnedArguments:
    """Words of the kernel's command line, in order; the next boot takes them from `staged`."""

    words: str
    role: str
    staged: str


@dataclass(frozen=True, slots=True, order=True)
class OwnedPort:
    """A network interface; the file `by` alone has a say in it, whichever tool reads it."""

    name: str
    role: str
    by: str


@dataclass(frozen=True, slots=True, order=True)
class OwnedOption:
    """An option of sshd_config(5) as `sshd -T` prints it: what a connection really gets."""

    name: str
    role: str
    value: str


@dataclass(frozen=True, slots=True, order=True)
class Watched:
    """A glob in which a file that no role and no package owns is drift."""

    glob: str
    role: str


@dataclass(frozen=True)
class Manifest:
    """What must be found on a device, sorted; `roles` is in the order in which they run.

    `family` is of its packages: which tool is asked about them.
    """

    device: str
    roles: tuple[str, ...]
    family: Family = "deb"
    files: tuple[OwnedFile, ...] = ()
    folders: tuple[OwnedFolder, ...] = ()
    packages: tuple[OwnedPackage, ...] = ()
    units: tuple[OwnedUnit, ...] = ()
    sysctls: tuple[OwnedSysctl, ...] = ()
    arguments: tuple[OwnedArguments, ...] = ()
    options: tuple[OwnedOption, ...] = ()
    strays: tuple[Watched, ...] = ()
    ports: tuple[OwnedPort, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest's canonical JSON."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def __len__(self) -> int:
        return sum(len(getattr(self, field.name)) for field in fields(self)[3:])
