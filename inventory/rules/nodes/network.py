"""Rules over the interfaces of a profile: who configures them, and who gives them names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain

from inventory.nodes.host_interfaces import is_ours
from inventory.schema import NodeProfile
from inventory.schema.node_profile import NicPort, RailPort
from inventory.software.systems import SYSTEMS

Finding = tuple[str, str, str]
Rule = Callable[[str, NodeProfile], Iterator[Finding]]

_KERNELS_OWN = re.compile(r"eth[0-9]+")
_GOLDEN = "`railbed profile FOLDER` reads names and addresses from a golden node"


def network_tools_belong_to_the_os(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """Files of a tool that the system does not have are read by nobody."""
    system = SYSTEMS.get(profile.os)
    if system and profile.nics.network not in (None, *system.network_tools):
        found = f"`{name}`, with nics.network `{profile.nics.network}` on {profile.os}"
        yield found, " or ".join(f"`{one}`" for one in system.network_tools), ""


def data_ports_have_plain_names(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A dot is a VLAN's, and sysctl's separator; a slash no name of Linux has."""
    for nic in _nics(profile):
        if "/" in nic.port or "." in nic.port:
            yield f"`{name}`, with the NIC {nic.port}", "a name without `.` and `/`", ""


def names_of_the_kernel_are_not_given(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """The kernel numbers `eth` in the order in which drivers find NICs (systemd.link(5), Name).

    A profile that has a PCI address means one NIC, and the name may be another's after a boot.
    """
    for nic in _nics(profile):
        if nic.pci and _KERNELS_OWN.fullmatch(nic.port):
            found = f"`{name}`, with the NIC at {nic.pci} named {nic.port}"
            yield (
                found,
                "systemd's name of it, like enp24s0np0, or one of yours, like rail0",
                _GOLDEN,
            )


def named_nics_have_an_address_each(name: str, profile: NodeProfile) -> Iterator[Finding]:
    """A name goes by PCI address: two ports of one function would both be given it."""
    ports = Counter((rail_of(place, nic), nic.pci) for place, nic in enumerate(profile.rails))
    for place, nic in enumerate(profile.rails):
        if is_ours(nic.port, nic.pci) and ports[rail_of(place, nic), nic.pci] > 1:
            found = f"`{name}`, with {nic.port} at {nic.pci}, where another port is too"
            yield found, "systemd's name of it, like enp24s0np0", _GOLDEN


def rail_of(place: int, nic: RailPort) -> int:
    """The rail of a NIC: what it says, else its place in the list."""
    return place if nic.rail is None else nic.rail


def _nics(profile: NodeProfile) -> list[NicPort]:
    return [*chain(profile.rails, profile.storage, profile.business)]


NETWORK_RULES: tuple[Rule, ...] = (
    network_tools_belong_to_the_os,
    data_ports_have_plain_names,
    names_of_the_kernel_are_not_given,
    named_nics_have_an_address_each,
)
