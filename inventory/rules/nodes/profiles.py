"""Rules over the profiles that a site names: hardware that can exist, and is wired well.

Each rule is a small function over one profile: it yields what was found, what was expected and
a hint. `PROFILE_RULES` asks them of the profiles of a site and puts what they find at the line
that names the profile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import chain
from typing import TypeVar

from inventory.load import profile_names as named
from inventory.load.refused import why_refused
from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.problems import Problem
from inventory.schema import NodeProfile, SwitchProfile
from inventory.schema.switch_profile import SwitchPorts

from .acceptance import programs_have_hardware
from .network import NETWORK_RULES, rail_of
from .tuning import TUNING_RULES

Finding = tuple[str, str, str]
"""What was found, what was expected, and a hint (may be empty)."""
NodeRule = Callable[[str, NodeProfile], Iterator[Finding]]
SwitchRule = Callable[[str, SwitchProfile], Iterator[Finding]]
Word = TypeVar("Word", str, int)
FabricRule = Callable[[Fabric], Iterator[Problem]]

_GOLDEN = "`railbed profile FOLDER` reads the pairs from a golden node"


def rack_scale_nodes_are_refused(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A node that is part of a rack-wide NVLink domain cannot be drained or placed alone."""
    why = why_refused(name) or why_refused(profile.model or "")
    if why:
        yield f"`{name}`", "a server with its own NVLink domain, like `hgx-b300`", why


