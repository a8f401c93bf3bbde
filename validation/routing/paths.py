"""Which ports a switch must have towards another: valley-free eBGP over the planned links.

RFC 7938 (5.2.1, 5.2.2): a route learnt from above is told to those below only, and a
switch refuses a path that holds its own ASN (RFC 4271, 9.1.2).
"""

from __future__ import annotations

from inventory.plan import Plan

Ports = dict[str, tuple[str, ...]]


def ports_towards(plan: Plan, origin: str, configured: frozenset[str]) -> Ports:
    """For each configured switch but `origin`: its ports on all best paths to `origin`.

    A switch without any path is left out.
    """
    best: dict[str, tuple[bool, frozenset[int]]] = {origin: (True, frozenset())}
    found: dict[str, set[str]] = {}
    level = [origin] if origin in configured else []
    while level:
        reached: dict[str, tuple[bool, frozenset[int]]] = {}
        for name in sorted(level):
            for port, peer, below in _exports(plan, name, best[name], configured):
                if peer in best:
                    continue
                asns = best[name][1] | {plan.switch[name].asn}
                known_below, known_asns = reached.get(peer, (False, asns))
                reached[peer] = (known_below or below, known_asns)
                found.setdefault(peer, set()).add(port)
        best.update(reached)
        level = list(reached)
    return {name: tuple(sorted(ports)) for name, ports in sorted(found.items())}


def _exports(
    plan: Plan, name: str, best: tuple[bool, frozenset[int]], configured: frozenset[str]
) -> list[tuple[str, str, bool]]:
    """(the peer's port, the peer, whether the peer learns it from below) for each export."""
    from_below, asns = best
    told: list[tuple[str, str, bool]] = []
    refused = asns | {plan.switch[name].asn}
    for port in plan.fabric_ports[name]:
        peer = port.peer.device
        # Leaves of a pair have links between them for bonds, and no session there.
        if port.direction == "peer":
            continue
        if peer not in configured or plan.switch[peer].asn in refused:
            continue
        if from_below or port.direction == "down":
            told.append((port.peer.port, peer, port.direction == "up"))
    return told
