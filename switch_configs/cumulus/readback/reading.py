"""What the readers hand over to each other, before it is made into facts."""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.readback.facts import Hazard, PolicyFacts, QosFacts, SessionFacts, TableFacts


@dataclass
class Iface:
    """An interface as configured.

    `profiles` are its QoS profiles by kind, `domain` is the bridge that it is in.
    """

    name: str
    kind: str
    speed: str | None = None
    fec: str | None = None
    autoneg: bool | None = None
    mtu: int | None = None
    addresses: list[str] = field(default_factory=list)
    gateways: list[str] = field(default_factory=list)
    description: str = ""
    vrf: str = ""
    base: str | None = None
    vlan: int | None = None
    domain: str | None = None
    access: int | None = None
    untagged: str | None = None
    tagged: list[int] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    mlag: int | None = None
    shared: bool = False
    breakout: int | None = None
    adaptive: bool = False
    watchdog: bool = False
    profiles: dict[str, str] = field(default_factory=dict)
    acls: list[str] = field(default_factory=list)
    gateway: str | None = None
    gateway_up: bool = False


@dataclass
class CumulusReading:
    """Filled by the readers, one part of the tree each.

    `neighbours` are those of BGP in any table, by address or by port.
    """

    interfaces: dict[str, Iface] = field(default_factory=dict)
    qos: dict[str, QosFacts | None] = field(default_factory=dict)
    bridge_vlans: list[int] = field(default_factory=list)
    domains: list[str] = field(default_factory=list)
    asn: int | None = None
    neighbours: set[str] = field(default_factory=set)
    router_id: str | None = None
    sessions: list[SessionFacts] = field(default_factory=list)
    policies: list[PolicyFacts] = field(default_factory=list)
    originates: list[str] = field(default_factory=list)
    discards: list[str] = field(default_factory=list)
    ecmp_width: int | None = None
    tables: list[TableFacts] = field(default_factory=list)
    drained: bool = False
    hazards: list[str] = field(default_factory=list)
    open_to: dict[str, dict[str, bool]] = field(default_factory=dict)

    def broken(self, sentence: str) -> None:
        """Notes what leads nowhere on the lossless path."""
        self.hazards.append(Hazard(sentence, "lossless"))

    def says(self, what: str, who: str, said: bool) -> None:
        """Notes whether a thing says something that a text says of all of its kind, or of none."""
        self.open_to.setdefault(what, {})[who] = said

    def left_open(self) -> list[str]:
        """A sentence for each that leaves open what others of its kind in the text say."""
        return [
            f"{who} leaves open {what}, which others here say"
            for what, held in self.open_to.items()
            if any(held.values())
            for who, said in held.items()
            if not said
        ]
