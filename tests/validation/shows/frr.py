"""What a switch of Linux with FRR prints of its state: vtysh as FRR 8.4 does, and iproute2."""

from __future__ import annotations

import json

from . import linux
from .state import Device, Route, Session

BGP = "vtysh -c 'show bgp summary json'"
VRF_BGP = "vtysh -c 'show bgp vrf {} summary json'"
ROUTES = "vtysh -c 'show ip route json'"
KERNEL = "ip -j -4 route show"
_KINDS = {"bgp": "bgp", "direct": "connected", "static": "static"}
_IN_KERNEL = {"bgp": "bgp", "direct": "kernel", "static": "static"}


def says(here: Device) -> dict[str, str]:
    """The answers by line."""
    told = {str(prefix): [_route(one)] for prefix, one in sorted(here.routes.items())}
    kernel = [
        {"dst": str(prefix), **_kernel(one)}
        for prefix, one in sorted(here.routes.items())
        if one.client == "bgp" or one.ports != ["Loopback0"]
    ]
    return {
        **linux.says(here),
        BGP: json.dumps(_bgp(here)),
        **{VRF_BGP.format(vrf): json.dumps(_bgp(here, vrf)) for vrf in _vrfs(here)},
        ROUTES: json.dumps(told),
        KERNEL: json.dumps(kernel),
    }


def _vrfs(here: Device) -> list[str]:
    return sorted({one.vrf for one in here.sessions if one.vrf})


def _bgp(here: Device, vrf: str = "") -> dict[str, object]:
    """Of one routing table, as FRR tells it."""
    if not here.runs_bgp:
        return {}
    peers = {one.hop or one.at: _peer(here, one) for one in here.sessions if one.vrf == vrf}
    return {"ipv4Unicast": {"routerId": here.loopback, "as": here.asn, "peers": peers}}


def _peer(here: Device, one: Session) -> dict[str, object]:
    return {"remoteAs": one.peer_asn, "localAs": here.asn, "pfxRcd": 3, "state": one.state}


def _route(one: Route) -> dict[str, object]:
    hops: list[dict[str, object]] = [{"fib": True, "interfaceName": port} for port in one.ports]
    hops = hops or [{"fib": True, "unreachable": True, "blackhole": True}]
    return {"protocol": _KINDS[one.client], "selected": True, "nexthops": hops}


def _kernel(one: Route) -> dict[str, object]:
    if not one.forwards:
        return {"type": "blackhole", "protocol": _IN_KERNEL[one.client]}
    hops = [{"dev": port, "weight": 1, "flags": []} for port in one.forwards]
    return {"protocol": _IN_KERNEL[one.client], "nexthops": hops}
