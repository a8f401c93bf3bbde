"""Where a lab lies on this machine; every name carries the lab's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from inventory import state

CLONE = Path(__file__).resolve().parents[2]
IMAGES = Path("/var/cache/railbed/images")
APPLIED = Path("/var/cache/railbed/applied")
LABS = Path("/var/lib/railbed/labs")
RUNTIME = Path("/run/railbed")
NETNS = Path("/run/netns")

# A port's name has at most 15 characters (IFNAMSIZ, netdevice(7)): "rb-" + name + "-u".
NAME = re.compile(r"[a-z][a-z0-9]{0,9}")


@dataclass(frozen=True, slots=True)
class LabPaths:
    """The places of the lab `name`; raises RailbedError for a name that would not fit."""

    name: str

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise RailbedError(
                f"'{self.name}' cannot name a lab",
                hint="a letter and up to nine more letters or digits, all small, e.g. lab2",
            )

    @property
    def state(self) -> Path:
        """What the rest of railbed reads: access, host keys, key, cables."""
        return state.STATE_ROOT / "labs" / self.name

    @property
    def disks(self) -> Path:
        """The machines' overlays."""
        return LABS / self.name

    @property
    def runtime(self) -> Path:
        """What is gone after a reboot of the host."""
        return RUNTIME / self.name

    @property
    def spec(self) -> Path:
        """The lab as it was built; there only while it is up."""
        return self.runtime / "lab.json"

    @property
    def lock(self) -> Path:
        """Held by whoever changes the lab."""
        return RUNTIME / f"{self.name}.lock"

    @property
    def owner(self) -> Path:
        """Names the guarded run that brought the lab up; beside it, to be there before it."""
        return RUNTIME / f"{self.name}.owner"

    @property
    def host_port(self) -> str:
        """The host's end of the cable to the jump host."""
        return f"rb-{self.name}-u"

    def netns(self, machine: str) -> str:
        """The network namespace of a machine."""
        return f"rb-{self.name}-{machine}"

    def root(self, machine: str) -> Path:
        """A machine's root folder, as mounted."""
        return self.disks / machine / "root"

    def upper(self, machine: str) -> Path:
        """What a machine has written over its image."""
        return self.disks / machine / "upper"
