"""The whole `fabric.yml` as data, made of everything that was read off a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from inventory.starter.hall import budget_w
from inventory.starter.pools import zone_bits
from validation.audit.network import Network

from . import sections
from .guess import Notes, Shelf
from .networks import address, network_of
from .people import People, people
from .planes import Fabrics
from .racks import Racks, racks, racks_of_group
from .racks import sections as rack_sections
from .space import Space
from .sums import lossless, services

Section = dict[str, Any]
_USUAL_PER_RACK, _MOST_GROUPS, _POWER_W, _LEAST = 16, 32, 1_000, 400
_ACCESS, _DOMAIN = "192.0.2.10", "internal"


def site(name: str, network: Network, found: Fabrics, shelf: Shelf, notes: Notes) -> Section:
    """The sections of `fabric.yml`, in the order in which people read them."""
    space = Space(list(_seen_networks(network)))
    who = people(found, shelf.nodes, notes)
    node = shelf.nodes[found.node_profile]
    topology = sections.topology(found, who, node, notes)
    out: Section = {"site": name, "engine": "pyinfra", "topology": topology}
    out["compute"] = sections.compute(found, who, node, space, notes)
    lossless_planes = [found.by_plane["compute"]]
    if "storage" in found.by_plane:
        out["storage"] = sections.storage(found, who, space, notes)
        if out["storage"]["transport"] == "roce":
            lossless_planes.append(found.by_plane["storage"])
    has_users = "business" in found.by_plane or found.shared
    if has_users and (said := sections.business(found, who, space, notes)):
        out["business"] = said
    _servers(out, found, who)
    mtu = sections.mtu("lossless", found.by_plane["compute"], notes, 9000, routed=True)
    out["lossless"] = lossless(lossless_planes, shelf.switches, notes, mtu)
    _management(out, network, found, who, shelf, space, notes)
    if said := services(network, notes):
        out["switch_services"] = said
    keys = {"ssh_key": "file:id_ed25519"}
    for section in (out.get("switch_services", {}).get(key, {}) for key in ("tacacs", "snmp")):
        keys |= {
            section[key]: f"file:{section[key]}"
            for key in ("key", "auth", "priv")
            if key in section
        }
    out["credentials"] = keys
    return out


def _seen_networks(network: Network) -> Iterator[IPv4Network]:
    """Everything that some configuration speaks of, so that nothing new is put there."""
    for box in network.boxes:
        facts = box.facts
        texts = [text for port in facts.ports for text in port.addresses]
        texts += [*facts.originates, facts.services.management_address or ""]
        texts += [permit.prefix for policy in facts.policies for permit in policy.permits]
        texts += [vlan.address or "" for vlan in facts.vlans]
        texts += [rule.destination for vlan in facts.vlans for rule in vlan.acl]
        texts += [*facts.services.ntp, *facts.services.syslog, *facts.services.tacacs]
        nets = {net for text in texts if (net := network_of(text)) and net.prefixlen}
        yield from nets


def _servers(out: Section, found: Fabrics, who: People) -> None:
    """Groups of servers, and the room for them."""
    if who.groups:
        out["servers"] = {
            group.name: {"id": group.id, "profile": group.profile, "count": group.count}
            for group in who.groups
        }
    if who.max_groups:
        planes = [one for word, one in found.by_plane.items() if word != "compute"]
        room = min((one.nodes_per_unit for one in planes), default=1)
        most = out["topology"]["maxima"]
        most["server_groups"] = min(who.max_groups, _MOST_GROUPS)
        most["servers_per_group"] = max(room, *(group.count for group in who.groups), 1)


def _management(
    out: Section,
    network: Network,
    found: Fabrics,
    who: People,
    shelf: Shelf,
    space: Space,
    notes: Notes,
) -> None:
    """The sections `racks` and `oob`, and what of `topology` follows from racks."""
    seen = racks(network, who, shelf, notes)
    topology = out["topology"]
    if seen.access:
        topology["nodes_per_rack"] = seen.width.get("nodes", _USUAL_PER_RACK)
        _room_of_groups(topology, network, found, who, seen)
    room, switches = rack_sections(seen, shelf, notes)
    if room:
        power = _power_of(out, shelf)
        out["racks"] = {**room, **({"power_of": power} if power else {})}
    zones = _zones(found, who, seen, network, space, notes)
    oob: Section = {
        "server": "oob1",
        "access": _ACCESS,
        "domain": f"{out['site']}.{_DOMAIN}",
        "zones": zones,
    }
    notes.say("oob.access", _ACCESS, "guess", "where the controller reaches it: put in yours")
    out["oob"] = {**oob, "switches": switches} if switches else oob


def _room_of_groups(
    topology: Section, network: Network, found: Fabrics, who: People, seen: Racks
) -> None:
    most = topology["maxima"]
    if not who.max_groups:
        return
    per_rack = seen.width.get("servers", _USUAL_PER_RACK)
    most["servers_per_rack"] = per_rack
    one = found.by_plane["compute"]
    in_pod = one.places.units * one.places.slots
    in_pod += one.nic_planes * most["spines"] if one.places.three_tier else 0
    per_pod = -(-most["nodes_per_pod"] // topology["nodes_per_rack"])
    per_pod += -(-in_pod // seen.width.get("network", _USUAL_PER_RACK))
    count = racks_of_group(seen, found, who, network, per_pod)
    if count:
        fullest = max((group.count for group in who.groups), default=1)
        most["servers_per_group"] = max(min(count * per_rack, most["servers_per_group"]), fullest)


def _power_of(out: Section, shelf: Shelf) -> Section:
    """Budgets of profiles whose makers publish none."""
    names = {
        value
        for section in (out["compute"], *(_switches(out, one) for one in ("storage", "business")))
        for key, value in section.items()
        if key.endswith("_profile")
    }
    names |= {group["profile"] for group in out.get("servers", {}).values()}
    found: Section = {}
    for name in sorted(names):
        kind = shelf.switches.get(name) or shelf.nodes.get(name)
        if kind is not None and kind.power_w is None:
            switch = shelf.switches.get(name)
            found[name] = budget_w(switch) if switch else _POWER_W
    return found


def _switches(out: Section, word: str) -> Section:
    said = out.get(word, {}).get("switches", {})
    return said if isinstance(said, dict) else {}


def _zones(
    found: Fabrics, who: People, seen: Racks, network: Network, space: Space, notes: Notes
) -> Section:
    """Zones: one is seen in switches' own addresses, the others are free networks."""
    nodes = found.most["compute"].pods * max(who.per_unit, who.nodes_per_pod)
    nodes = nodes * found.by_plane["compute"].places.units + who.max_groups * 64
    switches = sum(len(one.group.names) for one in found.by_plane.values()) * 4
    netmgmt = found.netmgmt or space.free(zone_bits(switches))
    notes.say(
        "oob.zones.netmgmt", netmgmt, "sure" if found.netmgmt else "guess", "management addresses"
    )
    zones = {"netmgmt": str(space.take(netmgmt))}
    wanted = {*seen.zones, "hostmgmt", "bmc"}
    # Who keeps users out of the management plane names a network that holds all of it.
    barred = [net for net in _denied(network) if netmgmt.subnet_of(net) and net != netmgmt]
    for zone in ("hostmgmt", "bmc", "power", "collectors"):
        if zone not in wanted and zone != "hostmgmt":
            continue
        servers = _servers_net(network, zones) if zone == "collectors" else None
        net = servers or space.free(zone_bits(max(2 * nodes, _LEAST)), barred)
        zones[zone] = str(space.take(net))
        by = "servers of time and logs" if servers else "a free network: no switch says it"
        notes.say(f"oob.zones.{zone}", net, "likely" if servers else "guess", by)
    return zones


def _denied(network: Network) -> Iterator[IPv4Network]:
    """Where users may not go."""
    for box in network.boxes:
        for vlan in box.facts.vlans:
            for rule in vlan.acl:
                net = network_of(rule.destination)
                if net and rule.action == "deny" and net.prefixlen:
                    yield net


def _servers_net(network: Network, zones: Mapping[str, str]) -> IPv4Network | None:
    """The /24 with the servers of time and logs, where it is apart from other zones."""
    for box in network.boxes:
        for text in (*box.facts.services.ntp, *box.facts.services.syslog):
            if int(address(text)):
                net = IPv4Network((int(address(text)) & ~255, 24))
                apart = all(not net.overlaps(IPv4Network(one)) for one in zones.values())
                return net if apart else None
    return None
