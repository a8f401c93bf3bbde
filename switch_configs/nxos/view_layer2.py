"""VLANs, access lists and the pair of leaves."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.plan import AclRule, Switch

from . import words

MOST_VLAN = 3967
"""NX-OS keeps 3968 to 4095 for itself (Cisco Nexus 9000 NX-OS Layer 2 Switching guide)."""
_PEER_CHANNEL = 4096


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN, and beside it that of its isolated ports; `is_isolated` says that it is one."""

    number: int
    name: str
    isolated: int | None = None
    is_isolated: bool = False


@dataclass(frozen=True, slots=True)
class Acl:
    """A numbered access list; `rules` in their order."""

    name: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vpc:
    """The pair's domain, seen from one leaf."""

    domain: int
    priority: int
    peer: str
    own: str


def vlans(switch: Switch) -> tuple[Vlan, ...]:
    """The VLANs of a leaf, VLAN 1 first: NX-OS always has it."""
    if not switch.vlans:
        return (Vlan(1, ""),)
    ordered = sorted(switch.vlans, key=lambda one: one.id)
    own = (
        Vlan(number(vlan.id, switch.name), vlan_name(vlan.name, switch.name)) for vlan in ordered
    )
    return (Vlan(1, ""), *own)


def number(vlan: int, device: str) -> int:
    """A VLAN number that NX-OS gives away."""
    return words.within(vlan, 2, MOST_VLAN, "VLAN", device)


def vlan_name(text: str, device: str) -> str:
    """At most 32 characters (Cisco Nexus 9000 NX-OS Layer 2 Switching guide, `name`)."""
    return words.name(text, "VLAN name", device, 32)


def acl_name(vlan: int) -> str:
    """The access list of a VLAN's gateway."""
    return f"vlan-{vlan}-in"


def acls(switch: Switch) -> tuple[Acl, ...]:
    """One access list for each VLAN that has rules."""
    ordered = sorted(switch.vlans, key=lambda one: one.id)
    return tuple(
        Acl(
            acl_name(vlan.id),
            tuple(f"{10 * at} {_rule(rule)}" for at, rule in enumerate(vlan.acl, 1)),
        )
        for vlan in ordered
        if vlan.acl
    )


def _rule(rule: AclRule) -> str:
    port = f" eq {rule.port}" if rule.port is not None else ""
    return f"{rule.action} {rule.protocol} {rule.source} {rule.destination}{port}"


def vpc(switch: Switch) -> Vpc | None:
    """The primary leaf has the smaller number (Cisco Nexus 9000 NX-OS Interfaces guide, vPC)."""
    pair = switch.pair
    if pair is None:
        return None
    return Vpc(
        domain=words.within(pair.domain, 1, 1000, "vPC domain", switch.name),
        priority=100 if pair.primary else 200,
        peer=str(pair.peer_management),
        own=str(switch.management.address.ip),
    )


def peer_channel(switch: Switch) -> int:
    """The number of the port-channel between the pair: the highest that no bond has."""
    taken = {port.bond for port in switch.ports}
    return next(one for one in range(_PEER_CHANNEL, 0, -1) if one not in taken)
