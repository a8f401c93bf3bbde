"""What EOS shows of what Linux, FRR and lldpd are doing.

The forms are those of ANTA's and napalm's recorded data (aristanetworks/anta, tests/units/
anta_tests; napalm-automation/napalm, test/eos/mocked_data): `show interfaces`, `show lldp neighbors
detail`, `show bgp summary`, `show ip route`. What has no module or queue under it shows none. The
hardware that a route is programmed into is Linux's own table: there is no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from ipaddress import IPv4Network
from typing import Any

from .wanted import LOOPBACK, Port, Wanted, eos_name

Run = Callable[..., Any]  # a program of Linux, and what it says as JSON
_KINDS = {"bgp": "eBGP", "connected": "connected", "static": "static", "kernel": "connected"}
_SEEN = ("Ethernet", "Management", "Loopback")


def interfaces(run: Run, wanted: Wanted, now: float) -> dict[str, object]:
    """`show interfaces`."""
    told: dict[str, object] = {}
    for link in run("ip", "-j", "-s", "-d", "address", "show"):
        device = str(link["ifname"])
        name = "Loopback0" if device == LOOPBACK else eos_name(device)
        asked = wanted.ports.get(device)
        if name.startswith(_SEEN) and (asked or device != LOOPBACK):
            told[name] = _interface(name, link, asked, now)
    return {"interfaces": told}


def _interface(
    name: str, link: Mapping[str, Any], asked: Port | None, now: float
) -> dict[str, object]:
    flags = link["flags"]
    is_up = "LOWER_UP" in flags and "UP" in flags
    status = "connected" if is_up else "notconnect" if "UP" in flags else "disabled"
    held = [one for one in link["addr_info"] if one["family"] == "inet" and one["scope"] != "host"]
    if name.startswith("Loopback"):
        held = [
            one for one in link["addr_info"] if one["local"] in (asked.address if asked else "")
        ]
    is_routed = name.startswith(("Management", "Loopback")) or bool(
        asked and (asked.address or asked.has_ipv6)
    )
    came, went = link["stats64"]["rx"], link["stats64"]["tx"]
    return {
        "name": name,
        "interfaceStatus": status,
        "lineProtocolStatus": "up" if is_up else "down",
        "forwardingModel": "routed" if is_routed else "bridged",
        "hardware": "ethernet",
        "mtu": link["mtu"],
        "l3MtuConfigured": is_routed,
        "bandwidth": 1_000_000_000,
        "physicalAddress": link["address"],
        "burnedInAddress": link["address"],
        "description": "",
        "interfaceAddress": [_address(one) for one in held],
        "interfaceCounters": {
            "counterRefreshTime": now,
            "inOctets": came["bytes"],
            "outOctets": went["bytes"],
            "inUcastPkts": came["packets"],
            "outUcastPkts": went["packets"],
            "inDiscards": came["dropped"],
            "outDiscards": went["dropped"],
            "totalInErrors": came["errors"],
            "totalOutErrors": went["errors"],
        },
    }


def _address(held: Mapping[str, Any]) -> dict[str, object]:
    return {
        "primaryIp": {"address": held["local"], "maskLen": held["prefixlen"]},
        "secondaryIps": {},
        "secondaryIpsOrderedList": [],
        "virtualIp": {"address": "0.0.0.0", "maskLen": 0},  # noqa: S104 # EOS's word for none
        "broadcastAddress": "255.255.255.255",
    }


def lldp(run: Run) -> dict[str, object]:
    """`show lldp neighbors detail`."""
    told: dict[str, dict[str, list[object]]] = {}
    for group in run("lldpcli", "-f", "json0", "show", "neighbors", "details").get("lldp", []):
        for one in group.get("interface", []):
            near = told.setdefault(eos_name(one["name"]), {"lldpNeighborInfo": []})
            near["lldpNeighborInfo"].append(_neighbour(one))
    return {"lldpNeighbors": told}


def _neighbour(one: Mapping[str, Any]) -> dict[str, object]:
    (chassis,), (port,) = one["chassis"], one["port"]
    identity = port["id"][0]["value"]
    told: dict[str, object] = {
        "chassisIdType": "macAddress",
        "chassisId": _dotted(chassis["id"][0]["value"]),
        "ttl": int(port.get("ttl", [{"value": 0}])[0]["value"]),
        "neighborInterfaceInfo": {
            "interfaceIdType": "interfaceName",
            "interfaceId": f'"{identity}"',
            "interfaceId_v2": identity,
        },
    }
    for key, name in (("systemName", "name"), ("systemDescription", "descr")):
        if name in chassis:
            told[key] = chassis[name][0]["value"]
    return told


def _dotted(mac: str) -> str:
    """As EOS writes a MAC address here: 001c.73a0.fc18."""
    return ".".join(re.findall("....", mac.replace(":", "")))


def bgp(run: Run) -> dict[str, object]:
    """`show bgp summary vrf all`; without BGP there is no table."""
    found = run("vtysh", "-c", "show bgp ipv4 unicast summary json")
    if "as" not in found:
        return {"vrfs": {}}
    detail = run("vtysh", "-c", "show bgp neighbors json")
    peers = {}
    for key, one in found.get("peers", {}).items():
        name = key
        if not key[0].isdigit():
            far = detail.get(key, {}).get("bgpNeighborAddr", "none")
            name = f"{far if far != 'none' else 'fe80::'}%{eos_name(key).replace('Ethernet', 'Et')}"
        peers[name] = {
            "peerState": one["state"],
            "peerAsn": str(one["remoteAs"]),
            "prefixReceived": one.get("pfxRcd", 0),
            "prefixAccepted": one.get("pfxRcd", 0),
        }
    table = {
        "vrf": "default",
        "routerId": found["routerId"],
        "asn": str(found["as"]),
        "peers": peers,
    }
    return {"vrfs": {"default": table}}


def routes(run: Run, wanted: Wanted) -> dict[str, object]:
    """`show ip route`: what FRR selected, and whether Linux forwards by it."""
    kernel = {_network(one["dst"]): one for one in run("ip", "-j", "-4", "route", "show")}
    apart = {one.name for one in wanted.ports.values() if one.vrf}
    told: dict[str, dict[str, object]] = {}
    for prefix, rows in run("vtysh", "-c", "show ip route json").items():
        for row in rows:
            hops = [hop for hop in row.get("nexthops", []) if hop.get("fib") or hop.get("active")]
            devices = {str(hop.get("interfaceName", "")) for hop in hops}
            if row.get("selected") and not (devices and devices <= apart):
                told[prefix] = _route(row, hops, kernel.get(prefix))
    held = all(one["kernelProgrammed"] for one in told.values())
    table = {
        "routingDisabled": not wanted.forwards[4],
        "allRoutesProgrammedHardware": held,
        "allRoutesProgrammedKernel": held,
        "defaultRouteState": "notSet",
        "routes": told,
    }
    return {"vrfs": {"default": table}}


def _is_held(row: Mapping[str, Any], hops: list[Any], held: Mapping[str, Any] | None) -> bool:
    """Whether Linux forwards by all of these paths, and by no other; its own networks it has."""
    if row["protocol"] == "connected":
        return True
    if held is None or any(hop.get("blackhole") for hop in hops):
        return held is not None and held.get("type") == "blackhole"
    ways = held.get("nexthops") or [held]
    return {str(one.get("dev")) for one in ways} == {str(one["interfaceName"]) for one in hops}


def _route(
    row: Mapping[str, Any], hops: list[Any], held: Mapping[str, Any] | None
) -> dict[str, object]:
    drops = any(hop.get("blackhole") for hop in hops)
    is_held = _is_held(row, hops, held)
    return {
        "hardwareProgrammed": is_held,
        "kernelProgrammed": is_held,
        "routeType": _KINDS.get(row["protocol"], row["protocol"]),
        "routeLeaked": False,
        "routeAction": "drop" if drops else "forward",
        "directlyConnected": row["protocol"] == "connected",
        "preference": row.get("distance", 0),
        "metric": row.get("metric", 0),
        "vias": [] if drops else [_via(hop) for hop in hops],
    }


def _via(hop: Mapping[str, Any]) -> dict[str, object]:
    device = str(hop.get("interfaceName", ""))
    name = "Loopback0" if device == LOOPBACK else eos_name(device)
    return {"interface": name, **({"nexthopAddr": hop["ip"]} if "ip" in hop else {})}


def _network(text: str) -> str:
    return text if text == "default" else str(IPv4Network(text))
