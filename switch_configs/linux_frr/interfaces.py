"""What stands in interfaces(5), computed here: ports, bonds, bridge, VLANs, routing tables.

Attributes are those of ifupdown2 3.0.0 (its addons: address, bond, bridge, vlan, vrf).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inventory.oob.switches import CORE
from inventory.plan import OobPort, Switch, SwitchPort, SwitchVlan
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent

from .words import interface_name, natural, plain

BRIDGE = "bridge"
# Less than any route that somebody would add (Linux Documentation/networking/vrf.rst).
_LAST_METRIC = 4278198272
_LOOPBACK = "inet loopback"

Attributes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Interface:
    """One `iface`: its family ("" or a word after the name) and its attributes in order."""

    name: str
    family: str
    attributes: Attributes


def vlan_port(number: int) -> str:
    """The bridge's own port in a VLAN."""
    return f"vlan{number}"


def bond_port(number: int) -> str:
    """A bond by its number."""
    return f"bond{number}"


def of_switch(switch: Switch) -> tuple[Interface, ...]:
    """All interfaces of a switch with routing; `DialectError` where Linux takes no such name."""
    ports = sorted(switch.ports, key=lambda one: natural(one.name))
    if told := [port.name for port in ports if port.autoneg is not None]:
        raise DialectError(
            f"{switch.name}: {told[0]}: its driver sets rate and FEC, and so autonegotiation",
            "leave `copper_autoneg` out of its profile",
        )
    found = (
        Interface("lo", _LOOPBACK, (("address", f"{switch.loopback}/32"),)),
        *(_table(table.vrf) for table in switch.tables[1:]),
        *(_port(port) for port in ports),
        *_bonds(ports),
        *_bridge(switch, ports),
        *(_vlan(vlan) for vlan in sorted(switch.vlans, key=lambda one: one.id)),
        *_subinterfaces(switch),
    )
    return _checked(switch.name, found, switch.management.port)


def of_oob(intent: OobIntent) -> tuple[Interface, ...]:
    """All interfaces of a switch of the OOB plane: no routing, and one address of its own."""
    ports = sorted(intent.switch.ports, key=lambda one: natural(one.name))
    numbers = {one.name: one.vlan for one in intent.zones}
    zone = numbers.get(intent.switch.management.zone)
    if zone is None:
        raise DialectError(f"{intent.switch.name}: no zone '{intent.switch.management.zone}'")
    found = (
        Interface("lo", _LOOPBACK, ()),
        *(_oob_port(port, numbers) for port in ports),
        _oob_bridge(intent, ports, zone),
        _oob_management(intent, zone),
    )
    return _checked(intent.switch.name, found, "")


def _checked(device: str, found: Iterable[Interface], taken: str) -> tuple[Interface, ...]:
    names = {taken}
    for interface in found:
        interface_name(interface.name, device)
        if interface.name in names:
            raise DialectError(
                f"{device}: two interfaces are called {interface.name!r}",
                "give the routing table, or the ports in the profile, another name",
            )
        names.add(interface.name)
    return tuple(found)


def _table(vrf: str) -> Interface:
    """A routing table; what it does not know is not looked up in the default one."""
    last = f"vrf {vrf} unreachable default metric {_LAST_METRIC}"
    routes = ((("post-up"), f"ip -{family} route replace {last}") for family in (4, 6))
    return Interface(vrf, "", (("vrf-table", "auto"), *routes))


def _port(port: SwitchPort) -> Interface:
    said = [
        ("alias", plain(port.description, f"description of {port.name}")),
        ("mtu", str(port.ip_mtu_bytes)),
    ]
    if port.address is not None:
        said.append(("address", str(port.address)))
    if port.bond is None:
        said += _membership(port.vlans)
    return Interface(port.name, "", tuple(said))


