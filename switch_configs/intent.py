"""OS-neutral words between the plan and a dialect: what goes in, and what comes back.

`SwitchIntent` is what a dialect prints; `SwitchFacts` is what its readback found in a
rendered, running or foreign configuration. Neither knows any switch OS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from inventory.plan import Lossless, Switch

Impact = Literal["none", "runtime", "daemon restart", "link flap", "reload", "reboot"]
Phase = Literal["stage", "check", "checkpoint", "arm", "apply", "confirm", "save", "undo"]


@dataclass(frozen=True, slots=True)
class SwitchIntent:
    """All that a dialect may use to render one switch."""

    site: str
    plan_digest: str
    switch: Switch
    lossless: Lossless
    management_domain: str


@dataclass(frozen=True, slots=True, order=True)
class ConfigFile:
    """One file of a device's configuration, as it must lie on the device.

    `impact` is what changing this file does to traffic.
    """

    path: str
    text: str
    owner: str
    group: str
    mode: str
    impact: Impact


@dataclass(frozen=True, slots=True)
class Rendered:
    """A device's whole configuration, files sorted by path."""

    device: str
    dialect: str
    files: tuple[ConfigFile, ...]


@dataclass(frozen=True, slots=True, order=True)
class PortFacts:
    """A port as configured; `addresses` are `address/bits`, sorted."""

    name: str
    ip_mtu_bytes: int | None
    addresses: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True, order=True)
class SessionFacts:
    """A BGP neighbour as configured; `key` is an address or a port name.

    Times are those in force, defaults included; None is not known. `over_maximum` is what
    happens when the neighbour sends more than `maximum_prefix`.
    """

    key: str
    peer_asn: int | Literal["external", "internal"] | None
    description: str
    policy_in: str | None
    policy_out: str | None
    keepalive_s: int | None
    hold_s: int | None
    connect_s: int | None
    bfd: bool
    bfd_interval_ms: int | None
    bfd_multiplier: int | None
    maximum_prefix: int | None
    over_maximum: Literal["warn", "reset"] | None


@dataclass(frozen=True, slots=True, order=True)
class PermitFacts:
    """Prefixes within `prefix`, from `shortest_bits` to `longest_bits` long."""

    prefix: str
    shortest_bits: int
    longest_bits: int


@dataclass(frozen=True, slots=True, order=True)
class PolicyFacts:
    """A routing policy: what it lets pass; all else is dropped."""

    name: str
    permits: tuple[PermitFacts, ...]


@dataclass(frozen=True, slots=True)
class SwitchFacts:
    """What a configuration says, in words that no switch OS owns.

    `discards` are prefixes whose packets are dropped unless a longer one is known;
    `isolated_ports` neither send to nor receive from any other port; `lldp_hold_s` is how
    long a neighbour believes the last LLDP frame. `hazards` are sentences on what will not
    work as it reads; `unread` are the lines that readback does not understand.
    """

    hostname: str | None
    release: str | None
    asn: int | None
    router_id: str | None
    ports: tuple[PortFacts, ...]
    sessions: tuple[SessionFacts, ...]
    policies: tuple[PolicyFacts, ...]
    originates: tuple[str, ...]
    discards: tuple[str, ...]
    ecmp_width: int | None
    ebgp_requires_policy: bool
    isolated_ports: tuple[str, ...]
    lldp_hold_s: int | None
    hazards: tuple[str, ...]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do on a device during a push.

    `command` runs in the device's shell, or `file` is sent; the step holds when the exit
    status is 0 and `expect` (a regular expression, may be empty) is found in the output.
    `undo` is the command that takes it back ("" where nothing is to be taken back).
    """

    name: str
    phase: Phase
    command: str
    file: ConfigFile | None
    expect: str
    undo: str
    impact: Impact
    timeout_s: int


class Dialect(Protocol):
    """All there is about one switch OS. Pure: it prints and reads text, nothing else."""

    name: str
    platform: str
    releases: tuple[str, ...]

    def render(self, intent: SwitchIntent) -> Rendered:
        """The whole configuration of one switch; deterministic."""

    def fetch_command(self) -> str:
        """One shell command that prints the running configuration, read-only."""

    def running(self, device: str, fetched: str) -> Rendered:
        """The output of `fetch_command` as files, comparable with `render`."""

    def readback(self, rendered: Rendered) -> SwitchFacts:
        """A configuration in neutral words, by code that shares nothing with `render`."""

    def push_steps(self, old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
        """The steps from old to new, in order; empty when nothing differs."""

    def pending_command(self) -> str:
        """Read-only: prints a line when a push is on the device and not confirmed, else nothing."""

    def undo_command(self) -> str:
        """Takes an unconfirmed push back now, as the timer would; harmless when none is."""
