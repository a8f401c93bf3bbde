"""What the files of a site may say: one field, one line, with its unit and reason.

These models are the edge: strict (no text for a number), closed (an unknown key is an
error) and frozen. The description of a field is what an error message prints as its hint.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from .plan import Arch, Boot, Clock, Engine, LosslessMode


def _network(value: object) -> object:
    if not isinstance(value, str) or "/" not in value:
        raise ValueError("an IPv4 network, like 10.16.0.0/16")
    try:
        return IPv4Network(value)
    except ValueError as error:
        if "host bits" in str(error):
            raise ValueError(
                f"the network's first address, {IPv4Network(value, strict=False)}"
            ) from None
        raise ValueError("an IPv4 network, like 10.16.0.0/16") from None


def _address(value: object) -> object:
    try:
        return IPv4Address(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("an IPv4 address, like 10.88.0.11") from None


_REFERENCE = re.compile(r"file:[^\s:]+|env:[A-Z_][A-Z0-9_]*")


def _reference(value: object) -> object:
    # The value may be a secret, so no message repeats it.
    if not isinstance(value, str) or not _REFERENCE.fullmatch(value):
        raise ValueError("a reference: `file:PATH` or `env:NAME`")
    return value


_PORT_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9/._-]*\{n\}[A-Za-z0-9/._-]*")


def _port_pattern(value: object) -> object:
    if not isinstance(value, str) or not _PORT_PATTERN.fullmatch(value):
        raise ValueError("a port name with `{n}` for its number, like swp{n}")
    return value


_SETTING = re.compile(r"[A-Za-z0-9_.:/-]+( [A-Za-z0-9_.:/-]+)*")


def _setting(value: object) -> object:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not _SETTING.fullmatch(text):
        raise ValueError("a number, or words with one space between them")
    return text


Network = Annotated[IPv4Network, BeforeValidator(_network)]
Address = Annotated[IPv4Address, BeforeValidator(_address)]
Reference = Annotated[str, BeforeValidator(_reference)]
PortPattern = Annotated[str, BeforeValidator(_port_pattern)]
# Patterns, and what an error message says in their place. The kernel's limit for an
# interface name is 15 characters (linux/if.h, IFNAMSIZ).
_NAME = r"^[a-z][a-z0-9-]{0,61}$"
_KEY = r"^[a-z][a-z0-9_]{0,61}$"
_PORT = r"^[A-Za-z][A-Za-z0-9/._-]{0,14}$"
_DOMAIN = r"^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9][a-z0-9-]{0,62})+$"
# A GRUB drop-in and sysctl.d print these as they stand: nothing that a shell would take apart.
_ARGUMENT = r"^[A-Za-z0-9_.-]+(=[A-Za-z0-9_.,:/@+-]+)?$"
_SYSCTL = r"^[a-z0-9_]+(\.[A-Za-z0-9_/-]+)+$"
PATTERNS = {
    _NAME: "lower case letters, digits and `-`, a letter first",
    _KEY: "lower case letters, digits and `_`, a letter first",
    _PORT: "an interface name of 15 characters at most",
    _DOMAIN: "a DNS domain in lower case, like site.internal",
    _ARGUMENT: "one kernel argument, like iommu=pt",
    _SYSCTL: "a kernel parameter, like net.ipv4.tcp_rmem",
}
Name = Annotated[str, StringConstraints(pattern=_NAME)]
Key = Annotated[str, StringConstraints(pattern=_KEY)]
Port = Annotated[str, StringConstraints(pattern=_PORT)]
Domain = Annotated[str, StringConstraints(pattern=_DOMAIN, max_length=200)]
KernelArgument = Annotated[str, StringConstraints(pattern=_ARGUMENT, max_length=200)]
SysctlName = Annotated[str, StringConstraints(pattern=_SYSCTL)]
SysctlValue = Annotated[str, BeforeValidator(_setting)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
# Far above any two-tier fabric; it bounds what a mistyped number can cost.
Count = Annotated[int, Field(ge=1, le=1024)]
# RFC 6996, section 5: the private use range of 4-byte AS numbers.
PrivateAsn = Annotated[int, Field(ge=4_200_000_000, le=4_294_967_294)]
Dscp = Annotated[int, Field(ge=0, le=63)]
Priority = Annotated[int, Field(ge=0, le=7)]
# RFC 791 wants 576 of every IPv4 host; above 9216 common switch hardware ends.
IpMtu = Annotated[int, Field(ge=576, le=9216)]
Gbps = Annotated[float, Field(gt=0, le=3200, allow_inf_nan=False)]
Metres = Annotated[float, Field(gt=0, le=2000, allow_inf_nan=False)]


class Closed(BaseModel):
    """The settings of every model here."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Maxima(Closed):
    """What the site may grow to. Allocation by position counts with these, for ever."""

    pods: Count = Field(description="most pods the cabling leaves room for")
    spines: Count = Field(description="most spines the leaves leave uplinks for")
    nodes_per_pod: Count = Field(description="most nodes of a pod: node ports of a leaf")


