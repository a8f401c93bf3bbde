"""One look at the servers (the OOB server and nodes): what differs, and which roles must run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from deploy.context import Context
from deploy.differences import Detail
from deploy.servers.drift import DeviceDrift, drift
from switch_configs.intent import Impact
from validation.evidence.gather import Transport
from validation.meaning import Meaning

from .unmended import Unmended, left_on_server


@dataclass(frozen=True, slots=True)
class Difference:
    """What would change on one device; `text` is a diff, or each thing as found and wanted.

    `details` say the same for people, with impact and cause, where somebody asked for them, and
    `means` what it does to a switch's traffic. `drain` says whether that is led past it first.
    """

    device: str
    impact: Impact
    text: str
    details: tuple[Detail, ...] = ()
    means: tuple[Meaning, ...] = ()
    drain: str = ""


@dataclass(frozen=True, slots=True)
class ServerLook:
    """What one round trip to each server found.

    `silent` has those that did not answer, with why; `roles` those on which a role must run,
    with the roles in order (a difference that no role mends is only in `differences`); `seen`
    a digest of what was read of each that answered; `strays` what no run mends; `drifted` what
    was found on those that differ.
    """

    differences: tuple[Difference, ...]
    silent: Mapping[str, str]
    roles: Mapping[str, tuple[str, ...]]
    seen: Mapping[str, str]
    strays: Mapping[str, tuple[Unmended, ...]] = field(default_factory=dict)
    drifted: tuple[DeviceDrift, ...] = ()


def look(context: Context, transport: Transport, hosts: Sequence[str]) -> ServerLook:
    """Compare servers with their manifests, changing nothing; what is not known counts as other."""
    devices = drift(context, transport, hosts).devices
    answered = [one for one in devices if not one.silent]
    differing = [one for one in answered if not one.is_as_planned]
    return ServerLook(
        differences=tuple(Difference(one.device, "runtime", _text(one)) for one in differing),
        silent={one.device: one.silent for one in devices if one.silent},
        roles={one.device: one.roles_to_run for one in differing if one.roles_to_run},
        seen={one.device: digest(_text(one)) for one in answered},
        strays={one.device: found for one in answered if (found := left_on_server(one.found))},
        drifted=tuple(differing),
    )


def digest(text: str) -> str:
    """SHA-256 of what was seen of a device."""
    return sha256(text.encode()).hexdigest()


def _text(one: DeviceDrift) -> str:
    drifts = [f"{drift.role}: {drift}" for drift in one.found.drifts]
    return "\n".join([*drifts, *(f"{known.role}: {known}" for known in one.found.unknowns)])
