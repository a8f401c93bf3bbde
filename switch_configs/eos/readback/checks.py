"""What will not work as it reads, beside QoS and sessions: sentences for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface

from inventory.plan import TO_SERVER
from switch_configs.readback.facts import Hazard, HazardKind

from .reading import EosReading, Interface, Mlag

_LINK_BITS = 30
_ALL = "0.0.0.0/0"
# Both leaves of a pair, and its replacement, must answer for a gateway by one address.
_VIRTUAL_MAC = "00:1c:73:00:00:99"
_MULTI_AGENT_SINCE = (4, 30, 1)


def hazards(found: EosReading, management: str) -> Iterator[str]:
    """All of them; `management` is the table of the management port."""
    yield from _references(found)
    yield from _bonds(found)
    yield from _vlans(found)
    yield from _services(found, management)
    yield from _routes(found, management)
    if found.mlag is not None:
        yield from _pair(found, found.mlag)
        yield from _cut_off(found, found.mlag)
    if not found.lldp:
        yield "LLDP is off"
    if found.asn is not None and not _is_multi_agent(found):
        yield "routing is not multi-agent, which RFC 8950 needs"
    if not found.relaxed:
        words = "paths over different ASNs are not shared: no as-path multipath-relax"
        yield Hazard(words, "paths-not-shared")


def _is_multi_agent(found: EosReading) -> bool:
    """As said; without a word by the release (arista.avd, release notes 5.x.x: since 4.30.1F)."""
    if found.multi_agent is not None:
        return found.multi_agent
    numbers = tuple(int(one) for one in re.findall(r"\d+", found.release or "")[:3])
    return numbers >= _MULTI_AGENT_SINCE


def _references(found: EosReading) -> Iterator[str]:
    for interface in found.interfaces.values():
        if interface.vrf and interface.vrf not in found.vrfs:
            yield f"port {interface.name} is in routing table {interface.vrf}, which is not defined"
        if interface.acl is not None and interface.acl not in found.acls:
            yield f"port {interface.name} has access list {interface.acl}, which is not defined"
        if interface.tag is not None and not interface.name.endswith(f".{interface.tag}"):
            yield f"port {interface.name} has tag {interface.tag}, not that of its name"
        if _is_switched(interface) and (interface.addresses or interface.ipv6 or interface.vrf):
            yield f"port {interface.name} is switched, so what it says of IP does nothing"
        if "." in interface.name and interface.tag is None:
            yield f"port {interface.name} has no tag"
        for group, _ in interface.tracking:
            if group not in found.tracking:
                yield f"port {interface.name} tracks group {group}, which is not defined"
    of_ports = {group for interface in found.interfaces.values() for group in interface.groups}
    of_vlans = {group for vlan in found.vlans.values() for group in vlan.groups}
    for group in sorted(of_ports ^ of_vlans):
        yield f"trunk group {group} has no {'VLAN' if group in of_ports else 'port'}"
    for vrf, prefix, to in found.routes:
        if vrf and vrf not in found.vrfs:
            yield f"route {prefix} to {to} is in table {vrf}, which is not defined"


def _routes(found: EosReading, management: str) -> Iterator[str]:
    """Static routes lead past what BGP knows; only management has one that leads anywhere."""
    ways_out = {to for vrf, prefix, to in found.routes if (vrf, prefix) == (management, _ALL)}
    if len(ways_out) > 1:
        yield f"management has several ways out: {', '.join(sorted(ways_out))}"
    if ways_out and not any(
        interface.addresses
        for interface in found.interfaces.values()
        if interface.vrf == management
    ):
        yield f"table {management} has a way out, and no address"
    for vrf, prefix, to in found.routes:
        is_way_out = prefix == _ALL and bool(management) and vrf == management
        if to != "Null0" and not is_way_out:
            table = f" of table {vrf}" if vrf else ""
            kind: HazardKind = "static-default" if prefix == _ALL else "other"
            yield Hazard(f"the static route {prefix}{table} leads to {to}", kind)


def _cut_off(found: EosReading, mlag: Mlag) -> Iterator[str]:
    """A leaf of a pair without uplinks must take its bonds down: hosts would send into a hole."""
    every = found.interfaces.values()
    up = {group for interface in every for group, side in interface.tracking if side == "upstream"}
    if found.asn is None or not any(_is_uplink(one, found) for one in every):
        return
    if _is_beside(found) and not any(one.tracking for one in every):
        return
    for one in every:
        down = {group for group, side in one.tracking if side == "downstream"}
        if one.mlag is not None and not down & up:
            yield f"{one.name} stays up when the leaf has lost every uplink"
        if one.tracking and one.name == mlag.link:
            yield f"{one.name} is between the leaves, and tracks links"
        if _is_uplink(one, found) and not one.tracking:
            yield f"the uplink {one.name} is not tracked: bonds go down while it is up"


def _is_beside(found: EosReading) -> bool:
    """Whether the other leaf of the pair is a way out: a session to it over a VLAN of both."""
    keys = {key for table in found.tables.values() for key in table.neighbours}
    between = [one for one in found.interfaces.values() if one.name.startswith("Vlan")]
    return any(one.name in keys for one in between) or any(
        str(host) in keys
        for one in between
        for address in one.addresses
        for net in [IPv4Interface(address).network]
        if net.prefixlen >= _LINK_BITS
        for host in net
    )


def _is_uplink(one: Interface, found: EosReading) -> bool:
    """A routed port with a BGP neighbour on it."""
    if not one.name.startswith("Ethernet") or one.tag is not None:
        return False
    keys = {key for table in found.tables.values() for key in table.neighbours}
    others = {address.split("/")[0] for address in one.addresses}
    beside = {
        str(host)
        for address in one.addresses
        for net in [IPv4Interface(address).network]
        if net.prefixlen >= _LINK_BITS
        for host in net
    }
    return one.name in keys or bool((beside - others) & keys)


def _is_switched(one: Interface) -> bool:
    """EOS switches on Ethernet and Port-Channel unless told otherwise."""
    is_port = one.name.startswith(("Ethernet", "Port-Channel")) and "." not in one.name
    return is_port and not one.routed


def _bonds(found: EosReading) -> Iterator[str]:
    for interface in found.interfaces.values():
        if interface.channel is None:
            if interface.name.startswith("Port-Channel") and interface.mlag not in (
                None,
                _number(interface),
            ):
                yield f"{interface.name} is MLAG {interface.mlag}: two numbers for one bond"
            continue
        if not interface.lacp:
            yield f"port {interface.name} is in a bond without LACP"
        if interface.waits_for_lacp:
            yield f"port {interface.name} is in a bond that waits for the other end's LACP"
        if f"Port-Channel{interface.channel}" not in found.interfaces:
            yield f"port {interface.name} is in bond {interface.channel}, which is not defined"


def _number(one: Interface) -> int | None:
    digits = one.name.removeprefix("Port-Channel")
    return int(digits) if digits.isdecimal() else None


def _vlans(found: EosReading) -> Iterator[str]:
    for interface in found.interfaces.values():
        yield from _carried(interface, found)
        if interface.name.startswith("Vlan"):
            yield from _svi(interface, found)
        yield from _isolated_parts(interface, found)
    parted = {vlan.isolated_of for vlan in found.vlans.values()}
    for number, vlan in found.vlans.items():
        if vlan.isolated_of is not None and vlan.isolated_of not in found.vlans:
            yield f"VLAN {number} is part of VLAN {vlan.isolated_of}, which is not defined"
        # Without BGP it is a switch of the OOB plane.
        if found.asn is None and vlan.isolated_of is None and number not in parted:
            words = f"VLAN {number} has no isolated part, which other switches of the plane have"
            yield Hazard(words, "planned")


def _isolated_parts(one: Interface, found: EosReading) -> Iterator[str]:
    """What isolated ports send goes on to switches as it is, and to the server in its zone."""
    parts = {
        at: vlan.isolated_of for at, vlan in found.vlans.items() if vlan.isolated_of is not None
    }
    allowed = set(one.allowed or ())
    own = {part: vlan for part, vlan in parts.items() if vlan in allowed}
    to_server = one.description.endswith(TO_SERVER)
    if one.trunk and allowed & set(parts) != set(own):
        yield f"port {one.name} does not carry the isolated part of each of its VLANs"
    if one.outward and not to_server:
        yield f"port {one.name} is promiscuous, and leads to no server but to a switch"
    if one.trunk and to_server and one.outward != own:
        yield f"port {one.name} to the OOB server is not promiscuous for each of its VLANs"


def _carried(one: Interface, found: EosReading) -> Iterator[str]:
    carried = {vlan for vlan in (one.access, one.native) if vlan is not None}
    carried |= set(one.allowed or ())
    unknown = sorted(carried - set(found.vlans))
    # What comes without a tag is dropped, and often on purpose: one sentence says it.
    is_hole = one.native in unknown and one.native not in (one.allowed or (one.native,))
    if is_hole:
        unknown = [vlan for vlan in unknown if vlan != one.native]
        yield f"port {one.name}: its untagged VLAN {one.native} is neither carried nor defined"
    if unknown:
        # A trunk may allow all there could be: said once, and not 4,094 times.
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        yield f"port {one.name} carries VLAN {unknown[0]}{more}, not defined"
    if not is_hole and one.native is not None and one.native not in (one.allowed or (one.native,)):
        yield f"port {one.name} does not carry its untagged VLAN {one.native}"
    if one.edge and one.trunk and one.native is None:
        words = f"port {one.name} is a trunk to a switch, and skips spanning tree"
        yield Hazard(words, "trunk-to-switch", one.name)
    if _waits(one, found):
        yield f"port {one.name} waits for spanning tree, and DHCP behind it does not"
    if one.trunk and one.allowed is None and not one.groups and found.vlans:
        yield f"port {one.name} carries every VLAN"


def _waits(one: Interface, found: EosReading) -> bool:
    """A port towards a device: it has an untagged VLAN, and is no part of a bond."""
    towards_device = one.access is not None or one.native is not None
    return found.spanning_tree and towards_device and not one.edge


def _svi(one: Interface, found: EosReading) -> Iterator[str]:
    number = int_of(one.name.removeprefix("Vlan"))
    if number not in found.vlans:
        yield f"{one.name} has no VLAN"
    isolated = sorted(at for at, vlan in found.vlans.items() if vlan.isolated_of == number)
    if one.isolated != ",".join(map(str, isolated)):
        yield f"{one.name} does not hear its isolated VLANs"
    own = {address.split("/")[0] for address in one.addresses}
    # What is carried to other leaves by VXLAN has the address of that fabric.
    overlaid = {vlan for port in found.interfaces.values() for vlan in port.overlaid}
    is_ours = found.virtual_mac in (None, _VIRTUAL_MAC) or number in overlaid
    if one.gateway is not None and not is_ours:
        words = f"the virtual MAC is {found.virtual_mac}, not {_VIRTUAL_MAC} as beside it"
        yield Hazard(words, "of-pair")
    if one.gateway is not None and found.virtual_mac is None and one.gateway not in own:
        yield f"{one.name} has a virtual address, and the switch no virtual MAC"


def int_of(text: str) -> int:
    """The number, -1 where it is none."""
    return int(text) if text.isdecimal() else -1


def _services(found: EosReading, management: str) -> Iterator[str]:
    held = found.services
    every = [*held.ntp, *held.syslog, *held.tacacs, *held.gnmi]
    for vrf, what in every:
        if vrf != management:
            yield f"{what} is reached by table {vrf}, not by that of management"
    used = [one for name in held.login for one in held.tacacs_groups.get(name, [])]
    if sorted(used) != sorted(held.tacacs):
        yield "logins do not ask every TACACS+ server that is defined"
    if held.login != held.exec_:
        yield "who may log in is asked elsewhere than what he may do"
    for user, group in held.snmp_users.items():
        if held.snmp_groups.get(group) != "priv":
            yield f"SNMP user {user} is in group {group}, which does not ask for privacy"
    if held.snmp_users and held.snmp_vrfs != {management}:
        yield f"SNMP answers in {', '.join(sorted(held.snmp_vrfs)) or 'no table'}"
    if management and held.ssh_vrfs != {management}:
        yield "no logins by the management table"
    closed = [rule.action for _, rule in sorted(found.acls.get(held.ssh_acl or "", {}).items())]
    if management and closed != ["deny"]:
        yield "logins are accepted on data ports"


def _pair(found: EosReading, mlag: Mlag) -> Iterator[str]:
    link = found.interfaces.get(mlag.link or "")
    local = found.interfaces.get(mlag.local or "")
    if mlag.domain is None:
        yield "the pair has no domain-id, and does not form"
    if link is None or not link.trunk:
        yield "the leaves of the pair have no trunk between them"
    if local is None or not local.addresses:
        yield "the pair has no address of its own"
        return
    own = IPv4Interface(local.addresses[0])
    if mlag.peer is None or IPv4Address(mlag.peer) not in own.network or mlag.peer == str(own.ip):
        yield f"the pair's other address {mlag.peer} is not beside {own}"
    if not local.stays_up:
        yield "the pair's own VLAN goes down with its ports"
    if mlag.heartbeat is not None and mlag.heartbeat_vrf not in found.vrfs:
        yield f"the pair's heartbeat is in table {mlag.heartbeat_vrf}, which is not defined"
    number = int_of(local.name.removeprefix("Vlan"))
    if number not in found.stp_off:
        yield f"spanning tree may block VLAN {number} between the leaves"
    groups = found.vlans[number].groups if number in found.vlans else set()
    if not groups or (link is not None and groups != link.groups):
        yield Hazard(f"VLAN {number} is not only between the leaves", "planned")
