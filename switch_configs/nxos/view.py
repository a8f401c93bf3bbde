"""All that the templates print of one switch, put together from its parts."""

from __future__ import annotations

from dataclasses import dataclass

from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, SwitchIntent

from . import words
from .view_bgp import Bgp, bgp
from .view_layer2 import Acl, Vlan, Vpc, acls, vlans, vpc
from .view_oob import oob_breakouts, oob_ports, oob_vlans
from .view_policies import Policies, policies
from .view_ports import Breakout, Interface, breakouts, interfaces, jumbo_mtu
from .view_qos import Qos, qos
from .view_services import Services, services

# Lets a TCAM region hold BGP neighbours over link-local addresses; a reload makes it so. Cisco
# Nexus 9000 NX-OS Unicast Routing guide, "BGP Interface Peering via IPv6 Link-Local".
_TCAM_ASICS = "cloudscale"
TCAM_ING_SUP = 768


@dataclass(frozen=True, slots=True)
class Table:
    """A routing table beside the default one, with its discard routes."""

    name: str
    discards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """One switch, ready to print; None is a section that is not there."""

    device: str
    version: str
    features: tuple[str, ...]
    jumbo_mtu: int | None
    tcam_ing_sup: int | None
    hash_seed: int | None
    bfd: Bfd | None
    services: Services
    acls: tuple[Acl, ...]
    qos: Qos | None
    vlan_list: str
    vlans: tuple[Vlan, ...]
    discards: tuple[str, ...]
    policies: Policies
    tables: tuple[Table, ...]
    vpc: Vpc | None
    breakouts: tuple[Breakout, ...]
    interfaces: tuple[Interface, ...]
    bgp: Bgp | None


@dataclass(frozen=True, slots=True)
class Bfd:
    """Times of all BFD sessions."""

    interval_ms: int
    multiplier: int


def view(intent: SwitchIntent | OobIntent) -> View:
    """The view of one switch; `DialectError` for what NX-OS cannot do."""
    return _oob(intent) if isinstance(intent, OobIntent) else _data(intent)


def _data(intent: SwitchIntent) -> View:
    switch = intent.switch
    device = words.name(switch.name, "switch name", switch.name)
    if switch.adaptive_routing:
        raise DialectError(
            f"{device}: dialect nxos has no adaptive routing that anybody could check",
            "`compute.adaptive_routing: false`",
        )
    shown = qos(intent)
    unnumbered = any(session.peer_address is None for session in switch.sessions)
    is_bonded = any(port.bond is not None for port in switch.ports)
    own_vlans = vlans(switch)
    return View(
        device=device,
        version=version(switch.release),
        features=_features(
            {
                "bgp": True,
                "bfd": bool(switch.sessions),
                "interface-vlan": bool(switch.vlans),
                "hsrp": bool(switch.vlans),
                "lacp": is_bonded or switch.pair is not None,
                "vpc": switch.pair is not None,
                "tacacs+": intent.services.tacacs is not None,
                "grpc": intent.services.gnmi_port is not None,
            }
        ),
        jumbo_mtu=jumbo_mtu(switch),
        tcam_ing_sup=TCAM_ING_SUP
        if unnumbered and switch.hardware.asic.startswith(_TCAM_ASICS)
        else None,
        hash_seed=words.within(switch.hash_seed, 1, 4294967295, "hash seed", device),
        bfd=_bfd(intent) if switch.sessions else None,
        services=services(intent.services, switch.management, device, "mgmt0"),
        acls=acls(switch),
        qos=shown,
        vlan_list=",".join(str(vlan.number) for vlan in own_vlans),
        vlans=own_vlans,
        discards=tuple(map(str, sorted(switch.aggregates))),
        policies=policies(intent),
        tables=tuple(
            Table(
                words.name(table.vrf, "routing table", device, 32),
                tuple(map(str, sorted(table.aggregates))),
            )
            for table in switch.tables[1:]
        ),
        vpc=vpc(switch),
        breakouts=breakouts(switch),
        interfaces=interfaces(intent, shown),
        bgp=bgp(intent),
    )


def _oob(intent: OobIntent) -> View:
    switch = intent.switch
    device = words.name(switch.name, "switch name", switch.name)
    own_vlans = oob_vlans(intent)
    return View(
        device=device,
        version=version(switch.release),
        features=_features(
            {
                # Private VLANs do nothing without it (Layer 2 Switching guide, limitations).
                "interface-vlan": True,
                "private-vlan": True,
                "tacacs+": intent.services.tacacs is not None,
                "grpc": intent.services.gnmi_port is not None,
            }
        ),
        jumbo_mtu=None,
        tcam_ing_sup=None,
        hash_seed=None,
        bfd=None,
        services=services(intent.services, switch.management, device, ""),
        acls=(),
        qos=None,
        vlan_list=",".join(str(vlan.number) for vlan in own_vlans),
        vlans=own_vlans,
        discards=(),
        policies=Policies((), (), ()),
        tables=(),
        vpc=None,
        breakouts=oob_breakouts(intent),
        interfaces=oob_ports(intent),
        bgp=None,
    )


# In the order of `show running-config`, as far as published ones agree.
_ORDER = (
    "grpc", "tacacs+", "bgp", "private-vlan", "interface-vlan", "hsrp", "lacp", "vpc", "lldp",
    "bfd",
)  # fmt: skip


def _features(asked: dict[str, bool]) -> tuple[str, ...]:
    return tuple(one for one in _ORDER if asked.get(one) or one == "lldp")


def version(release: str) -> str:
    """The release as a configuration shows it: without the letter of its kind."""
    return release.rstrip("FM")


def _bfd(intent: SwitchIntent) -> Bfd:
    timers, device = intent.switch.timers, intent.switch.name
    return Bfd(
        words.within(timers.bfd_interval_ms, 50, 999, "BFD interval in ms", device),
        words.within(timers.bfd_multiplier, 1, 50, "BFD multiplier", device),
    )
