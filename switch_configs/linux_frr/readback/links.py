"""What the stanzas of interfaces(5) make together: ports, bonds, a bridge, VLANs, tables.

From the manuals of ifupdown2 (ifupdown-addons-interfaces(5)) and the kernel's documentation of
bridges, bonds and VRFs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv4Interface
from typing import TYPE_CHECKING

from switch_configs.readback.facts import BondFacts, PortFacts, VlanFacts

from .reading import LinuxReading

if TYPE_CHECKING:
    from .interfaces import Stanza

_LAST_ROUTE = re.compile(r"ip -([46]) route replace vrf (\S+) unreachable default metric (\d+)")
_ISOLATED = re.compile(r"bridge link set dev (\S+) isolated (on|off)")
# Linux, Documentation/networking/vrf.rst: beyond any metric of a real route.
_LAST_METRIC = "4278198272"
_KERNEL_TABLES = (0, 253, 254, 255)
_LACP = {
    "bond-mode": "802.3ad",
    "bond-min-links": "1",
    "bond-miimon": "100",
    "bond-lacp-rate": "1",
    "bond-xmit-hash-policy": "layer3+4",
}
_NAMED = re.compile(r"(\d+)=(\S+)")
_VLANS_OF_PORT = ("bridge-access", "bridge-pvid", "bridge-vids")
_OF_PORT = frozenset(("alias", "mtu", "vrf", "bridge-access", "bridge-pvid", "bridge-vids"))
_MAY: dict[str, frozenset[str]] = {
    "table": frozenset(("vrf-table",)),
    "bond": frozenset(
        ("mtu", "bond-slaves", "bridge-access", "bridge-pvid", "bridge-vids", *_LACP)
    ),
    "bridge": frozenset(
        ("alias", "mtu", "bridge-ports", "bridge-pvid", "bridge-stp", "bridge-vids")
    )
    | {"bridge-vlan-aware"},
    "vlan": frozenset(("alias", "mtu", "vlan-id", "vlan-raw-device", "vrf", "gateway")),
    "subinterface": frozenset(("mtu", "vrf")),
    "port": _OF_PORT | {"bridge-allow-untagged"},
}


def judge(stanzas: Mapping[str, Stanza], found: LinuxReading) -> None:
    """Fill `found` with what these stanzas make, and say what does not fit together."""
    kinds = {name: _kind(one) for name, one in stanzas.items()}
    for name, one in stanzas.items():
        stray = sorted(set(one.said) - _MAY[kinds[name]])
        found.unread += [f"interfaces: {name}: {key} {one.said[key]}" for key in stray]
    of = {
        kind: {name: one for name, one in stanzas.items() if kinds[name] == kind} for kind in _MAY
    }
    _tables(of["table"], stanzas, found)
    below = {**of["port"], **of["bond"]}
    vlans = {name: _vlans_of(one, found) for name, one in below.items()}
    vlans |= _inherited(of["bridge"], below)
    members = _bonds(of["bond"], stanzas, found)
    _bridges(of["bridge"], of["vlan"], below, vlans, found)
    for name, one in of["port"].items():
        bond = members.get(name)
        own = vlans[f"bond{bond}"] if bond is not None and f"bond{bond}" in vlans else vlans[name]
        found.ports += _port(one, own, bond)
        found.unread += [f"interfaces: {name}: post-up {line}" for line in one.commands]
    for name, one in of["subinterface"].items():
        found.ports += _port(one, (), None)
        if not name.partition(".")[2].isdecimal():
            found.hazards.append(f"{name} names no tag")
        if name.partition(".")[0] not in stanzas:
            found.hazards.append(f"{name} has no port below it")
    for one in of["bridge"].values():
        _isolated(one, of["port"], found)
    for kind in ("bond", "vlan", "subinterface"):
        found.unread += [
            f"interfaces: {name}: post-up {line}"
            for name, one in of[kind].items()
            for line in one.commands
        ]


def _kind(stanza: Stanza) -> str:
    for key, kind in (
        ("vrf-table", "table"),
        ("bond-slaves", "bond"),
        ("bridge-ports", "bridge"),
        ("bridge-vlan-aware", "bridge"),
        ("vlan-raw-device", "vlan"),
    ):
        if key in stanza.said:
            return kind
    return "subinterface" if "." in stanza.name else "port"


def _port(stanza: Stanza, vlans: tuple[int, ...], bond: int | None) -> list[PortFacts]:
    if stanza.name == "lo" and not stanza.addresses and not stanza.said:
        return []
    trunk = stanza.said.get("bridge-allow-untagged") == "no"
    return [
        PortFacts(
            stanza.name,
            stanza.number("mtu"),
            tuple(sorted(stanza.addresses)),
            stanza.said.get("alias", ""),
            vrf=stanza.said.get("vrf", ""),
            vlans=vlans,
            trunk=trunk,
            bond=bond,
        )
    ]


def _vlans_of(stanza: Stanza, found: LinuxReading) -> tuple[int, ...]:
    """The untagged one first; with none untagged, all are tagged."""
    access, native = stanza.number("bridge-access"), stanza.number("bridge-pvid")
    tagged = stanza.vids
    untagged = stanza.said.get("bridge-allow-untagged")
    if access is not None:
        if native is not None or tagged or untagged:
            found.hazards.append(f"{stanza.name} is for one VLAN, and others are named")
        return (access,)
    if native is None and tagged and untagged != "no":
        found.hazards.append(f"{stanza.name} takes untagged frames, into VLAN 1")
    if untagged not in (None, "no", "yes") or (untagged and not tagged):
        found.unread.append(f"interfaces: {stanza.name}: bridge-allow-untagged {untagged}")
    return (native, *tagged) if native is not None else tagged


def _inherited(
    bridges: Mapping[str, Stanza], below: Mapping[str, Stanza]
) -> dict[str, tuple[int, ...]]:
    """VLANs of ports that say none: those of their bridge (ifupdown-addons-interfaces(5))."""
    out = {}
    for bridge in bridges.values():
        untagged = bridge.number("bridge-pvid") or 1
        for name in bridge.words("bridge-ports"):
            own = below[name].said if name in below else {"bridge-access": ""}
            if bridge.vids and not any(one in own for one in _VLANS_OF_PORT):
                out[name] = (untagged, *(one for one in bridge.vids if one != untagged))
    return out


def _isolated(stanza: Stanza, of_port: Mapping[str, Stanza], found: LinuxReading) -> None:
    """Ports of one VLAN that are apart; trunks are too, all but the one that goes up."""
    said: dict[str, str] = {}
    ports = stanza.words("bridge-ports")
    for line in stanza.commands:
        match = _ISOLATED.fullmatch(line)
        if match and match[1] in ports and match[1] not in said:
            said[match[1]] = match[2]
        else:
            found.unread.append(f"interfaces: {stanza.name}: post-up {line}")
    apart = [port for port in ports if said.get(port) == "on"]
    found.isolated_ports += [
        one for one in apart if one not in of_port or "bridge-vids" not in of_port[one].said
    ]
    if found.management_ports:
        _ways_up(said, ports, found)


def _ways_up(said: Mapping[str, str], ports: tuple[str, ...], found: LinuxReading) -> None:
    """bridge(8): isolated ports reach those that are not, and nobody else."""
    found.hazards += [
        f"{port} does not say whether it is apart" for port in ports if port not in said
    ]
    free = sorted(port for port in ports if said.get(port) != "on")
    if len(free) > 1:
        found.hazards.append(f"{' and '.join(free)} reach each other: only one port goes up")
    if ports and ports != ("none",) and not free:
        found.hazards.append("all ports are apart: none goes up")


def _tables(
    tables: Mapping[str, Stanza], all_of: Mapping[str, Stanza], found: LinuxReading
) -> None:
    for name, one in tables.items():
        _number_of_table(one, tables, found)
        families = set()
        for line in one.commands:
            match = _LAST_ROUTE.fullmatch(line)
            if match and match[2] == name and match[3] == _LAST_METRIC:
                families.add(match[1])
            else:
                found.unread.append(f"interfaces: {name}: post-up {line}")
        found.hazards += [
            f"table {name} looks up in the default one what it does not know (IPv{family})"
            for family in ("4", "6")
            if family not in families
        ]
    missing = {stanza.said["vrf"] for stanza in all_of.values() if "vrf" in stanza.said} - set(
        tables
    )
    found.hazards += [f"table {name} is used and not defined" for name in sorted(missing)]
    found.vrfs += sorted(tables)


def _number_of_table(table: Stanza, tables: Mapping[str, Stanza], found: LinuxReading) -> None:
    """`auto` is one of its own; ip-route(8) keeps four for the tables that are always there."""
    number = table.said["vrf-table"]
    if number == "auto":
        return
    if not number.isdecimal():
        found.unread.append(f"interfaces: {table.name}: vrf-table {number}")
    elif int(number) in _KERNEL_TABLES:
        found.hazards.append(f"table {table.name} is the kernel's own table {number}")
    elif sum(stanza.said["vrf-table"] == number for stanza in tables.values()) > 1:
        found.hazards.append(f"table {table.name} shares number {number} with another")


def _bonds(
    bonds: Mapping[str, Stanza], all_of: Mapping[str, Stanza], found: LinuxReading
) -> dict[str, int]:
    members: dict[str, int] = {}
    for name, one in bonds.items():
        match = re.fullmatch(r"bond(\d+)", name)
        if match is None:
            found.unread.append(f"interfaces: iface {name} (a bond without a number)")
            continue
        number, ports = int(match[1]), one.words("bond-slaves")
        found.bonds.append(BondFacts(number, tuple(sorted(ports)), shared=False))
        found.hazards += [
            f"{name}: {key} is {one.said.get(key, 'not set')}, not {value}"
            for key, value in _LACP.items()
            if one.said.get(key) != value
        ]
        for port in ports:
            if port in members or port not in all_of:
                found.hazards.append(f"{name} has {port}, which is not there or in another bond")
            elif all_of[port].said.get("mtu") != one.said.get("mtu"):
                found.hazards.append(f"{name} and {port} have different MTUs")
            members[port] = number
    return members


def _bridges(
    bridges: Mapping[str, Stanza],
    svis: Mapping[str, Stanza],
    below: Mapping[str, Stanza],
    vlans: Mapping[str, tuple[int, ...]],
    found: LinuxReading,
) -> None:
    inside = [port for stanza in bridges.values() for port in stanza.words("bridge-ports")]
    bridged = {name for name, numbers in vlans.items() if numbers}
    found.hazards += [
        f"{name} has VLANs and is in no bridge" for name in sorted(bridged - {*inside})
    ]
    known = {"none", *below}
    found.hazards += [f"the bridge has {one}, not described" for one in inside if one not in known]
    found.hazards += [
        f"the bridge has {one}, which has no VLAN"
        for one in inside
        if one in below and not vlans.get(one)
    ]
    found.hazards += [f"the bridge has {one} twice" for one in inside if inside.count(one) > 1]
    found.hazards += _lonely(bridges.values(), below, vlans)
    for name, one in bridges.items():
        if one.said.get("bridge-vlan-aware") != "yes":
            found.hazards.append(f"{name} knows no VLANs: all its ports are one network")
        if one.said.get("bridge-stp") != "no":
            found.hazards.append(f"{name} does not say that it runs no spanning tree")
        _bridge_mtu(one, svis, below, found)
        named = _named(one, found)
        own = set(one.vids)
        for vlan in _svis(svis, name, named, found):
            found.vlans.append(vlan)
        reached = {
            int(stanza.said["vlan-id"]) for stanza in svis.values() if "vlan-id" in stanza.said
        }
        for number in sorted(reached - own):
            found.hazards.append(f"{name} is not itself in VLAN {number}, and has a port there")
        there = {**dict.fromkeys(own - reached, ""), **named}
        found.vlans += [VlanFacts(number, words) for number, words in sorted(there.items())]
    lost = [name for name, one in svis.items() if one.said["vlan-raw-device"] not in bridges]
    found.hazards += [f"{name} stands on no bridge" for name in sorted(lost)]


def _lonely(
    bridges: Iterable[Stanza], below: Mapping[str, Stanza], vlans: Mapping[str, tuple[int, ...]]
) -> Iterator[str]:
    """VLANs that a port names twice, or that neither the bridge nor another port of it has.

    A trunk of tagged VLANs alone may carry more than this switch has ports for.
    """
    for bridge in bridges:
        ports = {name: vlans[name] for name in bridge.words("bridge-ports") if name in vlans}
        spots = Counter(number for numbers in ports.values() for number in {*numbers})
        for name, numbers in ports.items():
            if len({*numbers}) < len(numbers):
                yield f"{name} names a VLAN twice, tagged and untagged"
            to_host = {"bridge-access", "bridge-pvid"} & set(below[name].said)
            for number in numbers if to_host else ():
                if spots[number] == 1 and len(ports) > 1 and number not in bridge.vids:
                    yield f"VLAN {number} of {name} is on no other port of {bridge.name}"


def _bridge_mtu(
    bridge: Stanza, svis: Mapping[str, Stanza], below: Mapping[str, Stanza], found: LinuxReading
) -> None:
    """ifupdown2 sets 1500 where nothing is said; VLANs cannot have more, nor it more than ports."""
    asked = [size for stanza in svis.values() if (size := stanza.number("mtu")) is not None]
    size = bridge.number("mtu")
    if asked and (size is None or size < max(asked)):
        found.hazards.append(f"{bridge.name} has a smaller MTU than its VLANs")
    ports = [below[word].number("mtu") for word in bridge.words("bridge-ports") if word in below]
    if size is not None and any(port is not None and port < size for port in ports):
        found.hazards.append(f"{bridge.name} has a larger MTU than one of its ports")


def _named(bridge: Stanza, found: LinuxReading) -> dict[int, str]:
    """Names of VLANs that the switch has no address in stand in the bridge's description."""
    words = bridge.words("alias")
    if not words:
        return {}
    matches = [_NAMED.fullmatch(word) for word in words[1:]]
    if words[0] != "vlans" or not all(matches):
        found.unread.append(f"interfaces: {bridge.name}: alias {' '.join(words)}")
    return {int(match[1]): match[2] for match in matches if match}


