"""Variables of roles that a site may set: all of it, a group of its nodes, or one node.

A line for each default of a role that nothing else in the inventory decides
(`role_places.py` says where the others are decided). Not given: the role's own default holds.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from .types import Closed, SysctlName, SysctlValue
from .versions import matching

# Of two names at least: programs write and remove below such a folder.
_PLACE = re.compile(r"(/[A-Za-z0-9_][A-Za-z0-9._-]*){2,16}")
# Wildcards are apt's and dnf's: *, ? and [...].
_PACKAGE = re.compile(r"[a-z0-9*?\[][a-zA-Z0-9+.:_*?!\[\]-]{0,99}")
_MEMLOCK = re.compile(r"infinity|[1-9][0-9]{0,15}[KMGT]?")

Place = Annotated[str, matching(_PLACE, "an absolute path, like /opt/nccl-tests")]
Package = Annotated[str, matching(_PACKAGE, "a package, or wildcards, like nvidia-firmware-*")]
Memlock = Annotated[str, matching(_MEMLOCK, "`infinity`, or bytes as text, like '64G'")]
Places = Annotated[list[Place], Field(max_length=64)]
Packages = Annotated[list[Package], Field(max_length=64)]


# No value of any of them: null cannot be written, and `model_fields_set` says what was.
_NOT_GIVEN: Any = None


class RoleValues(Closed):
    """Variables by name; read those of `model_fields_set` alone."""

    container_runtime_files: Places = Field(
        default=_NOT_GIVEN,
        description="files that containers with RDMA devices see, as they lie",
    )
    container_runtime_memlock: Memlock = Field(
        default=_NOT_GIVEN, description="memory that the engine and its containers may lock"
    )
    nccl_tests_folder: Place = Field(
        default=_NOT_GIVEN, description="where nccl-tests are built to, and looked for by launches"
    )
    nccl_tests_source: Place = Field(
        default=_NOT_GIVEN, description="where the sources of nccl-tests are looked for"
    )
    nvidia_driver_conflicts: Packages = Field(
        default=_NOT_GIVEN, description="packages that cannot be beside the open kernel modules"
    )
    nvidia_driver_replaced: Packages = Field(
        default=_NOT_GIVEN, description="packages of which only the wanted version may stay"
    )
    # dnsmasq(8): "The minimum lease time is two minutes."
    oob_server_lease_s: int = Field(
        default=_NOT_GIVEN, ge=120, le=31_536_000, description="DHCP lease time, s"
    )
    oob_server_name_ttl_s: int = Field(
        default=_NOT_GIVEN, ge=0, le=86_400, description="time to live of DNS answers, s"
    )
    oob_server_confirm_s: int = Field(
        default=_NOT_GIVEN, ge=10, le=3600, description="a new SSH connection confirms within, s"
    )
    oob_server_way_back_s: int = Field(
        default=_NOT_GIVEN, ge=60, le=3600, description="a cut-off change goes back after, s"
    )
    os_base_replaced: Packages = Field(
        default=_NOT_GIVEN, description="packages that those of the role replace"
    )
    # 10 are sshd's own (sshd_config(5)); with fewer, engines and probes are refused.
    os_base_ssh_max_sessions: int = Field(
        default=_NOT_GIVEN, ge=10, le=10_000, description="sessions of one SSH connection"
    )
    os_base_ssh_max_startups: int = Field(
        default=_NOT_GIVEN, ge=10, le=10_000, description="SSH connections logging in at once"
    )
    os_base_sysctls: dict[SysctlName, SysctlValue] = Field(
        default=_NOT_GIVEN, description="kernel parameters, laid over the role's own name by name"
    )
    package_repo_connections: int = Field(
        default=_NOT_GIVEN, ge=64, le=65_536, description="connections of one nginx process"
    )
    package_repo_folder: Place = Field(
        default=_NOT_GIVEN, description="where the OOB server keeps the packages"
    )


class RoleVariablesFile(Closed):
    """Who gets which values; the most specific wins: a node, then a group, then the site."""

    site: RoleValues = Field(default_factory=RoleValues, description="every host with the role")
    groups: dict[str, RoleValues] = Field(
        default_factory=dict, description="group of nodes, or profile, to its values"
    )
    nodes: dict[str, RoleValues] = Field(
        default_factory=dict, description="node, or the OOB server, to its values"
    )
