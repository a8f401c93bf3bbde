"""`bridge` and `mlag`, and what bonds, ports and SVIs say of them.

Sources: NVIDIA Cumulus Linux 5.14, VLAN-aware Bridge Mode; Multi-Chassis Link Aggregation (MAC
addresses 44:38:39:ff:00:00 to ff:ff, one a pair; the lower priority is primary); Virtual Router
Redundancy.
"""

from __future__ import annotations

from inventory.plan import Pair, SwitchPort, SwitchVlan
from switch_configs.errors import DialectError

from .. import values
from ..tree import Tree, put
from .base import Base
from .interfaces import in_vrf

BRIDGE = "br_default"
# 3725-3999 are the ASIC's own, 4094 is the peer link's (VLAN-aware Bridge Mode, MLAG).
_RESERVED = range(3725, 4000)
_PEER_VLAN = 4094
_PRIMARY, _SECONDARY = 1000, 32768


def bridging(base: Base, tree: Tree) -> None:
    """VLANs, their gateways, the ports that carry them, and the pair of leaves."""
    switch = base.intent.switch
    bridged: dict[str, SwitchPort] = {}
    for port in switch.ports:
        if port.vlans and port.direction != "peer":
            at = port.name if port.bond is None else f"bond{port.bond}"
            if bridged.setdefault(at, port).vlans != port.vlans:
                raise DialectError(f"{base.device}: the ports of {at} carry different VLANs")
    for at, port in bridged.items():
        _member(tree, at, port.vlans)
    for number in sorted({one.id for one in switch.vlans} | _carried(bridged)):
        vlan(base.device, tree, number)
    for one in switch.vlans:
        _svi(base, one, tree)
    if switch.pair:
        _pair(base, switch.pair, tree)


def _carried(bridged: dict[str, SwitchPort]) -> set[int]:
    return {number for port in bridged.values() for number in port.vlans}


def vlan(device: str, tree: Tree, number: int) -> None:
    """A VLAN of the bridge; untagged frames are in none unless a port says so."""
    if number in _RESERVED or not 1 <= number < _PEER_VLAN:
        raise DialectError(
            f"{device}: VLAN {number} is one that Cumulus Linux keeps for itself",
            f"not {_RESERVED.start} to {_RESERVED.stop - 1}, and below {_PEER_VLAN}",
        )
    put(tree, "bridge", "domain", BRIDGE, "vlan", number)


def _member(tree: Tree, at: str, vlans: tuple[int, ...]) -> None:
    """The first VLAN is untagged; a port with one VLAN is an access port."""
    above = ("interface", at, "bridge", "domain", BRIDGE)
    if len(vlans) == 1:
        put(tree, *above, "access", value=vlans[0])
        return
    put(tree, *above, "untagged", value=vlans[0])
    for one in vlans:
        put(tree, *above, "vlan", one)


def _svi(base: Base, vlan: SwitchVlan, tree: Tree) -> None:
    at, words = f"vlan{vlan.id}", base.words
    put(tree, "interface", at, "type", value="svi")
    put(tree, "interface", at, "vlan", value=vlan.id)
    mtu = values.mtu(base.device, at, vlan.ip_mtu_bytes)
    put(tree, "interface", at, "link", "mtu", value=mtu)
    put(tree, "interface", at, words.ipv4, "address", vlan.address)
    gateway = f"{vlan.gateway}/{vlan.address.network.prefixlen}"
    put(tree, "interface", at, words.ipv4, "vrr", "address", gateway)
    put(tree, "interface", at, words.ipv4, "vrr", words.vrr_state, "up")
    for key, word in words.enable.items():
        put(tree, "interface", at, words.ipv4, "vrr", key, value=word)
    if vlan.vrf:
        in_vrf(tree, at, values.table(base.device, vlan.vrf), words)


def _pair(base: Base, pair: Pair, tree: Tree) -> None:
    domain = values.within(base.device, "pair", pair.domain, 0, 65535)
    mac = f"44:38:39:ff:{domain >> 8:02x}:{domain & 255:02x}"
    put(tree, "mlag", "mac-address", value=mac)
    put(tree, "mlag", "backup", pair.peer_management, "vrf", value="mgmt")
    put(tree, "mlag", "peer-ip", value="linklocal")
    put(tree, "mlag", "priority", value=_PRIMARY if pair.primary else _SECONDARY)
    for key, word in base.words.enable.items():
        put(tree, "mlag", key, value=word)
    _peer_link(base, pair, tree)


def _peer_link(base: Base, pair: Pair, tree: Tree) -> None:
    ports = {port.name: port for port in base.intent.switch.ports}
    for name in pair.ports:
        put(tree, "interface", "peerlink", "bond", "member", name)
    mtu = min(ports[name].ip_mtu_bytes for name in pair.ports)
    put(tree, "interface", "peerlink", "link", "mtu", value=mtu)
    put(tree, "interface", "peerlink", "type", value="peerlink")
    at = ("interface", f"peerlink.{_PEER_VLAN}")
    put(tree, *at, "type", value="sub")
    put(tree, *at, "base-interface", value="peerlink")
    put(tree, *at, "vlan", value=_PEER_VLAN)
