"""Where the trust in DSCPs ends: what users mark must not reach a switch that believes it."""

from __future__ import annotations

from collections.abc import Iterator

from .layer2 import channels, is_peer
from .reading import DEFAULT_CLASS, NxosReading


def clears(policy: str, found: NxosReading) -> bool:
    """Whether a policy makes every DSCP 0 and leaves every packet in best effort."""
    groups, marks = found.groups.get(policy, {}), found.marks.get(policy, {})
    return marks == {DEFAULT_CLASS: 0} and groups in ({}, {DEFAULT_CLASS: 0})


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
    if all(clears(one, found) for one in policies.values() if one):
        return
    if found.by_tag and not any(found.class_maps.values()):  # tags are trusted, and no DSCP
        return
    for name, policy in policies.items():
        if not policy:
            yield f"the DSCPs of port {name} stay, and other ports trust what they read"
