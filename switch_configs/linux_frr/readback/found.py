"""What one file says, as the readers of this folder hand it over."""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.facts import PolicyFacts, PortFacts, SessionFacts, TableFacts


@dataclass
class Found:
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
    lldp_hold_s: int | None = None
    lldp_name: str | None = None
    hazards: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
