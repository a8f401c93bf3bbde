"""What the files of a site may say: one field, one line, with its unit and reason.

These models are the edge: strict (no text for a number), closed (an unknown key is an
error) and frozen. The description of a field is what an error message prints as its hint.
"""

from __future__ import annotations

from .acceptance import MountFile
from .access import AccessSwitches
from .asics import AsicProfile
from .boundary import BoundaryFile
from .lossless import LosslessFile
from .node_profile import NodeProfile, RailPort
from .racks import Racks
from .role_variables import RoleValues
from .site import Rollout, SiteFile
from .switch_profile import SwitchProfile
from .tuning import TuningFile
from .types import PATTERNS
from .versions import CompatFile, VersionsSection

__all__ = [
    "PATTERNS",
    "AccessSwitches",
    "AsicProfile",
    "BoundaryFile",
    "CompatFile",
    "LosslessFile",
    "MountFile",
    "NodeProfile",
    "Racks",
    "RailPort",
    "RoleValues",
    "Rollout",
    "SiteFile",
    "SwitchProfile",
    "TuningFile",
    "VersionsSection",
]