class Topology(Closed):
    """What is built: in each pod one leaf per rail, and every leaf on every spine."""

    kind: Literal["rail-optimized-two-tier"]
    pods: Count = Field(description="pods built")
    spines: Count = Field(description="spines built")
    nodes_per_pod: Count = Field(description="nodes in each pod")
    uplinks_per_spine: Count = Field(description="links from each leaf to each spine")
    nodes_per_rack: Count | None = Field(
        default=None,
        description="nodes that share a rack, by position in the pod, if one rule holds",
    )
    fabric_links: Literal["unnumbered", "numbered"] = Field(
        description="unnumbered: RFC 5549 next hops; numbered: a /31 on each (RFC 3021)"
    )
    maxima: Maxima


class Pools(Closed):
    """Address space of the compute plane; each pool is split by position within the maxima."""

    loopbacks: Network = Field(description="a /32 of each switch")
    links: Network = Field(description="a /31 of each leaf-spine link, used when numbered")
    rails: Network = Field(description="split by rail, then by pod: one aggregate a leaf")


class Asn(Closed):
    """Private 4-byte AS numbers (RFC 6996). All spines share one (RFC 7938, 5.2.1)."""

    spines: PrivateAsn = Field(description="the one ASN of all spines")
    leaves: PrivateAsn = Field(description="the ASN of the first leaf; the others follow")


class CableMetres(Closed):
    """Cable lengths: what headroom is counted from."""

    node_leaf: Metres = Field(description="metres from a node to its leaf")
    leaf_spine: Metres = Field(description="metres from a leaf to a spine")


class TimersFile(Closed):
    """Fabric timers: BGP in seconds (RFC 4271), BFD in milliseconds (RFC 5880)."""

    bgp_keepalive_s: int = Field(ge=1, le=21845, description="seconds between keepalives")
    bgp_hold_s: int = Field(ge=3, le=65535, description="seconds of silence that end a session")
    bgp_connect_s: int = Field(ge=1, le=65535, description="seconds between connection attempts")
    bfd_interval_ms: int = Field(ge=10, le=60000, description="milliseconds between BFD packets")
    bfd_multiplier: int = Field(ge=2, le=255, description="BFD packets missed until down")


class Compute(Closed):
    """The compute plane: which hardware, which numbers."""

    node_profile: Name = Field(description="a profile of profiles/nodes.yml")
    leaf_profile: Name = Field(description="a profile of profiles/switches.yml")
    spine_profile: Name = Field(description="a profile of profiles/switches.yml")
    pools: Pools
    asn: Asn
    cable_m: CableMetres
    timers: TimersFile


class Cnp(Closed):
    """The class of congestion notification packets: strict, capped, lossy."""

    dscp: Dscp = Field(description="DSCP of CNPs, 0 to 63 (RFC 2474)")
    priority: Priority = Field(description="switch priority of CNPs, 0 to 7")


class IpMtuBytes(Closed):
    """IP MTU, so without Ethernet header: frame sizes are the dialects' business."""

    hosts: IpMtu = Field(description="IP MTU of rail NICs, bytes")
    switches: IpMtu = Field(description="IP MTU of switch ports, bytes")


class LosslessFile(Closed):
    """The one class that carries RoCE data."""

    mode: LosslessMode = Field(
        default="full", description="full, or marking-only where the switches have no PFC and ECN"
    )
    dscp: Dscp = Field(description="DSCP of RoCE data, 0 to 63 (RFC 2474)")
    priority: Priority = Field(description="PFC priority of RoCE data, 0 to 7 (IEEE 802.1Qbb)")
    cnp: Cnp
    ip_mtu_bytes: IpMtuBytes


class Zones(Closed):
    """The parts of the OOB plane, each with a network of its own."""

    netmgmt: Network = Field(description="management ports of switches")
    hostmgmt: Network = Field(description="management ports of nodes")


class Oob(Closed):
    """The OOB plane: one server gives leases and names, and is the jump host."""

    server: Name = Field(description="name of the OOB server")
    access: Address = Field(description="where the controller reaches the jump host")
    domain: Domain = Field(description="DNS domain of the site")
    rate_gbps: Gbps = Field(default=1.0, description="rate of a management link, Gb/s")
    cable_m: Metres = Field(default=3.0, description="metres of a management cable")
    packages_port: int = Field(
        default=8080, ge=1, le=65535, description="TCP port where nodes get their packages"
    )
    zones: Zones


