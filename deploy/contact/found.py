"""What a first contact found of one device, and of all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .contact_run import Probe
from .decide import Decided


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that a device lacks, and the command or the sentence that mends it."""

    what: str
    mend: str


@dataclass(frozen=True, slots=True)
class Contact:
    """One device: its host key, what a login met (None: nobody tried), and what is missing."""

    device: str
    kind: str
    user: str
    key: Decided
    probe: Probe | None = None
    installed: bool = False
    missing: tuple[Missing, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether its host key is not the one that it must have."""
        return self.key.state == "refused" or bool(self.probe and self.probe.wrong_key)

    @property
    def is_open(self) -> bool:
        """Whether the site's key is let in."""
        return self.probe is not None and self.probe.login


@dataclass(frozen=True, slots=True)
class Enrolled:
    """All devices that were asked for; `written` is the list of host keys, where it changed."""

    contacts: tuple[Contact, ...]
    write: bool
    written: Path | None

    @property
    def exit_code(self) -> int:
        """0 all known and let in, 1 a host key was refused, 3 something is missing."""
        if any(one.refused for one in self.contacts):
            return 1
        return 3 if any(one.missing for one in self.contacts) else 0


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `railbed doctor`; `mend` is "" where it is well."""

    name: str
    state: Literal["ok", "missing", "wrong"]
    said: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Examined:
    """The controller, then one device of each class."""

    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> int:
        """0 all well, 1 something is wrong, 3 something is missing or not known."""
        states = {one.state for one in self.checks}
        return 1 if "wrong" in states else 3 if "missing" in states else 0
