"""What an NX-OS switch prints of its state, in the forms of the records that the readers name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from ipaddress import IPv4Interface

from ..healthy import Refused
from .state import Device, Network, Port, Route, Session

LLDP = "show lldp neighbors detail | json"
BGP = "show bgp sessions vrf all | json"
FEATURES = "show feature | json"
RIB = "show ip route | json"
FIB = "show forwarding ipv4 route | json"
PORTS = "show interface | json"
REFUSED = Refused("                      ^\n% Invalid command at '^' marker.\n")
NOBODY = Refused("ERROR: No neighbour information\n")
Row = dict[str, object]


def says(here: Device) -> dict[str, str]:
    """The answers by line."""
    neighbours = lldp(here)
    heard = json.dumps(neighbours) + "\n" if neighbours else NOBODY
    return {
        LLDP: heard if here.runs_lldp else REFUSED,
        BGP: json.dumps(bgp(here)) + "\n" if here.runs_bgp else REFUSED,
        FEATURES: json.dumps(features(here)) + "\n",
        RIB: json.dumps(rib(here)) + "\n",
        FIB: json.dumps(fib(here)) + "\n",
        PORTS: json.dumps(ports(here)) + "\n",
    }


def table(name: str, rows: Iterable[Row]) -> Row:
    """A table as NX-OS prints it: a lone row is no list, and without rows there is no table."""
    made = list(rows)
    if not made:
        return {}
    return {f"TABLE_{name}": {f"ROW_{name}": made if len(made) > 1 else made[0]}}


def short(port: str) -> str:
    """A port's short name."""
    return port.replace("Ethernet", "Eth").replace("Loopback", "Lo")


def lldp(here: Device) -> Row:
    """`show lldp neighbors detail`."""
    return table(
        "nbor_detail",
        [
            {
                "chassis_type": "Mac Address",
                "chassis_id": "5087.89a1.d8d6",
                "port_type": "Interface Name",
                "port_id": at,
                "l_port_id": short(name),
                "port_desc": "null",
                "sys_name": system,
                "sys_desc": "Cisco Nexus Operating System (NX-OS) Software 10.6(1)F",
                "ttl": "100",
            }
            for name, port in sorted(here.ports.items())
            for system, at in port.heard
        ],
    )


def features(here: Device) -> Row:
    """`show feature`."""
    on = {"bfd": True, "bgp": here.runs_bgp, "lldp": here.runs_lldp}
    rows: list[Row] = [
        {
            "cfcFeatureCtrlName2": name,
            "cfcFeatureCtrlInstanceNum2": "1",
            "cfcFeatureCtrlOpStatus2": "enabled" if is_on else "disabled",
        }
        for name, is_on in on.items()
    ]
    return table("cfcFeatureCtrlTable", rows)


def bgp(here: Device) -> Row:
    """`show bgp sessions vrf all`."""
    vrfs = ["", *sorted({one.vrf for one in here.sessions if one.vrf})]
    rows = [_table(here, [one for one in here.sessions if one.vrf == vrf], vrf) for vrf in vrfs]
    up = sum(one.state == "Established" for one in here.sessions)
    return {
        "totalpeers": str(len(here.sessions)),
        "totalestablishedpeers": str(up),
        "localas": str(here.asn),
        **table("vrf", rows),
    }


def _table(here: Device, mine: list[Session], vrf: str) -> Row:
    return {
        "vrf-name-out": vrf or "default",
        "local-as": str(here.asn),
        "vrfpeers": str(len(mine)),
        "vrfestablishedpeers": str(sum(one.state == "Established" for one in mine)),
        "router-id": here.loopback,
        **table("neighbor", [_peer(one) for one in mine]),
    }


def _peer(one: Session) -> Row:
    return {
        "neighbor-id": one.hop or f"fe80::5287:89ff:fea1:d8d6%{one.at}",
        "remoteas": str(one.peer_asn),
        "connectionsdropped": "0",
        "lastflap": "P3DT29M9S",
        "state": one.state,
        "localport": "179",
    }


def rib(here: Device) -> Row:
    """`show ip route`, with the routes that NX-OS makes of addresses."""
    rows = [row for prefix, one in sorted(here.routes.items()) for row in _route(here, prefix, one)]
    family = {"addrf": "ipv4", **table("prefix", rows)}
    return table("vrf", [{"vrf-name-out": "default", **table("addrf", [family])}])


