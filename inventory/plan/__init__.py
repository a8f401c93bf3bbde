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
from .hardware import Hardware, RawStanza
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
from .nodes import AccessNic, AccessVlan, HugePages, Node, RailNic, Tuning
from .oob import Lease, Management, OobPort, OobServer, OobSwitch, Service, Zone
from .packages import LockedPackage, PackageLock, PackageRepo
from .racks import Pdu, Rack, RackedDevice
from .services import SnmpUser, SwitchServices, Tacacs
from .site import Assumption, Capacity, Plan, Wave
from .switches import (
    AclRule,
    BgpSession,
    Pair,
    RoutingTable,
    Switch,
    SwitchPort,
    SwitchVlan,
    Timers,
)
from .versions import BiosSetting, VersionWanted
from .words import (
    Arch,
    Boot,
    Clock,
    Direction,
    Engine,
    Fec,
    HeadroomForm,
    LosslessMode,
    OobTier,
    Plane,
    Tier,
    WatchdogAction,
)

__all__ = [
    "AccessNic",
    "AccessVlan",
    "AclRule",
    "Arch",
    "Assumption",
    "BgpSession",
    "BiosSetting",
    "Boot",
    "Boundary",
    "Cable",
    "Capacity",
    "Clock",
    "Direction",
    "Dmz",
    "EcnMarking",
    "EdgeRouter",
    "Engine",
    "Fec",
    "Firewall",
    "FirewallSeats",
    "Flow",
    "Hardware",
    "Headroom",
    "HeadroomForm",
    "HeadroomPolicy",
    "HugePages",
    "Lease",
    "LoadBalancer",
    "LockedPackage",
    "Lossless",
    "LosslessMode",
    "Management",
    "Nat",
    "Node",
    "OobPort",
    "OobServer",
    "OobSwitch",
    "OobTier",
    "PackageLock",
    "PackageRepo",
    "Pair",
    "Pdu",
    "Place",
    "Plan",
    "Plane",
    "PortBuffers",
    "PortRef",
    "Rack",
    "RackedDevice",
    "RailNic",
    "RawStanza",
    "RoutingTable",
    "Service",
    "SnmpUser",
    "Switch",
    "SwitchBuffers",
    "SwitchPort",
    "SwitchServices",
    "SwitchVlan",
    "Tacacs",
    "Tier",
    "Timers",
    "TrafficClass",
    "Tuning",
    "VersionWanted",
    "Watchdog",
    "WatchdogAction",
    "Wave",
    "Zone",
]
