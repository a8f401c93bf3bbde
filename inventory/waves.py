"""In which order devices are changed: the OOB server, the nodes, then spines and leaves.

Each kind begins with one device alone, its canary, so that a bad change meets one device.
"""

from __future__ import annotations

from collections.abc import Iterator

from .plan import Node, OobServer, Switch, Wave


def waves(
    server: OobServer, nodes: tuple[Node, ...], switches: tuple[Switch, ...]
) -> tuple[Wave, ...]:
    """All waves in order. A device without an as-built management row is in none."""
    if server.mac is None:
        return ()
    reachable = [one.name for one in nodes if one.management.mac]
    spines = [one.name for one in switches if one.tier == "spine" and one.management.mac]
    leaves = [one.name for one in switches if one.tier == "leaf" and one.management.mac]
    return (
        Wave("oob", "oob", (server.name,), canary=False),
        *_canary_first("nodes", "nodes", reachable),
        *_canary_first("spines", "switches", spines),
        *_canary_first("leaves", "switches", leaves),
    )


def _canary_first(kind: str, step: str, devices: list[str]) -> Iterator[Wave]:
    if devices:
        yield Wave(f"{kind}-canary", step, (devices[0],), canary=True)
    if devices[1:]:
        yield Wave(f"{kind}-rest", step, tuple(devices[1:]), canary=False)
