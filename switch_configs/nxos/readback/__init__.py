"""A running configuration of NX-OS -> SwitchFacts. Shares nothing with the templates.

Reads foreign configurations too: every line that it does not understand is in `unread`, and
what will not work as it reads in `hazards`. Never raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface

from switch_configs.intent import Rendered
from switch_configs.readback.doubled import doubled
from switch_configs.readback.facts import (
    LOOPBACK,
    Hazard,
    PortFacts,
    ServiceFacts,
    SessionFacts,
    SwitchFacts,
    hazards_of,
)

from . import bgp, layer2, policies, ports, qos, system, trust
from .forms import FORMS
from .reading import MANAGEMENT, NxosReading, Port, Table
from .tree import Node, parse

_RUNNING = "/running-config"
_GRPC_PORT = 50051
# Cisco Nexus 9000 NX-OS System Management guide, LLDP: frames are 5 s apart at the least, and a
# neighbour is believed for 10 s to 255 s. Four frames are what NX-OS's own 120 s are.
_LLDP_HOLD_S = 20


def readback(rendered: Rendered) -> SwitchFacts:
    """What a configuration says."""
    found, process = NxosReading(), bgp.Bgp()
    for file in rendered.files:
        if file.path != _RUNNING:
            found.unread.append(f"{file.path}: no reader")
            continue
        for node in parse(file.text):
            if node.words[0] == "interface":
                found.hazards += doubled(node.rest(1), (one.text for one in node.children))
            if not _line(node, process, found):
                found.unread += node.paths()
            else:
                found.unread += [one.path for one in node.astray()]
    return _facts(process, found)


def _line(node: Node, process: bgp.Bgp, found: NxosReading) -> bool:
    return (
        ports.line(node, found)
        or qos.line(node, found)
        or policies.line(node, found)
        or bgp.line(node, process, found)
        or system.line(node, found)
    )


def _facts(process: bgp.Bgp, found: NxosReading) -> SwitchFacts:
    routes = process.asn is not None
    default = process.tables[""]
    sessions = sorted(bgp.sessions(process, found), key=_session_order)
    made = {
        "ports": tuple(sorted(_ports(routes, found), key=lambda one: one.name)),
        "policies": policies.policies(found),
        "tables": bgp.tables(process, found),
        "vlans": layer2.vlans(found),
        "bonds": layer2.bonds(found),
        "pair": layer2.pair(found),
    }
    isolated = [*layer2.isolated(found), *(["mgmt0"] if routes and _is_apart(found) else [])]
    services = _services(found)
    found.hazards += _odd(routes, sessions, found)
    if not routes:
        found.hazards += layer2.parted(found)
    return SwitchFacts(
        hostname=found.hostname,
        release=found.release,
        asn=process.asn,
        router_id=default.router_id,
        sessions=tuple(sessions),
        originates=tuple(sorted(default.networks)),
        discards=tuple(sorted(found.tables[""].discards)),
        ecmp_width=default.paths if routes else None,
        ebgp_requires_policy=False,
        isolated_ports=tuple(sorted(isolated)),
        lldp_hold_s=None,
        hazards=hazards_of(sorted(found.hazards)),
        unread=tuple(map(FORMS.read, found.unread)),
        drained=process.drained,
        hash_seed=found.hash_seed,
        services=services,
        **made,  # type: ignore[arg-type] # mypy sees one type for all of them
    )


def _session_order(one: SessionFacts) -> tuple[str, str]:
    return one.vrf, one.key


def _is_apart(found: NxosReading) -> bool:
    """A management port in a table of its own reaches no data port."""
    own = found.ports.get("mgmt0")
    return own is not None and own.vrf == MANAGEMENT


def _ports(routes: bool, found: NxosReading) -> Iterator[PortFacts]:
    """Physical ports, subinterfaces and loopbacks."""
    for port in found.ports.values():
        if port.kind == "loopback":
            name = LOOPBACK if port.name == "loopback0" else port.name
            yield PortFacts(name, port.mtu, tuple(sorted(port.addresses)), port.description)
        elif port.kind == "Ethernet":
            yield _port(port, routes, found)


def _port(port: Port, routes: bool, found: NxosReading) -> PortFacts:
    below, dot, tag = port.name.partition(".")
    if dot:
        if str(port.tag) != tag or below not in found.ports:
            found.hazards.append(f"port {port.name} has tag {port.tag}")
        return PortFacts(
            port.name, port.mtu or 1500, tuple(sorted(port.addresses)), port.description,
            vrf=port.vrf,
        )  # fmt: skip
    carried, trunk = layer2.carried(port, found)
    is_peer = layer2.is_peer(port, found)
    rate = _rate(port, found)
    return PortFacts(
        name=port.name,
        ip_mtu_bytes=port.mtu or (1500 if routes else None),
        addresses=tuple(sorted(port.addresses)),
        description=port.description,
        rate_gbps=rate,
        fec=port.fec,
        vrf=port.vrf,
        vlans=carried,
        trunk=trunk,
        bond=None if is_peer else port.channel,
        qos=qos.port_qos(port, layer2.channels(found).get(port.channel or 0), rate, found),
    )


def _rate(port: Port, found: NxosReading) -> float | None:
    """Its speed; a part of a split cage has that of the split."""
    parts = port.name.removeprefix("Ethernet").split("/")
    if len(parts) == 3:
        cage = int(parts[1]) if parts[1].isdecimal() else 0
        if cage not in found.breakouts and not found.port_mode:
            found.hazards.append(f"port {port.name} is part of a cage that is not split")
        return found.breakouts.get(cage)
    return port.speed_mbps / 1000 if port.speed_mbps is not None else None


def _services(found: NxosReading) -> ServiceFacts:
    own = [port for port in found.ports.values() if port.vrf == MANAGEMENT and port.addresses]
    table = found.tables.get(MANAGEMENT, Table())
    has_grpc = "grpc" in found.features
    return ServiceFacts(
        management_address=own[0].addresses[0] if own else None,
        management_gateway=table.gateway,
        management_vrf=bool(own) and MANAGEMENT in found.tables,
        ntp=tuple(found.ntp),
        syslog=tuple(found.syslog),
        tacacs=tuple(found.tacacs),
        snmp_users=tuple(found.snmp_users),
        gnmi_port=(found.grpc_port or _GRPC_PORT) if has_grpc else None,
    )


def _odd(routes: bool, sessions: list[SessionFacts], found: NxosReading) -> Iterator[str]:
    """What only the whole shows."""
    needed = _needed(routes, sessions, found)
    for name in sorted(needed - found.features):
        yield f"feature {name} is off, and the configuration needs it"
    if found.grpc_port is not None and "grpc" not in found.features:
        yield "gRPC has a port and does not run"
    if not found.shut_by_default:
        yield Hazard("ports that nothing names are not shut down", "planned")
    # Believed for two frames, a neighbour goes as the one after a lost one comes.
    if found.lldp_hold_s > _LLDP_HOLD_S or 2 * found.lldp_timer_s >= found.lldp_hold_s:
        yield Hazard(
            f"LLDP speaks every {found.lldp_timer_s} s and is believed for {found.lldp_hold_s} s",
            "planned",
        )
    says_switched = any(port.switched and port.says_layer for port in found.ports.values())
    for port in found.ports.values():
        if not port.up and port.kind not in ("loopback", "mgmt"):
            yield f"port {port.name} stays down: no `no shutdown`"
        if port.switched and port.mtu not in (None, 1500, found.jumbo_mtu):
            yield f"port {port.name}: MTU {port.mtu} is not the jumbo MTU, {found.jumbo_mtu}"
        if port.switched and not port.edge and port.mode in ("access", "host"):
            yield f"port {port.name} waits for spanning tree: no `port type edge`"
        if port.switched is None and port.kind == "Ethernet" and "." not in port.name:
            yield f"port {port.name}: not said whether it is switched"
        has_vlans = port.switched and port.kind in ("Ethernet", "port-channel")
        if has_vlans and not port.says_layer and says_switched:
            yield f"port {port.name} has VLANs, and not `switchport` as other ports have"
        if port.switched and port.native is not None and not port.edge:
            yield f"port {port.name} waits for spanning tree: no `port type edge trunk`"
        if port.vrf and port.vrf not in found.tables:
            yield f"port {port.name} is in table {port.vrf}, which is not defined"
    yield from (Hazard(one, "lossless") for one in trust.believed(found))
    yield from _odd_logins(found)


def _needed(routes: bool, sessions: list[SessionFacts], found: NxosReading) -> set[str]:
    kinds = {port.kind for port in found.ports.values()}
    is_private = any(vlan.kind for vlan in found.vlans.values())
    asked = {
        "lldp": True,
        "bgp": routes,
        "bfd": any(session.bfd for session in sessions),
        "interface-vlan": "Vlan" in kinds or is_private,
        "hsrp": any(port.hsrp for port in found.ports.values()),
        "lacp": any(port.lacp for port in found.ports.values()),
        "vpc": found.domain is not None,
        "tacacs+": bool(found.tacacs),
        "private-vlan": is_private,
    }
    return {name for name, is_asked in asked.items() if is_asked}


def _odd_logins(found: NxosReading) -> Iterator[str]:
    yield from _odd_lines(found)
    for name in found.logins:
        if name not in found.aaa:
            yield f"logins ask group {name}, which is not defined"
    if found.tacacs and not found.logins:
        yield "no login asks the TACACS+ servers"
    for name, servers in sorted(found.aaa.items()):
        if servers != found.tacacs:
            yield f"group {name} does not ask the TACACS+ servers that have a key"
        if found.aaa_vrfs.get(name) != MANAGEMENT:
            yield f"group {name} does not ask in the table of management"


def _odd_lines(found: NxosReading) -> Iterator[str]:
    """Who reaches the command line: the VTYs listen in every table, so on data ports too."""
    yield from _odd_lines_ipv6(found)
    if not found.vty_acl:
        yield "the command line answers on every port: `line vty` has no access class"
        return
    rules = found.acls.get(found.vty_acl)
    if rules is None:
        yield f"`line vty` asks access list {found.vty_acl}, which is not defined"
        return
    own = [port for port in found.ports.values() if port.vrf == MANAGEMENT]
    inside = {str(IPv4Interface(address).network) for port in own for address in port.addresses}
    permits = [one for one in rules if one[0] == "permit"]
    for rule in permits:
        if rule[2] not in inside:
            yield f"the command line answers to {rule[2]}, which is not management"
        elif rule not in (["permit", one, rule[2], "any"] for one in ("ip", "tcp")):
            yield f"the command line answers to `{' '.join(rule)}` only"
    if len(permits) != len(rules) or not permits:
        yield "the command line answers not to all of management"


def _odd_lines_ipv6(found: NxosReading) -> Iterator[str]:
    """Management has no IPv6, and unnumbered data ports have."""
    name = found.vty_acl_ipv6
    rules = found.acls_ipv6.get(name, [])
    if not name or any(rule[0] == "permit" for rule in rules):
        yield "the command line answers to IPv6, which only data ports have"
    elif rules != [["deny", "ipv6", "any", "any"]]:
        yield f"`line vty` asks access list {name}, which does not say `deny ipv6 any any`"
    for other in sorted(set(found.acls_ipv6) - {name}):
        yield Hazard(f"access list {other} is asked nowhere", "idle-list", other)