class Override(Closed):
    """Values of one device where reality differs from the formula."""

    asn: PrivateAsn | None = Field(default=None, description="ASN of this switch")
    loopback: Address | None = Field(default=None, description="loopback of this switch")
    management_address: Address | None = Field(
        default=None, description="address of its management port, inside its zone"
    )


class Rollout(Closed):
    """The most devices of a kind in one wave. A wave never crosses a failure domain either."""

    nodes: Count = Field(default=32, description="nodes of one pod changed together")
    leaves: Count = Field(default=8, description="leaves of one rail changed together")
    spines: Count = Field(default=1, description="spines changed together")


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
    lossless: LosslessFile
    oob: Oob
    credentials: dict[Key, Reference] = Field(
        description="a site names where a secret lies, never the secret"
    )
    overrides: dict[str, Override] = Field(
        default_factory=dict, description="device to the values that differ from the formula"
    )


class SwitchPorts(Closed):
    """The data ports of a switch, numbered from 1."""

    count: int = Field(ge=1, le=4096, description="data ports")
    name: PortPattern = Field(description="port name, `{n}` is its number")
    rate_gbps: Gbps = Field(description="rate of a port, Gb/s")


class SwitchProfile(Closed):
    """A kind of switch: hardware, switch OS and what its lossless class can do."""

    dialect: Key = Field(description="a folder of switch_configs/")
    release: Text = Field(description="release of the switch OS, quoted")
    management_port: Port = Field(description="its port in the OOB plane")
    ports: SwitchPorts
    lossless: LosslessMode = Field(description="full: PFC, ECN and buffers (or marking-only)")
    source: Text = Field(description="where these numbers come from")

    @property
    def port_names(self) -> frozenset[str]:
        """The names of all data ports."""
        numbers = range(1, self.ports.count + 1)
        return frozenset(self.ports.name.format(n=number) for number in numbers)


class RailPort(Closed):
    """One rail NIC of a node."""

    port: Port = Field(description="the NIC's network interface")
    rate_gbps: Gbps = Field(description="rate of the NIC, Gb/s")
    rdma_device: Port | None = Field(
        default=None, description="the NIC's RDMA device, like mlx5_0, where it has one"
    )


class HugePagesFile(Closed):
    """Huge pages of one size (hugetlbpage.rst of the kernel)."""

    size_kib: Literal[2048, 1048576] = Field(description="2048 or 1048576 (KiB)")
    count: int = Field(ge=1, le=1 << 24, description="pages, split over the NUMA nodes")


class Cpu(Closed):
    """What keeps a CPU awake; what is not said is left to the system."""

    governor: Key | None = Field(default=None, description="cpufreq governor, like performance")
    idle_exit_us: int | None = Field(
        default=None, ge=0, le=100_000, description="deeper idle states than this are off"
    )


class Limits(Closed):
    """What its processes may have; what is not said has the default of the role os_base."""

    memlock_kib: int | None = Field(default=None, ge=64, description="KiB a process may lock")
    open_files: int | None = Field(default=None, ge=256, description="files it may have open")


class TuningFile(Closed):
    """What a kind of server asks of its kernel."""

    clock: Clock = Field(
        default="set", description="measure: chrony never sets it (a container's is its host's)"
    )
    boot: Boot = Field(
        default="grub", description="grub, or file where another program builds the boot entry"
    )
    kernel_arguments: list[KernelArgument] = Field(
        default_factory=list, description="beside those of the huge pages; taken at a reboot"
    )
    hugepages: list[HugePagesFile] = Field(
        default_factory=list, description="pages of each size; the first size is the default"
    )
    cpu: Cpu = Field(default_factory=Cpu)
    limits: Limits = Field(default_factory=Limits)
    sysctls: dict[SysctlName, SysctlValue] = Field(
        default_factory=dict, description="kernel parameters, beside those of every node"
    )
    modules: list[Key] = Field(default_factory=list, description="kernel modules of its RDMA NICs")


class NodeProfile(Closed):
    """A kind of server; `rails` is in rail order."""

    os: Name = Field(default="debian-12", description="the OS: versions/OS-ARCH.yml is its lock")
    arch: Arch = Field(default="amd64", description="amd64 or arm64")
    management_port: Port = Field(description="its port in the OOB plane")
    rails: Annotated[list[RailPort], Field(min_length=1, max_length=16)]
    tuning: TuningFile = Field(default_factory=TuningFile)
    source: Text = Field(description="where these numbers come from")
