"""What one file says, as the readers of this folder hand it over."""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.readback.facts import (
    AclFacts,
    BondFacts,
    Hazard,
    PolicyFacts,
    PortFacts,
    QosFacts,
    SessionFacts,
    TableFacts,
    VlanFacts,
)


@dataclass
class LinuxReading:
    """Filled by the readers, one file each; then made into SwitchFacts."""

    hostname: str | None = None
    release: str | None = None
    asn: int | None = None
    router_id: str | None = None
    ports: list[PortFacts] = field(default_factory=list)
    sessions: list[SessionFacts] = field(default_factory=list)
    policies: list[PolicyFacts] = field(default_factory=list)
    originates: list[str] = field(default_factory=list)
    discards: list[str] = field(default_factory=list)
    ecmp_width: int | None = None
    ebgp_requires_policy: bool = True
    drained: bool = False
    tables: tuple[TableFacts, ...] = ()
    isolated_ports: list[str] = field(default_factory=list)
    management_ports: list[str] = field(default_factory=list)
    vrfs: list[str] = field(default_factory=list)
    vlans: list[VlanFacts] = field(default_factory=list)
    access: dict[str, tuple[AclFacts, ...]] = field(default_factory=dict)
    untrusted: frozenset[str] = frozenset()
    let_in: frozenset[str] = frozenset()
    forwards_nothing: bool = False
    paths: frozenset[str] = frozenset()
    stopped: frozenset[str] = frozenset()
    has_queues_unit: bool = False
    bonds: list[BondFacts] = field(default_factory=list)
    queues: dict[str, QosFacts] = field(default_factory=dict)
    largest_frames: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] | None = None
    ntp: tuple[str, ...] = ()
    syslog: tuple[str, ...] = ()
    lldp_hold_s: int | None = None
    lldp_name: str | None = None
    lldp_release: str | None = None
    lldp_patterns: tuple[str, ...] | None = None
    hazards: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def broken(self, sentence: str) -> None:
        """Notes what leads nowhere on the lossless path."""
        self.hazards.append(Hazard(sentence, "lossless"))
