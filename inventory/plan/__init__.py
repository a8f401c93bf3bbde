"""The Plan: everything that must be true of a site. Frozen, sorted, digestible.

Every consumer reads this and nothing else. Nothing here opens a file or a socket.
"""

from __future__ import annotations

from .boundary import (
    Boundary,
    Dmz,
    EdgeRouter,
    Firewall,
    FirewallSeats,
    Flow,
    LoadBalancer,
    Nat,
    Place,
)
from .cables import Cable, PortRef
from .lossless import Lossless
from .nodes import HugePages, Node, RailNic, Tuning
from .oob import Lease, Management, OobServer, Service, Zone
from .packages import LockedPackage, PackageLock, PackageRepo
from .site import Assumption, Plan, Wave
from .switches import BgpSession, RoutePolicy, Switch, SwitchPort, Timers
from .words import Arch, Boot, Clock, Direction, Engine, LosslessMode, Plane, Tier

__all__ = [
    "Arch",
    "Assumption",
    "BgpSession",
    "Boot",
    "Boundary",
    "Cable",
    "Clock",
    "Direction",
    "Dmz",
    "EdgeRouter",
    "Engine",
    "Firewall",
    "FirewallSeats",
    "Flow",
    "HugePages",
    "Lease",
    "LoadBalancer",
    "LockedPackage",
    "Lossless",
    "LosslessMode",
    "Management",
    "Nat",
    "Node",
    "OobServer",
    "PackageLock",
    "PackageRepo",
    "Place",
    "Plan",
    "Plane",
    "PortRef",
    "RailNic",
    "RoutePolicy",
    "Service",
    "Switch",
    "SwitchPort",
    "Tier",
    "Timers",
    "Tuning",
    "Wave",
    "Zone",
]
