"""Which port of a switch a NIC is cabled to, as far as LLDP, addresses and descriptions say it.

Surest first: what LLDP heard (IEEE 802.1AB), the other address of a /31 or /30 (RFC 3021), the one
switch port whose subnet the NIC's address lies in, a description that names host and NIC. Where
a description names another port than the address, the address is what may be wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Interface, IPv4Network

from switch_configs.readback.facts import PortFacts
from validation.audit.box import Box

from .facts import NicFacts
from .host import Host

_PAIR_BITS = (30, 31)
_WHOLE_BITS = 32
_WORDS = re.compile(r"[\s,;:()]+")


@dataclass(frozen=True, slots=True)
class NicLink:
    """A NIC of a host and the switch port at the other end of its cable; `by` is what says so."""

    host: Host
    nic: NicFacts
    box: Box
    port: PortFacts
    by: str

    def __str__(self) -> str:
        return f"{self.box.name}:{self.port.name}"


@dataclass(frozen=True)
class _Ports:
    """Where switch ports are: by name, by subnet, by the words of their descriptions."""

    named: Mapping[tuple[str, str], tuple[Box, PortFacts]]
    at: Mapping[IPv4Network, list[tuple[str, Box, PortFacts]]]
    told: Mapping[str, list[tuple[frozenset[str], Box, PortFacts]]]
    # Addresses of NICs in each subnet: where there are two, no cable is known by it.
    nics: Mapping[IPv4Network, set[str]]


def nic_links(hosts: Iterable[Host], boxes: Iterable[Box]) -> tuple[NicLink, ...]:
    """The far end of each NIC of which anything says it, sorted; a switch port has one NIC."""
    hosts = tuple(hosts)
    if not hosts:
        return ()
    ports = _ports(hosts, boxes)
    found: dict[tuple[str, str], NicLink] = {}
    taken: set[str] = set()
    for way in (_heard, _addressed, _described):
        for host in hosts:
            for nic in host.facts.nics:
                key = (host.name, nic.name)
                link = way(ports, host, nic) if key not in found else None
                if link and str(link) not in taken:
                    found[key] = link
                    taken.add(str(link))
    return tuple(found[key] for key in sorted(found))


def _ports(hosts: Iterable[Host], boxes: Iterable[Box]) -> _Ports:
    found = _Ports({}, defaultdict(list), defaultdict(list), defaultdict(set))
    named: dict[tuple[str, str], tuple[Box, PortFacts]] = {}
    names = {_short(host.name) for host in hosts}
    for box in boxes:
        own = {port.name: port for port in box.facts.ports}
        for port in box.facts.ports:
            # A subinterface is on the cable of the port below it.
            whole = own.get(port.name.partition(".")[0], port)
            named[_short(box.name), port.name] = (box, port)
            for text in port.addresses:
                if (one := _interface(text)) and one.network.prefixlen < _WHOLE_BITS:
                    found.at[one.network].append((str(one.ip), box, whole))
            words = frozenset(_WORDS.split(port.description))
            for name in names.intersection(map(_short, words)):
                found.told[name].append((words, box, port))
    for host in hosts:
        for nic in host.facts.nics:
            for one in filter(None, map(_interface, nic.addresses or ())):
                found.nics[one.network].add(str(one.ip))
    return replace(found, named=named)


def _heard(ports: _Ports, host: Host, nic: NicFacts) -> NicLink | None:
    if nic.heard is None:
        return None
    system, port = nic.heard
    found = ports.named.get((_short(system), port))
    return NicLink(host, nic, *found, "LLDP") if found else None


def _addressed(ports: _Ports, host: Host, nic: NicFacts) -> NicLink | None:
    for one in filter(None, map(_interface, nic.addresses or ())):
        far = [(box, port) for ip, box, port in ports.at.get(one.network, ()) if ip != str(one.ip)]
        told = _described(ports, host, nic)
        is_other = told is not None and all(port is not told.port for _, port in far)
        if len(far) == 1 and len(ports.nics[one.network]) == 1 and not is_other:
            is_pair = one.network.prefixlen in _PAIR_BITS
            by = f"addresses of {one.network}" if is_pair else f"the only port in {one.network}"
            return NicLink(host, nic, *far[0], by)
    return None


def _described(ports: _Ports, host: Host, nic: NicFacts) -> NicLink | None:
    told = ports.told.get(_short(host.name), ())
    far = [(box, port) for words, box, port in told if nic.name in words]
    return NicLink(host, nic, *far[0], "the port's description") if len(far) == 1 else None


def _short(name: str) -> str:
    return name.partition(".")[0]


def _interface(text: str) -> IPv4Interface | None:
    try:
        return IPv4Interface(text)
    except ValueError:
        return None
