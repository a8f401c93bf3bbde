"""`fabric.yml` as a whole."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..plan import Engine
from .access import Business, Storage
from .boundary import BoundaryFile
from .compute import Compute
from .lossless import LosslessFile
from .oob import Oob
from .racks import Racks
from .role_variables import RoleVariablesFile
from .switch_services import RawFile, ServerLoginFile, SwitchServicesFile
from .topology import ServerGroup, Topology
from .types import Address, Closed, Count, Key, Name, PrivateAsn, Reference
from .versions import VersionsSection


class Override(Closed):
    """Values of one device where reality differs from the formula."""

    asn: PrivateAsn | None = Field(default=None, description="ASN of this switch")
    loopback: Address | None = Field(default=None, description="loopback of this switch")
    management_address: Address | None = Field(
        default=None, description="address of its management port, inside its zone"
    )


# At most two: beyond, what is missing is no longer chance.
Share = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]


class Rollout(Closed):
    """The most devices of a kind in one wave. A wave never crosses a failure domain either."""

    nodes: Count = Field(default=32, description="nodes of one pod changed together")
    leaves: Count = Field(
        default=8,
        description="leaves of one rail, or OOB switches of racks, changed together",
    )
    spines: Count = Field(default=1, description="spines changed together")
    absence_percent: Share = Field(
        default=1.0,
        description="nodes of pods that a gate may go on without, as a share in percent",
    )


class SiteFile(Closed):
    """`fabric.yml`: the intent of one site, written by people."""

    site: Name = Field(description="name of the site")
    engine: Engine = Field(description="the engine that changes nodes (the other may check)")
    engine_groups: dict[Key, Engine] = Field(
        default_factory=dict, description="node group to the engine that changes it instead"
    )
    rollout: Rollout = Field(
        default_factory=Rollout, description="how many devices a wave changes at once"
    )
    topology: Topology
    compute: Compute
    storage: Storage | None = Field(default=None, description="the storage plane")
    business: Business | None = Field(default=None, description="the business plane")
    servers: dict[Key, ServerGroup] = Field(
        default_factory=dict, description="servers beside the pods, by group"
    )
    racks: Racks | None = Field(default=None, description="racks and their limits")
    lossless: LosslessFile
    oob: Oob
    switch_services: SwitchServicesFile = Field(
        default_factory=SwitchServicesFile, description="servers of the switches"
    )
    logins: Annotated[list[ServerLoginFile], Field(max_length=64)] = Field(
        default_factory=list,
        description="who railbed is on servers; of entries that name one the first counts, and "
        "where none does it is root",
    )
    raw: Annotated[list[RawFile], Field(max_length=256)] = Field(
        default_factory=list, description="lines that go into switch configurations as they are"
    )
    boundary: BoundaryFile | None = Field(
        default=None, description="what stands between the site and the outside"
    )
    versions: VersionsSection = Field(
        default_factory=VersionsSection, description="software, firmware and BIOS settings wanted"
    )
    credentials: dict[Key, Reference] = Field(
        description="a site names where a secret lies, never the secret"
    )
    role_variables: RoleVariablesFile = Field(
        default_factory=RoleVariablesFile,
        description="variables of roles in place of the roles' defaults",
    )
    overrides: dict[str, Override] = Field(
        default_factory=dict, description="device to the values that differ from the formula"
    )