def _route(here: Device, prefix: Network, one: Route) -> Iterable[Row]:
    if one.client == "direct":
        (port,) = one.ports
        own = _own(here, port)
        if prefix.prefixlen == 32:
            yield _prefix(prefix, [_via("local", own, port), _via("direct", own, port)], "true")
            return
        yield _prefix(prefix, [_via("direct", own, port)], "true")
        yield _prefix(Network(own), [_via("local", own, port)], "true")
        peer = next(str(ip) for ip in prefix if str(ip) != own)
        yield _prefix(Network(peer), [_via("am", peer, port)], "true")
    elif one.ports:
        client = f"bgp-{here.asn}" if one.client == "bgp" else one.client
        paths = [_via(client, *_hop(here, port)) for port in one.ports]
        yield _prefix(prefix, [*paths, *_second_best(one)], "false")
    else:
        yield _prefix(prefix, [_via(one.client, "0.0.0.0", "Null0")], "false")


def _own(here: Device, port: str) -> str:
    return here.ports[port].address.partition("/")[0] if port in here.ports else here.loopback


def _hop(here: Device, port: str) -> tuple[str, str]:
    """The next hop, and the port where NX-OS shows it: not beside an address of a prefix."""
    hop = next((one.hop for one in here.sessions if one.at == port and not one.vrf), "")
    return (hop, "") if hop else ("fe80::5287:89ff:fea1:d8d6", port)


def _via(client: str, hop: str, port: str) -> Row:
    made: Row = {"ipnexthop": hop, "ifname": short(port), "uptime": "PT17H3M49S", "pref": "20"}
    made |= {"metric": "0", "clientname": client, "ubest": "true"}
    return made if port else {key: value for key, value in made.items() if key != "ifname"}


def _second_best(one: Route) -> list[Row]:
    if one.client != "bgp":
        return []
    return [{"ipnexthop": "10.9.9.9", "clientname": "bgp-65000", "pref": "200", "metric": "0"}]


def _prefix(prefix: Network, paths: list[Row], attached: str) -> Row:
    used = sum("ubest" in one for one in paths)
    head: Row = {"ipprefix": str(prefix), "ucast-nhops": str(used), "mcast-nhops": "0"}
    return {**head, "attached": attached, **table("path", paths)}


def fib(here: Device) -> Row:
    """`show forwarding ipv4 route`, of the line card and of the supervisor beside it."""
    rows = [row for prefix, one in sorted(here.routes.items()) for row in _entry(here, prefix, one)]
    rows += [_held(prefix, _hops(here, held)) for prefix, held in sorted(here.stray.items())]
    rows.insert(0, _held(Network("127.0.0.0/8"), [{"special": "Drop", "ifname": "Null0"}]))
    return table("module", [_card("1", rows), _card("27", rows[:1])])


def _card(number: str, rows: list[Row]) -> Row:
    vrf = {"vrf_name_out": "default", "table_name": "base", **table("prefix", rows)}
    return {"module_number": number, **table("vrf", [vrf])}


def _entry(here: Device, prefix: Network, one: Route) -> Iterable[Row]:
    if one.client == "direct":
        (port,) = one.ports
        yield _held(Network(_own(here, port)), [{"special": "Receive", "ifname": "sup-eth1"}])
        if prefix.prefixlen < 32:
            peer = next(str(ip) for ip in prefix if str(ip) != _own(here, port))
            yield _held(prefix, [{"special": "Attached", "ifname": port}])
            yield _held(Network(peer), [{"ip_nexthop": peer, "ifname": port}])
    elif one.ports and one.forwards:
        yield _held(prefix, _hops(here, one.forwards))
    elif not one.ports:
        yield _held(prefix, [{"special": "Drop", "ifname": "Null0"}])


def _hops(here: Device, ports: list[str]) -> list[Row]:
    return [{"ip_nexthop": _hop(here, port)[0], "ifname": port} for port in ports]


def _held(prefix: Network, paths: list[Row]) -> Row:
    return {"ip_prefix": str(prefix), **table("path", paths)}


def ports(here: Device) -> Row:
    """`show interface`."""
    name, address = here.management
    rows = [_port(name, Port(1500, address))]
    rows += [_port(one, port) for one, port in sorted(here.ports.items())]
    rows.append({"interface": "Vlan10", "svi_line_proto": "up", "svi_mtu": "1500"})
    return table("interface", rows)


def _port(name: str, one: Port) -> Row:
    made: Row = {
        "interface": name,
        "state": "up" if one.up else "down",
        "admin_state": "up" if one.admin_up else "down",
        "share_state": "Dedicated",
        "eth_hw_desc": "100/1000/10000/25000/50000/100000 Ethernet",
        "eth_bia_addr": "5254.0014.d103",
        "eth_mtu": str(one.mtu),
        "eth_mode": "trunk" if one.switched else "routed",
    }
    if one.address:
        held = IPv4Interface(one.address)
        made |= {"eth_ip_addr": str(held.ip), "eth_ip_mask": held.network.prefixlen}
        made["eth_ip_prefix"] = str(held.network.network_address)
    return made
