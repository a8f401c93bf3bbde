"""What EOS shows of what Linux, FRR and lldpd are doing.

The forms are those of ANTA's and napalm's recorded data (aristanetworks/anta, tests/units/
anta_tests; napalm-automation/napalm, test/eos/mocked_data): `show interfaces`, `show lldp neighbors
detail`, `show bgp summary`, `show ip route`, `show interfaces transceiver dom thresholds`, `show
interfaces phy detail`; `show ntp associations` that of lvrfrc87/pyATEOS (README). What has no queue
under it shows none.
"""

from __future__ import annotations

import json
import re

from .. import modules, timekeeping, under
from ..under import Heard, Link, Route, Run, shown_name
from ..wanted import LOOPBACK, Wanted, port_name

_KINDS = {"bgp": "eBGP", "connected": "connected", "static": "static", "kernel": "connected"}
_SEEN = ("Ethernet", "Management", "Loopback")
_LOOPBACK = "Loopback0"
_ENDS = {"high alarm": "highAlarm", "low alarm": "lowAlarm", "high warning": "highWarn",
         "low warning": "lowWarn"}  # fmt: skip
_PHY = {
    "phyStatuses": [
        {
            "fec": {"uncorrectedCodewords": {"value": 0, "changes": 0, "lastChange": 0.0}},
            "preFecBer": {"value": modules.PRE_FEC_RATIO},
        }
    ]
}


def told(line: str, run: Run, wanted: Wanted, now: float) -> str | None:
    """What is shown; None for what is not known here."""
    if line == "show interfaces | json":
        return _text(interfaces(run, wanted, now))
    if line.startswith("show interfaces Ethernet") and line.endswith(" | json"):
        name = line.split()[2]
        every = _ports(run, wanted, now)
        if name not in every:
            return "% Invalid input"
        return _text({"interfaces": {name: every[name]}})
    if line == "show interfaces transceiver dom thresholds | json":
        every = {port_name(one.device): _optic(one) for one in modules.modules(run, wanted)}
        return _text({"interfaces": every})
    if line == "show interfaces phy detail | json":
        ports = (port_name(one.device) for one in modules.modules(run, wanted))
        return _text({"interfacePhyStatuses": dict.fromkeys(ports, _PHY)})
    if line == "show lldp neighbors detail | json":
        return _text(lldp(run) if wanted.lldp else {"lldpNeighbors": {}})
    if line == "show bgp summary vrf all | json":
        return _text(bgp(run))
    if line == "show ip route | json":
        return _text(routes(run, wanted))
    if line == "show ntp associations | json":
        return _text({"peers": {one.address: _asked(one) for one in timekeeping.servers(run)}})
    return None


def _text(told: object) -> str:
    return json.dumps(told, indent=4)


def interfaces(run: Run, wanted: Wanted, now: float) -> dict[str, object]:
    """`show interfaces`."""
    return {"interfaces": _ports(run, wanted, now)}


def _ports(run: Run, wanted: Wanted, now: float) -> dict[str, object]:
    told: dict[str, object] = {}
    for link in under.links(run, wanted):
        name = shown_name(link.device, _LOOPBACK)
        if name.startswith(_SEEN) and (link.asked or link.device != LOOPBACK):
            told[name] = _interface(name, link, now)
    return told


def _interface(name: str, link: Link, now: float) -> dict[str, object]:
    status = "connected" if link.is_up else "notconnect" if link.is_enabled else "disabled"
    is_routed = name.startswith(("Management", "Loopback")) or bool(
        link.asked and (link.asked.address or link.asked.has_ipv6)
    )
    return {
        "name": name,
        "interfaceStatus": status,
        "lineProtocolStatus": "up" if link.is_up else "down",
        "forwardingModel": "routed" if is_routed else "bridged",
        "hardware": "ethernet",
        "mtu": link.mtu_bytes,
        "l3MtuConfigured": is_routed,
        "bandwidth": 1_000_000_000,
        "physicalAddress": link.mac,
        "burnedInAddress": link.mac,
        "description": "",
        "interfaceAddress": [_address(*one) for one in link.addresses],
        "interfaceCounters": {
            "counterRefreshTime": now,
            "inOctets": link.came["bytes"],
            "outOctets": link.went["bytes"],
            "inUcastPkts": link.came["packets"],
            "outUcastPkts": link.went["packets"],
            "inDiscards": link.came["dropped"],
            "outDiscards": link.went["dropped"],
            "totalInErrors": link.came["errors"],
            "totalOutErrors": link.went["errors"],
        },
    }


