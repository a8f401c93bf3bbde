"""What stands in nftables.conf beside the management port: access lists, and untrusted DSCPs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inventory.plan import AclRule, Switch

from .interfaces import bond_port, vlan_port
from .words import natural

_VERDICTS = {"permit": "accept", "deny": "drop"}


@dataclass(frozen=True, slots=True)
class AccessList:
    """What may come in from a VLAN: rules of nft(8) in order; all else is dropped."""

    port: str
    rules: tuple[str, ...]


def access_lists(switch: Switch) -> tuple[AccessList, ...]:
    """One for each VLAN that has rules: where there are none, nothing is dropped."""
    return tuple(
        AccessList(vlan_port(vlan.id), tuple(map(_rule, vlan.acl)))
        for vlan in sorted(switch.vlans, key=lambda one: one.id)
        if vlan.acl
    )


def _rule(rule: AclRule) -> str:
    return " ".join((*_matches(rule), _VERDICTS[rule.action]))


def _matches(rule: AclRule) -> Iterator[str]:
    """IPv4 is said always: `any` means any IPv4 address."""
    yield "meta nfproto ipv4"
    if rule.source != "any":
        yield f"ip saddr {rule.source}"
    if rule.destination != "any":
        yield f"ip daddr {rule.destination}"
    if rule.port is not None:
        yield f"{rule.protocol} dport {rule.port}"
    elif rule.protocol != "ip":
        yield f"meta l4proto {rule.protocol}"


def untrusted_ports(switch: Switch) -> tuple[str, ...]:
    """Ports of the bridge towards users: what DSCP they send means nothing."""
    found = {
        bond_port(port.bond) if port.bond is not None else port.name
        for port in switch.ports
        if port.plane == "business" and port.direction == "down" and port.vlans
    }
    return tuple(sorted(found, key=natural))
