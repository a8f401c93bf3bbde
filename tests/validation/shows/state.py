"""A fabric as its devices know it: links, neighbours, sessions, routes; changed as faults do."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Network

from inventory.plan import Plan, PortRef

Network = IPv4Network


@dataclass
class Port:
    """A port; `heard` is who it hears by LLDP."""

    mtu: int
    address: str = ""
    switched: bool = False
    admin_up: bool = True
    signal: bool = True
    heard: list[tuple[str, str]] = field(default_factory=list)

    @property
    def up(self) -> bool:
        """Whether it carries packets."""
        return self.admin_up and self.signal


@dataclass
class Session:
    """A session; `hop` is the peer's address of a numbered one, and `at` its own port."""

    at: str
    peer_asn: int
    hop: str = ""
    vrf: str = ""
    state: str = "Established"


@dataclass
class Route:
    """A selected route: who made it, its ports, and those that forwarding has of them."""

    client: str
    ports: list[str]
    held: list[str] | None = None

    @property
    def forwards(self) -> list[str]:
        """What forwarding has."""
        return self.ports if self.held is None else self.held


@dataclass
class Device:
    """One device. `stray` are routes that forwarding alone has."""

    name: str
    asn: int = 0
    loopback: str = ""
    management: tuple[str, str] = ("", "")
    ports: dict[str, Port] = field(default_factory=dict)
    sessions: list[Session] = field(default_factory=list)
    routes: dict[Network, Route] = field(default_factory=dict)
    stray: dict[Network, list[str]] = field(default_factory=dict)
    runs_lldp: bool = True
    runs_bgp: bool = True


def healthy(plan: Plan) -> dict[str, Device]:
    """Every switch and node, as it is when all is well."""
    found = {name: Device(name) for name in (*plan.switch, *plan.node)}
    for switch in plan.switches:
        here = found[switch.name]
        here.asn, here.loopback = switch.asn, str(switch.loopback)
        here.management = (switch.management.port, str(switch.management.address))
        for port in switch.ports:
            is_switched = bool(port.vlans) or port.direction == "peer"
            address = str(port.address) if port.address else ""
            here.ports[port.name] = Port(port.ip_mtu_bytes, address, is_switched)
        for one in switch.sessions:
            hop = str(one.peer_address or "")
            at = f"{one.port}.{one.vlan}" if one.vlan else one.port
            here.sessions.append(Session(at, one.peer_asn, hop, one.vrf))
        _own_routes(here, switch.aggregates)
    for node in plan.nodes:
        here = found[node.name]
        here.management = (node.management.port, str(node.management.address))
        here.ports |= {nic.port: Port(nic.ip_mtu_bytes) for nic in node.rails}
    _plug(plan, found)
    for origin in plan.switches:
        for name, ports in _flooded(plan, origin.name).items():
            for prefix in origin.originates:
                found[name].routes[prefix] = Route("bgp", sorted(ports))
    return found


def _flooded(plan: Plan, origin: str) -> dict[str, set[str]]:
    """The ports that each switch has towards another: what sessions tell, until nothing is new.

    The shortest path wins, and what was told from above is told to those below alone.
    """
    best: dict[str, tuple[int, bool, set[str], set[int]]] = {origin: (0, False, set(), set())}
    for hops in range(len(plan.switches)):
        for name in [one for one, told in best.items() if told[0] == hops]:
            _, from_above, _, asns = best[name]
            path = {*asns, plan.switch[name].asn}
            for one in plan.switch[name].sessions:
                peer = one.peer
                if one.vrf or (from_above and one.direction == "up"):
                    continue
                if plan.switch[peer.device].asn in path:
                    continue
                known = best.setdefault(
                    peer.device, (hops + 1, one.direction == "down", set(), path)
                )
                if known[0] == hops + 1:
                    known[2].add(peer.port)
    return {name: ports for name, (_, _, ports, _) in best.items() if ports}


def _own_routes(here: Device, aggregates: tuple[Network, ...]) -> None:
    for name, port in here.ports.items():
        if port.address:
            prefix = Network(port.address, strict=False)
            here.routes[prefix] = Route("direct", [name])
    here.routes[Network(here.loopback)] = Route("direct", ["Loopback0"])
    for prefix in aggregates:
        here.routes[prefix] = Route("static", [])


def _plug(plan: Plan, found: dict[str, Device]) -> None:
    for cable in plan.cables:
        if cable.plane == "oob":
            continue
        for here, there in ((cable.a, cable.b), (cable.b, cable.a)):
            ports = found[here.device].ports
            ports.setdefault(here.port, Port(9000)).heard = [(there.device, there.port)]


def cut(plan: Plan, found: dict[str, Device], here: PortRef, by_hand: bool = False) -> None:
    """A cable is out, or its port was switched off: neither end hears, speaks or sends there."""
    cable = plan.cable_at[here]
    for end in (cable.a, cable.b):
        device = found[end.device]
        port = device.ports[end.port]
        port.signal, port.heard = False, []
        unused(device, end.port)
    if by_hand:
        found[here.device].ports[here.port].admin_up = False


def unused(device: Device, port: str, state: str = "Idle") -> None:
    """Routing no longer uses a port, as its sessions are down."""
    for one in device.sessions:
        if one.at.partition(".")[0] == port:
            one.state = state
    for route in device.routes.values():
        if route.client == "bgp":
            route.ports = [name for name in route.ports if name != port]


def swap(plan: Plan, found: dict[str, Device], a: PortRef, b: PortRef) -> None:
    """Two plugs of two cables are exchanged at one end: at `a` and `b`."""
    far_a, far_b = (_other(plan, one) for one in (a, b))
    for here, there in ((a, far_b), (far_b, a), (b, far_a), (far_a, b)):
        found[here.device].ports[here.port].heard = [(there.device, there.port)]
    for end in (a, b, far_a, far_b):
        if end.device in plan.switch:
            unused(found[end.device], end.port, "Active")


def _other(plan: Plan, here: PortRef) -> PortRef:
    cable = plan.cable_at[here]
    return cable.b if cable.a == here else cable.a