def _optic(one: modules.Module) -> dict[str, object]:
    lanes = [str(lane + 1) for lane in range(modules.LANES)]
    rx, tx, bias = (one.rx_dbm, modules.TX_DBM, modules.BIAS_MA)
    return {
        "displayName": port_name(one.device),
        "vendorSn": one.serial,
        "mediaType": modules.KIND,
        "parameters": {
            "rxPower": _lanes("dBm", dict.fromkeys(lanes, rx), modules.RX_WARN_DBM),
            "txPower": _lanes("dBm", dict.fromkeys(lanes, tx), modules.TX_WARN_DBM),
            "txBias": _lanes("mA", dict.fromkeys(lanes, bias), modules.BIAS_WARN_MA),
            "temperature": _lanes("C", {"-": modules.TEMPERATURE_C}, modules.TEMPERATURE_WARN_C),
        },
    }


def _lanes(unit: str, told: dict[str, float], warn: tuple[float, float]) -> dict[str, object]:
    held = {_ENDS[end]: value for end, value in modules.limits(warn).items()}
    return {"unit": unit, "channels": told, "threshold": held}


def _address(local: str, bits: int) -> dict[str, object]:
    return {
        "primaryIp": {"address": local, "maskLen": bits},
        "secondaryIps": {},
        "secondaryIpsOrderedList": [],
        "virtualIp": {"address": "0.0.0.0", "maskLen": 0},  # noqa: S104 # EOS's word for none
        "broadcastAddress": "255.255.255.255",
    }


def lldp(run: Run) -> dict[str, object]:
    """`show lldp neighbors detail`."""
    told: dict[str, dict[str, list[object]]] = {}
    for one in under.heard(run):
        near = told.setdefault(port_name(one.device), {"lldpNeighborInfo": []})
        near["lldpNeighborInfo"].append(_neighbour(one))
    return {"lldpNeighbors": told}


def _neighbour(one: Heard) -> dict[str, object]:
    told: dict[str, object] = {
        "chassisIdType": "macAddress",
        "chassisId": ".".join(re.findall("....", one.chassis.replace(":", ""))),
        "ttl": one.ttl_s,
        "neighborInterfaceInfo": {
            "interfaceIdType": "interfaceName",
            "interfaceId": f'"{one.port}"',
            "interfaceId_v2": one.port,
        },
    }
    said = {"systemName": one.name, "systemDescription": one.description}
    return told | {key: value for key, value in said.items() if value is not None}


def bgp(run: Run) -> dict[str, object]:
    """`show bgp summary vrf all`; without BGP there is no table."""
    found = under.sessions(run)
    if found is None:
        return {"vrfs": {}}
    peers = {}
    for one in found.peers:
        short = port_name(one.key).replace("Ethernet", "Et")
        name = one.key if one.key[0].isdigit() else f"{one.far or 'fe80::'}%{short}"
        peers[name] = {
            "peerState": one.state,
            "peerAsn": one.asn,
            "prefixReceived": one.received,
            "prefixAccepted": one.received,
        }
    table = {"vrf": "default", "routerId": found.router_id, "asn": found.asn, "peers": peers}
    return {"vrfs": {"default": table}}


def _asked(one: timekeeping.Server) -> dict[str, object]:
    """A server, as ntpd would tell of it: milliseconds of its clock against the switch's."""
    return {
        "delay": 0.0,
        "jitter": 0.0,
        "peerType": "unicast",
        "reachabilityHistory": [bool(one.reach >> at & 1) for at in range(8)],
        "condition": "sys.peer" if one.is_followed else "reject",
        "offset": -1000 * one.ahead_s,
        "peerIpAddr": one.address,
        "pollInterval": one.poll_s,
        "stratumLevel": one.stratum,
    }


def routes(run: Run, wanted: Wanted) -> dict[str, object]:
    """`show ip route`: what FRR selected, and whether Linux forwards by it."""
    found = list(under.routes(run, wanted))
    held = all(one.is_held for one in found)
    table = {
        "routingDisabled": not wanted.forwards[4],
        "allRoutesProgrammedHardware": held,
        "allRoutesProgrammedKernel": held,
        "defaultRouteState": "notSet",
        "routes": {one.prefix: _route(one) for one in found},
    }
    return {"vrfs": {"default": table}}


def _route(one: Route) -> dict[str, object]:
    return {
        "hardwareProgrammed": one.is_held,
        "kernelProgrammed": one.is_held,
        "routeType": _KINDS.get(one.protocol, one.protocol),
        "routeLeaked": False,
        "routeAction": "drop" if one.drops else "forward",
        "directlyConnected": one.protocol == "connected",
        "preference": one.distance,
        "metric": one.metric,
        "vias": [] if one.drops else [_via(*hop) for hop in one.hops],
    }


def _via(device: str, hop: str) -> dict[str, object]:
    name = shown_name(device, _LOOPBACK)
    return {"interface": name, **({"nexthopAddr": hop} if hop else {})}