def rails_serve_gpus_that_exist(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A rail NIC that names a GPU which is not there was counted from 1, or copied."""
    most = len(profile.gpus)
    for place, nic in enumerate(profile.rails):
        if nic.gpu is not None and nic.gpu >= most:
            expected = f"a GPU from 0 to {most - 1}" if most else "a profile with `gpus`"
            found = (
                f"`{name}`, whose rail {rail_of(place, nic)} NIC {nic.port} serves GPU {nic.gpu}"
            )
            yield found, expected, "nvidia-smi counts GPUs from 0"


def rails_stay_on_their_gpus_numa_node(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """Data between a GPU and a NIC of another NUMA node crosses the link between sockets.

    That link is slower than the NIC and shared by all of them.
    """
    for place, nic in enumerate(profile.rails):
        if nic.gpu is None or nic.numa is None or nic.gpu >= len(profile.gpus):
            continue
        gpu = profile.gpus[nic.gpu]
        if nic.numa != gpu.numa:
            one = f"rail {rail_of(place, nic)} NIC {_at(nic.port, nic.pci)} on NUMA node {nic.numa}"
            other = f"GPU {_at(str(nic.gpu), gpu.pci)} on NUMA node {gpu.numa}"
            expected = "a NIC and its GPU on one NUMA node"
            yield f"`{name}`, with {one} and its {other}", expected, _GOLDEN


def _at(what: str, pci: str | None) -> str:
    return f"{what} ({pci})" if pci else what


def pci_addresses_are_distinct(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """One PCI address is one function: two devices with it are a slip of copying.

    The two planes of one rail NIC may be two ports of one function.
    """
    planes = {(rail_of(at, nic), nic.pci) for at, nic in enumerate(profile.rails)}
    others = (nic.pci for nic in chain(profile.storage, profile.business))
    taken = chain((gpu.pci for gpu in profile.gpus), (one for _, one in planes), others)
    for pci in _twice(one for one in taken if one):
        yield f"`{name}`, with two devices at {pci}", "a PCI address for each device", _GOLDEN


def ports_of_a_node_are_distinct(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """One interface in two planes, or for two rails, would join what must be apart."""
    rails = [profile.management_port, *(nic.port for nic in profile.rails)]
    nics = [*profile.storage, *profile.business]
    bmc = [profile.bmc.port] if profile.bmc else []
    for port in _twice([*rails, *(nic.port for nic in nics), *bmc]):
        yield f"`{name}`, which uses the port {port} twice", "each port once", ""
    planes = {(rail_of(at, nic), nic.rdma_device) for at, nic in enumerate(profile.rails)}
    devices = [*(one for _, one in planes), *(nic.rdma_device for nic in nics)]
    for device in _twice(one for one in devices if one):
        yield f"`{name}`, with two NICs of {device}", "one RDMA device for each NIC", ""


def rails_count_from_zero(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """Rail i lands on the leaf of rail i: a number left out would be a leaf without nodes."""
    rails = sorted({rail_of(place, nic) for place, nic in enumerate(profile.rails)})
    if rails != list(range(len(rails))):
        listed = ", ".join(map(str, rails))
        yield (
            f"`{name}`, with the rails {listed}",
            f"rails 0 to {len(rails) - 1}, none left out",
            "",
        )


def planes_are_the_same_on_every_rail(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A rail with one port where others have two would lack half of the second plane's paths."""
    ports = Counter((rail_of(at, nic), nic.nic_plane) for at, nic in enumerate(profile.rails))
    rails, planes = {rail for rail, _ in ports}, {plane for _, plane in ports}
    hint = "a dual-plane NIC names one `rail` twice, with `nic_plane: 0` and `nic_plane: 1`"
    for rail, plane in sorted(place for place, count in ports.items() if count > 1):
        found = f"`{name}`, with two ports of rail {rail} in NIC plane {plane}"
        yield found, "one port for each rail and NIC plane", hint
    for rail, plane in sorted({(r, p) for r in rails for p in planes | {0}} - set(ports)):
        found = f"`{name}`, whose rail {rail} has no port in NIC plane {plane}"
        yield found, "the same NIC planes on every rail", hint


def breakouts_fit_their_cage(name: str, profile: SwitchProfile) -> Iterator[Finding]:
    """The parts of a cage share its lanes: more ways or more rate than it has cannot be."""
    for ports in _cages(profile):
        for split in ports.breakout:
            found = f"`{name}`, split into {split.ways}x{split.rate_gbps:g} Gb/s"
            if split.ways * split.rate_gbps > ports.rate_gbps:
                expected = f"parts of {ports.rate_gbps:g} Gb/s together at most"
                yield found, expected, "the rate of a cage is `ports.rate_gbps`"
            if ports.lanes % split.ways:
                expected = f"ways that divide the cage's {ports.lanes} lanes"
                yield found, expected, "`ports.lanes` is the electrical lanes of a cage"
        for ways in _twice(split.ways for split in ports.breakout):
            yield f"`{name}`, split {ways} ways twice", "each number of ways once", ""


def switch_ports_are_distinct(name: str, profile: SwitchProfile) -> Iterator[Finding]:
    """A name that two cages can have would put two cables into one port."""
    holders: dict[str, set[tuple[int, int]]] = {}
    for kind, ports in enumerate(_cages(profile)):
        for cage in range(1, ports.count + 1):
            for ways in ports.ways():
                names = {ports.port_name(cage, ways, part) for part in range(1, ways + 1)}
                if len(names) < ways:
                    found = f"`{name}`, whose cage {cage} split {ways} ways has names twice"
                    yield found, "a name for each part", "use `{s}`, `{s0}`, `{l1}` or `{lane}`"
                    return
                for one in names:
                    holders.setdefault(one, set()).add((kind, cage))
    shared = sorted(one for one, cages in holders.items() if len(cages) > 1)
    if shared:
        found = f"`{name}`, in which two cages have a port {shared[0]}"
        yield found, "names that no other cage can have", ""


def _cages(profile: SwitchProfile) -> tuple[SwitchPorts, ...]:
    return (profile.ports,) if profile.uplinks is None else (profile.ports, profile.uplinks)


def _twice(names: Iterable[Word]) -> list[Word]:
    return sorted(one for one, count in Counter(names).items() if count > 1)


NODE_RULES: tuple[NodeRule, ...] = (
    rack_scale_nodes_are_refused,
    rails_serve_gpus_that_exist,
    rails_stay_on_their_gpus_numa_node,
    pci_addresses_are_distinct,
    ports_of_a_node_are_distinct,
    rails_count_from_zero,
    planes_are_the_same_on_every_rail,
    programs_have_hardware,
    *NETWORK_RULES,
    *TUNING_RULES,
)
SWITCH_RULES: tuple[SwitchRule, ...] = (breakouts_fit_their_cage, switch_ports_are_distinct)


def compute_nodes_have_rails(fabric: Fabric) -> Iterator[Problem]:
    """A node of the compute plane without a rail NIC has no leaf to be on."""
    if not fabric.node_profile.rails:
        found = f"`{fabric.intent.compute.node_profile}`, which has no rails"
        expected = "a profile with at least one rail"
        hint = "servers of other planes are no compute nodes"
        yield fabric.problem(("compute", "node_profile"), found, expected, hint)


def servers_have_no_rails(fabric: Fabric) -> Iterator[Problem]:
    """Leaves of the rails are planned for nodes of pods: those of a server would stay unplugged."""
    for name, group in fabric.intent.servers.items():
        if rails := len(fabric.node_profiles[group.profile].rails):
            found = f"`{group.profile}`, with {rails} rail NICs"
            expected = "a profile without `rails`: no leaf of the compute plane is planned for them"
            hint = "GPU nodes of a second kind are a site of their own"
            yield fabric.problem(("servers", name, "profile"), found, expected, hint)


def _nodes(fabric: Fabric) -> Iterator[tuple[Path, str, NodeProfile]]:
    """Each profile of nodes once, where it is named first."""
    places: dict[str, Path] = {}
    for path, name in named.node_profiles(fabric.intent):
        places.setdefault(name, path)
    yield from ((path, name, fabric.node_profiles[name]) for name, path in places.items())


def _switches(fabric: Fabric) -> Iterator[tuple[Path, str, SwitchProfile]]:
    """Each profile of switches once, where it is named first."""
    places: dict[str, Path] = {}
    for path, name in named.switch_profiles(fabric.intent):
        places.setdefault(name, path)
    yield from ((path, name, fabric.switch_profiles[name]) for name, path in places.items())


def _over_nodes(rule: NodeRule) -> FabricRule:
    @wraps(rule)
    def over(fabric: Fabric) -> Iterator[Problem]:
        for path, name, profile in _nodes(fabric):
            yield from (fabric.problem(path, *one) for one in rule(name, profile))

    return over


def _over_switches(rule: SwitchRule) -> FabricRule:
    @wraps(rule)
    def over(fabric: Fabric) -> Iterator[Problem]:
        for path, name, profile in _switches(fabric):
            yield from (fabric.problem(path, *one) for one in rule(name, profile))

    return over


PROFILE_RULES: tuple[FabricRule, ...] = (
    compute_nodes_have_rails,
    servers_have_no_rails,
    *map(_over_nodes, NODE_RULES),
    *map(_over_switches, SWITCH_RULES),
)
