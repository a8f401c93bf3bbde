"""What a server's files and saved outputs say of its NICs, in words that no tool owns.

None is "not said" and never counts as agreement. Each fact has a key (`ens1.trust`,
`NCCL_IB_TC`, `net.ipv4.conf.all.rp_filter`, `rules`), by which `places` knows its `file:line`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields


@dataclass(frozen=True, slots=True, order=True)
class GidFacts:
    """An entry of a GID table; `ipv4` is empty where the GID is no IPv4 address."""

    index: int
    is_v2: bool
    ipv4: str


@dataclass(frozen=True, slots=True, order=True)
class RuleFacts:
    """A policy rule: what comes from `source` (an address, a prefix or `all`) looks up `table`."""

    priority: int | None
    source: str
    table: str


@dataclass(frozen=True, slots=True, order=True)
class RouteFacts:
    """A route that has a table of its own, or a gateway; `port` and `via` are empty where none."""

    table: str
    prefix: str
    port: str
    via: str = ""


def key_of(value: object) -> str:
    """The key of one rule or route."""
    if isinstance(value, RouteFacts):
        return f"route {value.prefix} table {value.table} dev {value.port}"
    return f"rule from {value.source}" if isinstance(value, RuleFacts) else ""


@dataclass(frozen=True, slots=True, order=True)
class ShareFacts:
    """How a NIC serves a priority: its traffic class, `strict` or `ets`, and what it has of ETS."""

    traffic_class: int
    algorithm: str
    percent: int


@dataclass(frozen=True, slots=True)
class NicFacts:
    """A port of a NIC. `device` is its RDMA device, empty where none is named.

    `priority_of` holds pairs of DSCP and priority, of all 64 or of those that a text sets. `tos` is
    the connection manager's, `traffic_class` what all queue pairs are forced to. `ecn_priorities`
    answer marks at both ends of a flow. `shares` are those of priorities 0 to 7; the buffer is
    apart where no paused priority shares one with another. `rules_dcbx` says that the host and
    not firmware rules DCBX. `heard` are system and port that LLDP names. `options` are what else
    files set, in their tools' words, with forms of routes and rules in place of addresses.
    """

    name: str
    device: str = ""
    pci: str = ""
    bond: str = ""
    mtu_bytes: int | None = None
    roce_mtu_bytes: int | None = None
    addresses: tuple[str, ...] | None = None
    rate_gbps: float | None = None
    fec: str | None = None
    autoneg: bool | None = None
    has_global_pause: bool | None = None
    trust: str | None = None
    priority_of: tuple[tuple[int, int], ...] | None = None
    pfc_priorities: tuple[int, ...] | None = None
    shares: tuple[ShareFacts, ...] | None = None
    is_buffer_apart: bool | None = None
    cable_m: int | None = None
    rules_dcbx: bool | None = None
    ecn_priorities: tuple[int, ...] | None = None
    cnp_dscp: int | None = None
    cnp_priority: int | None = None
    tos: int | None = None
    is_roce_v2: bool | None = None
    traffic_class: int | None = None
    gids: tuple[GidFacts, ...] | None = None
    heard: tuple[str, str] | None = None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def is_roce(self) -> bool:
        """Whether anything of RDMA or of a lossless class is said of it."""
        said = (self.pfc_priorities, self.tos, self.traffic_class, self.gids, self.cable_m)
        return bool(self.device) or any(one is not None for one in said)


@dataclass(frozen=True, slots=True)
class Dispute:
    """What a file sets, and what runs or another tool's file sets in its place."""

    key: str
    written: str
    written_at: str
    other: str


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line of a known kind of file that nobody here understands, and what such files are of."""

    topic: str
    text: str
    place: str


@dataclass(frozen=True, slots=True)
class HostFacts:
    """One server. `settings` are variables of NCCL and UCX, `sysctls` those of networks.

    `devices` are the RDMA devices that outputs list, None where no output lists any; `unread` are
    files that look like one of a known kind and cannot be read, with the reason; `unread_lines`
    are lines of files that can. `options` are those of the server, as those of a NIC.
    """

    nics: tuple[NicFacts, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    sysctls: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[RuleFacts, ...] | None = None
    routes: tuple[RouteFacts, ...] | None = None
    devices: tuple[str, ...] | None = None
    places: Mapping[str, str] = field(default_factory=dict)
    disputes: tuple[Dispute, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    unread_lines: tuple[UnreadLine, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def not_said(self) -> tuple[str, ...]:
        """Keys of the facts that nothing here says: only the running server knows them."""
        missing = [
            f"{nic.name}.{one.name}"
            for nic in self.roce_nics
            for one in fields(nic)
            if getattr(nic, one.name) is None
        ]
        missing += [name for name in _WANTED if name not in self.settings]
        missing += [name for name in ("rules", "routes", "devices") if getattr(self, name) is None]
        return tuple(missing)

    @property
    def roce_nics(self) -> tuple[NicFacts, ...]:
        """The NICs that carry RoCE, as far as anything says so."""
        return tuple(nic for nic in self.nics if nic.is_roce)


_WANTED = ("NCCL_IB_TC", "NCCL_IB_GID_INDEX", "NCCL_IB_HCA", "UCX_IB_TRAFFIC_CLASS")
