"""The Plan: everything that must be true of a site. Frozen, sorted, digestible.

Every consumer reads this and nothing else. Nothing here opens a file or a socket.
"""

from __future__ import annotations

from .cables import Cable, PortRef
from .lossless import Lossless
from .nodes import HugePages, Node, RailNic, Tuning
from .oob import Lease, Management, OobServer, Service, Zone
from .packages import LockedPackage, PackageLock, PackageRepo
from .site import Assumption, Plan, Wave
from .switches import BgpSession, RoutePolicy, Switch, SwitchPort, Timers
from .versions import BiosSetting, VersionWanted
from .words import Arch, Boot, Clock, Direction, Engine, LosslessMode, Plane, Tier

__all__ = [
    "Arch",
    "Assumption",
    "BgpSession",
    "BiosSetting",
    "Boot",
    "Cable",
    "Clock",
    "Direction",
    "Engine",
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
    "PortRef",
    "RailNic",
    "RoutePolicy",
    "Service",
    "Switch",
    "SwitchPort",
    "Tier",
    "Timers",
    "Tuning",
    "VersionWanted",
    "Wave",
    "Zone",
]
