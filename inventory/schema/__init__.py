"""What the files of a site may say: one field, one line, with its unit and reason.

These models are the edge: strict (no text for a number), closed (an unknown key is an
error) and frozen. The description of a field is what an error message prints as its hint.
"""

from __future__ import annotations

from .acceptance import MountFile
from .access import AccessSwitches, Business, Storage
from .asics import AsicProfile
from .boundary import BoundaryFile
from .lossless import LosslessFile
from .node_profile import NodeProfile, RailPort
from .oob import Oob
from .racks import Racks
from .role_variables import RoleValues, RoleVariablesFile
from .site import Override, Rollout, SiteFile
from .switch_profile import SwitchProfile
from .topology import ServerGroup, Topology
from .tuning import TuningFile
from .types import PATTERNS
from .versions import CompatFile, VersionsSection

__all__ = [
    "PATTERNS",
    "AccessSwitches",
    "AsicProfile",
    "BoundaryFile",
    "Business",
    "CompatFile",
    "Compute",
    "LosslessFile",
    "MountFile",
    "NodeProfile",
    "Oob",
    "Override",
    "Racks",
    "RailPort",
    "RoleValues",
    "RoleVariablesFile",
    "Rollout",
    "ServerGroup",
    "SiteFile",
    "Storage",
    "SwitchProfile",
    "Topology",
    "TuningFile",
    "VersionsSection",
]
