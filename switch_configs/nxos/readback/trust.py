"""Where the trust in DSCPs ends: what users mark must not reach a switch that believes it."""

from __future__ import annotations

from collections.abc import Iterator

from .layer2 import channels, is_peer
from .reading import DEFAULT_CLASS, NxosReading, Port


def clears(policy: str, found: NxosReading) -> bool:
    """Whether a policy makes every DSCP 0 and leaves every packet in best effort."""
    groups, marks = found.groups.get(policy, {}), found.marks.get(policy, {})
    return marks == {DEFAULT_CLASS: 0} and groups in ({}, {DEFAULT_CLASS: 0})


def has_tags(port: Port, found: NxosReading) -> bool:
    """Whether packets have VLAN tags there: on trunks, and on ports with subinterfaces.

    A mode that is not understood may have them.

    Any other packet is in the default class, whatever `match cos` asks (Cisco, Nexus 3000 and 9000,
    Configuring Trust Boundaries), unless `untagged cos` gives it a priority.
    """
    if port.switched:
        return port.mode not in ("access", "host")
    return any(one.startswith(f"{port.name}.") for one in found.ports)


def tags(port: Port, channel: Port | None, policy: str, found: NxosReading) -> dict[int, int]:
    """The qos-group of each priority that tags of a port have; the first class that asks has it."""
    of: dict[int, int] = {}
    tagged = any(has_tags(one, found) for one in (port, channel) if one)
    for name, group in found.groups.get(policy, {}).items():
        for cos in found.by_tag.get(name, ()):
            if tagged or cos == port.untagged_cos:
                of.setdefault(cos, group)
    return of


def _by_tag_alone(policy: str, found: NxosReading) -> bool:
    """Whether a policy sorts by tags and by no DSCP."""
    names = found.groups.get(policy, {}).keys()
    return not names.isdisjoint(found.by_tag) and not any(map(found.class_maps.get, names))


def believed(found: NxosReading) -> Iterator[str]:
    """Ports that trust no DSCP and leave it to the next switch, where this one has trust at all.

    Who is in best effort here enters the lossless class there. Between the leaves of a pair
    DSCPs stay: the other leaf has cleared those of its users.
    """
    own = channels(found)
    policies = {
        port.name: own.get(port.channel or 0, port).qos_in or found.system_input
        for port in found.ports.values()
        if port.kind == "Ethernet" and "." not in port.name and not is_peer(port, found)
    }
    by_tag = {one for one in policies.values() if _by_tag_alone(one, found)}
    if all(clears(one, found) for one in policies.values() if one and one not in by_tag):
        return
    for name, policy in policies.items():
        port = found.ports[name]
        sees_tags = any(has_tags(one, found) for one in (port, own.get(port.channel or 0, port)))
        if not policy or (policy in by_tag and not sees_tags):
            yield f"the DSCPs of port {name} stay, and other ports trust what they read"