def _svis(
    svis: Mapping[str, Stanza], bridge: str, named: Mapping[int, str], found: LinuxReading
) -> Iterator[VlanFacts]:
    for name, one in svis.items():
        number = one.number("vlan-id")
        if number is None or one.said["vlan-raw-device"] != bridge:
            found.hazards.append(f"{name} has no VLAN of {bridge}")
            continue
        if name != f"vlan{number}":
            found.hazards.append(f"{name} is in VLAN {number}")
        own = one.addresses[0] if one.addresses else None
        gateway = one.addresses[1] if len(one.addresses) == 2 else None
        if number in named:
            _management(one, found)
            continue
        if own is None or gateway is None or not _same_network(own, gateway):
            found.hazards.append(f"{name} needs an address and a gateway of one network")
        yield VlanFacts(
            number,
            one.said.get("alias", ""),
            vrf=one.said.get("vrf", ""),
            gateway=gateway.partition("/")[0] if gateway else None,
            address=own,
            ip_mtu_bytes=one.number("mtu"),
        )


def _same_network(own: str, gateway: str) -> bool:
    return IPv4Interface(own).network == IPv4Interface(gateway).network


def _management(stanza: Stanza, found: LinuxReading) -> None:
    """The one address of a switch without routing, and its way out."""
    found.management_ports.append(stanza.name)
    gateway = stanza.said.get("gateway")
    if len(stanza.addresses) != 1 or gateway is None:
        found.hazards.append(f"{stanza.name} needs one address and a gateway")
    elif IPv4Address(gateway) not in IPv4Interface(stanza.addresses[0]).network:
        found.hazards.append(f"{stanza.name}: the gateway {gateway} is not in its network")