def _membership(vlans: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """The first one is untagged."""
    if len(vlans) == 1:
        yield "bridge-access", str(vlans[0])
    elif vlans:
        yield "bridge-pvid", str(vlans[0])
        yield "bridge-vids", " ".join(map(str, sorted(vlans[1:])))


def _bonds(ports: Iterable[SwitchPort]) -> Iterator[Interface]:
    members: dict[int, list[SwitchPort]] = defaultdict(list)
    for port in ports:
        if port.bond is not None:
            members[port.bond].append(port)
    for number, ours in sorted(members.items()):
        yield Interface(bond_port(number), "", (*_lacp(ours), *_membership(ours[0].vlans)))


def _lacp(members: list[SwitchPort]) -> Iterator[tuple[str, str]]:
    """By LACP (IEEE 802.1AX), a packet a second; ports count in the choice of a member."""
    yield "mtu", str(min(port.ip_mtu_bytes for port in members))
    yield "bond-slaves", " ".join(port.name for port in members)
    yield "bond-mode", "802.3ad"
    yield "bond-min-links", "1"
    yield "bond-miimon", "100"
    yield "bond-lacp-rate", "1"
    yield "bond-xmit-hash-policy", "layer3+4"


def _bridge(switch: Switch, ports: Iterable[SwitchPort]) -> Iterator[Interface]:
    if not switch.vlans:
        return
    names = [
        bond_port(port.bond) if port.bond is not None else port.name for port in ports if port.vlans
    ]
    numbers = " ".join(str(one) for one in sorted(vlan.id for vlan in switch.vlans))
    yield Interface(
        BRIDGE,
        "",
        (
            # Without it ifupdown2 3.0.0 sets 1500, though it says that it takes the ports'.
            ("mtu", str(max(vlan.ip_mtu_bytes for vlan in switch.vlans))),
            ("bridge-vlan-aware", "yes"),
            *_bridge_ports(dict.fromkeys(names)),
            ("bridge-stp", "no"),
            ("bridge-vids", numbers),
        ),
    )


def _bridge_ports(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Nothing for no ports: ifupdown2 3.0.0 warns of `none`, and knows a bridge without them.

    Its addons/bridge.py, `_is_bridge`: by `bridge-vlan-aware`.
    """
    said = " ".join(names)
    if said:
        yield "bridge-ports", said


def _vlan(vlan: SwitchVlan) -> Interface:
    """The gateway of a VLAN: the switch's own address first, then the shared one."""
    bits = vlan.address.network.prefixlen
    return Interface(
        vlan_port(vlan.id),
        "",
        (
            ("alias", plain(vlan.name, f"name of VLAN {vlan.id}")),
            ("mtu", str(vlan.ip_mtu_bytes)),
            ("vlan-id", str(vlan.id)),
            ("vlan-raw-device", BRIDGE),
            *((("vrf", vlan.vrf),) if vlan.vrf else ()),
            ("address", str(vlan.address)),
            ("address", f"{vlan.gateway}/{bits}"),
        ),
    )


def _subinterfaces(switch: Switch) -> Iterator[Interface]:
    """One for each session of another table than the default one; its name says its tag."""
    below = {one.name: one for one in switch.ports}
    tagged = {
        (session.port, session.vlan, session.vrf) for session in switch.sessions if session.vlan
    }
    for port, tag, vrf in sorted(tagged, key=lambda one: (natural(one[0]), one[1] or 0)):
        said = (("mtu", str(below[port].ip_mtu_bytes)), ("vrf", vrf))
        yield Interface(f"{port}.{tag}", "", said)


def _oob_port(port: OobPort, numbers: dict[str, int]) -> Interface:
    """An isolated port has one zone, untagged, and reaches trunks only (bridge(8))."""
    said = [("alias", plain(port.description, f"description of {port.name}"))]
    vlans = sorted(numbers[zone] for zone in port.zones)
    if port.isolated:
        said.append(("bridge-access", str(vlans[0])))
    else:
        said.append(("bridge-vids", " ".join(map(str, vlans))))
        said.append(("bridge-allow-untagged", "no"))
    return Interface(port.name, "", tuple(said))


def _oob_bridge(intent: OobIntent, ports: Iterable[OobPort], zone: int) -> Interface:
    """The bridge is itself in one VLAN only; its description names them all."""
    named = sorted((one.vlan, one.name) for one in intent.zones)
    words = " ".join(f"{number}={name}" for number, name in named)
    return Interface(
        BRIDGE,
        "",
        (
            ("alias", f"vlans {words}"),
            ("bridge-vlan-aware", "yes"),
            *_bridge_ports(port.name for port in ports),
            ("bridge-stp", "no"),
            ("bridge-vids", str(zone)),
            # ifupdown2 3.0.0 has no keyword for it, and only the bridge's own commands run when
            # its ports are in it.
            *(
                ("post-up", f"bridge link set dev {port.name} isolated {_apart(intent, port)}")
                for port in ports
            ),
        ),
    )


def _apart(intent: OobIntent, port: OobPort) -> str:
    """All but the port that goes up: racks too reach each other through nothing here.

    Up from a rack's switch goes its trunk; from one above, what ends at the core or the server.
    """
    is_top = port.peer.device == CORE or port.to_server
    goes_up = not port.isolated and (intent.switch.tier == "access" or is_top)
    return "off" if goes_up else "on"


def _oob_management(intent: OobIntent, zone: int) -> Interface:
    management = intent.switch.management
    return Interface(
        vlan_port(zone),
        "",
        (
            ("vlan-id", str(zone)),
            ("vlan-raw-device", BRIDGE),
            ("address", str(management.address)),
            ("gateway", str(management.gateway)),
        ),
    )
