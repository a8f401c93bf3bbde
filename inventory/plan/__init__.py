"""The Plan: everything that must be true of a site. Frozen, sorted, digestible.

Every consumer reads this and nothing else. Nothing here opens a file or a socket.
"""

from __future__ import annotations

from .cables import Cable, PortRef
from .lossless import (
    EcnMarking,
    Headroom,
    HeadroomPolicy,
    Lossless,
    PortBuffers,
    SwitchBuffers,
    TrafficClass,
    Watchdog,
)
from .nodes import HugePages, Node, RailNic, Tuning
from .oob import Lease, Management, OobServer, Service, Zone
from .packages import LockedPackage, PackageLock, PackageRepo
from .site import Assumption, Plan, Wave
from .switches import BgpSession, RoutePolicy, Switch, SwitchPort, Timers
from .words import (
    Arch,
    Boot,
    Clock,
    Direction,
    Engine,
    HeadroomForm,
    LosslessMode,
    Plane,
    Tier,
    WatchdogAction,
)

__all__ = [
    "Arch",
    "Assumption",
    "BgpSession",
    "Boot",
    "Cable",
    "Clock",
    "Direction",
    "EcnMarking",
    "Engine",
    "Headroom",
    "HeadroomForm",
    "HeadroomPolicy",
    "HugePages",
    "Lease",
    "LockedPackage",
    "Lossless",
    "LosslessMode",
    "Management",
    "Node",
    "OobServer",
    "PackageLock",
    "PackageRepo",
    "Plan",
    "Plane",
    "PortBuffers",
    "PortRef",
    "RailNic",
    "RoutePolicy",
    "Service",
    "Switch",
    "SwitchBuffers",
    "SwitchPort",
    "Tier",
    "Timers",
    "TrafficClass",
    "Tuning",
    "Watchdog",
    "WatchdogAction",
    "Wave",
    "Zone",
]
