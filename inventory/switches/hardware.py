"""From a switch profile to what a dialect may have to name of the box."""

from __future__ import annotations

from inventory.plan import Hardware
from inventory.schema import SwitchProfile


def hardware_of(profile: SwitchProfile) -> Hardware:
    """What a dialect may have to name of the box."""
    ports = profile.ports
    return Hardware(
        asic=profile.asic or "",
        model=profile.model or "",
        platform=profile.platform or "",
        cages=ports.count,
        lanes=ports.lanes,
        lane_map=tuple(map(tuple, ports.lane_map)),
    )
