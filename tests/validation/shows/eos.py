"""What an EOS switch prints of its state, in the forms of ANTA's and napalm's recorded data."""

from __future__ import annotations

import json
from ipaddress import IPv4Interface

from .state import Device, Port, Route, Session

LLDP = "show lldp neighbors detail | json"
LLDP_RUNS = "show running-config sanitized"
BGP = "show bgp summary vrf all | json"
ROUTES = "show ip route | json"
PORTS = "show interfaces | json"
_KINDS = {"bgp": "eBGP", "direct": "connected", "static": "static"}


def says(here: Device) -> dict[str, str]:
    """The answers by line."""
    return {
        LLDP: _text(lldp(here)),
        LLDP_RUNS: "!\nend\n" if here.runs_lldp else "!\nno lldp run\n!\nend\n",
        BGP: _text(bgp(here)),
        ROUTES: _text(routes(here)),
        PORTS: _text(ports(here)),
    }


def _text(value: object) -> str:
    return json.dumps(value, indent=4) + "\n"


def lldp(here: Device) -> dict[str, object]:
    """`show lldp neighbors detail`."""
    told = {
        name: {"lldpNeighborInfo": [_heard(*one) for one in port.heard if here.runs_lldp]}
        for name, port in sorted(here.ports.items())
    }
    return {"lldpNeighbors": told}


def _heard(system: str, port: str) -> dict[str, object]:
    at = {"interfaceIdType": "interfaceName", "interfaceId": f'"{port}"', "interfaceId_v2": port}
    return {
        "chassisIdType": "macAddress",
        "chassisId": "001c.73a0.fc18",
        "systemName": system,
        "systemDescription": "Arista Networks EOS version 4.36.0F",
        "ttl": 120,
        "neighborInterfaceInfo": at,
    }


def bgp(here: Device) -> dict[str, object]:
    """`show bgp summary vrf all`; without BGP there is no table."""
    tables: dict[str, dict[str, object]] = {}
    for vrf in ["", *sorted({one.vrf for one in here.sessions if one.vrf})]:
        mine = {_key(one): _peer(one) for one in here.sessions if one.vrf == vrf}
        name = vrf or "default"
        tables[name] = {
            "vrf": name,
            "routerId": here.loopback,
            "asn": str(here.asn),
            "peers": mine,
        }
    return {"vrfs": tables if here.runs_bgp else {}}


def _key(one: Session) -> str:
    return one.hop or f"fe80::21c:73ff:fe00:1%{one.at.replace('Ethernet', 'Et')}"


def _peer(one: Session) -> dict[str, object]:
    return {
        "peerState": one.state,
        "peerAsn": str(one.peer_asn),
        "ipv4Unicast": {"afiSafiState": "negotiated", "nlrisReceived": 3, "nlrisAccepted": 3},
    }


def routes(here: Device) -> dict[str, object]:
    """`show ip route`."""
    told = {str(prefix): _route(one) for prefix, one in sorted(here.routes.items())}
    programmed = all(one.forwards == one.ports for one in here.routes.values())
    table = {
        "routingDisabled": False,
        "allRoutesProgrammedHardware": programmed,
        "allRoutesProgrammedKernel": True,
        "defaultRouteState": "notSet",
        "routes": told,
    }
    return {"vrfs": {"default": table}}


def _route(one: Route) -> dict[str, object]:
    hop = {} if one.client == "direct" else {"nexthopAddr": "fe80::21c:73ff:fe00:1"}
    return {
        "hardwareProgrammed": one.forwards == one.ports,
        "routeType": _KINDS[one.client],
        "routeLeaked": False,
        "kernelProgrammed": True,
        "routeAction": "forward" if one.ports else "drop",
        "directlyConnected": one.client == "direct",
        "preference": 200,
        "metric": 0,
        "vias": [{**hop, "interface": port} for port in one.ports],
    }


def ports(here: Device) -> dict[str, object]:
    """`show interfaces`."""
    told = {name: _port(name, one) for name, one in sorted(here.ports.items())}
    name, address = here.management
    told[name] = _port(name, Port(1500, address))
    told["Loopback0"] = _port("Loopback0", Port(65535, f"{here.loopback}/32"))
    return {"interfaces": told}


def _port(name: str, one: Port) -> dict[str, object]:
    status = "connected" if one.up else "notconnect" if one.admin_up else "disabled"
    return {
        "name": name,
        "interfaceStatus": status,
        "lineProtocolStatus": "up" if one.up else "down",
        "forwardingModel": "bridged" if one.switched else "routed",
        "hardware": "ethernet",
        "mtu": one.mtu,
        "l3MtuConfigured": not one.switched,
        "burnedInAddress": "00:1c:73:00:00:01",
        "interfaceAddress": [_held(one.address)] if one.address else [],
        "description": "",
    }


def _held(address: str) -> dict[str, object]:
    one = IPv4Interface(address)
    return {
        "secondaryIpsOrderedList": [],
        "broadcastAddress": "255.255.255.255",
        "secondaryIps": {},
        "primaryIp": {"maskLen": one.network.prefixlen, "address": str(one.ip)},
        "virtualIp": {"maskLen": 0, "address": "0.0.0.0"},
    }
