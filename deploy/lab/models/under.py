"""What Linux, FRR and lldpd are doing under a model, in words that every system's shows can use.

The hardware that a route is programmed into is Linux's own table: there is no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from .wanted import LOOPBACK, Port, Wanted, port_name

Run = Callable[..., Any]  # a program of Linux, and what it says as JSON


@dataclass(frozen=True, slots=True)
class Link:
    """A port as Linux has it; `asked` is what the configuration says of it.

    `changes`: how often its carrier came or went.
    """

    device: str
    is_up: bool
    is_enabled: bool
    mtu_bytes: int
    mac: str
    addresses: tuple[tuple[str, int], ...]
    came: Mapping[str, int]
    went: Mapping[str, int]
    changes: int
    asked: Port | None


@dataclass(frozen=True, slots=True)
class Heard:
    """A neighbour that lldpd hears. `name` and `description` are None where it sends none."""

    device: str
    chassis: str
    port: str
    ttl_s: int
    name: str | None
    description: str | None


@dataclass(frozen=True, slots=True)
class Session:
    """A session of FRR's; `far` is the address of who is at the other end, where that is known.

    `since` is when it came up (Unix seconds), 0 where it is not; `dropped` how often it went down.
    """

    key: str
    far: str
    state: str
    asn: str
    received: int
    since: float
    dropped: int


@dataclass(frozen=True, slots=True)
class Sessions:
    """FRR's process of the default table."""

    asn: str
    router_id: str
    peers: tuple[Session, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """A route that FRR selected; `is_held`: Linux forwards by all of its paths, and no other."""

    prefix: str
    protocol: str
    distance: int
    metric: int
    hops: tuple[tuple[str, str], ...]  # device, next hop or ""
    drops: bool
    is_held: bool


def links(run: Run, wanted: Wanted) -> Iterator[Link]:
    """Every port of the kernel; of the loopback's addresses the configured one."""
    for one in run("ip", "-j", "-s", "-s", "-d", "address", "show"):
        device, flags = str(one["ifname"]), one["flags"]
        asked = wanted.ports.get(device)
        inet = [at for at in one["addr_info"] if at["family"] == "inet"]
        if device == LOOPBACK:
            held = [at for at in inet if asked and at["local"] == asked.address.partition("/")[0]]
        else:
            held = [at for at in inet if at["scope"] != "host"]
        yield Link(
            device=device,
            is_up="LOWER_UP" in flags and "UP" in flags,
            is_enabled="UP" in flags,
            mtu_bytes=one["mtu"],
            mac=one["address"],
            addresses=tuple((at["local"], at["prefixlen"]) for at in held),
            came=one["stats64"]["rx"],
            went=one["stats64"]["tx"],
            changes=one["stats64"]["tx"]["carrier_changes"],
            asked=asked,
        )


def heard(run: Run) -> Iterator[Heard]:
    """Who is heard at which port."""
    for group in run("lldpcli", "-f", "json0", "show", "neighbors", "details").get("lldp", []):
        for one in group.get("interface", []):
            (chassis,), (port,) = one["chassis"], one["port"]
            words = {key: chassis[key][0]["value"] for key in ("name", "descr") if key in chassis}
            yield Heard(
                device=one["name"],
                chassis=chassis["id"][0]["value"],
                port=port["id"][0]["value"],
                ttl_s=int(port.get("ttl", [{"value": 0}])[0]["value"]),
                name=words.get("name"),
                description=words.get("descr"),
            )


def sessions(run: Run) -> Sessions | None:
    """None where FRR runs no BGP."""
    found = run("vtysh", "-c", "show bgp ipv4 unicast summary json")
    if "as" not in found:
        return None
    detail = run("vtysh", "-c", "show bgp neighbors json")
    peers = []
    for key, one in found.get("peers", {}).items():
        more = detail.get(key, {})
        far = str(more.get("bgpNeighborAddr", "none"))
        peers.append(
            Session(
                key=key,
                far=key if key[0].isdigit() else "" if far == "none" else far,
                state=one["state"],
                asn=str(one["remoteAs"]),
                received=one.get("pfxRcd", 0),
                since=more.get("bgpTimerUpEstablishedEpoch", 0),
                dropped=more.get("connectionsDropped", 0),
            )
        )
    return Sessions(str(found["as"]), found["routerId"], tuple(peers))


def routes(run: Run, wanted: Wanted) -> Iterator[Route]:
    """What FRR selected in the default table, sorted as FRR does."""
    kernel = {network(one["dst"]): one for one in run("ip", "-j", "-4", "route", "show")}
    apart = {one.name for one in wanted.ports.values() if one.vrf}
    for prefix, rows in run("vtysh", "-c", "show ip route json").items():
        for row in rows:
            hops = [hop for hop in row.get("nexthops", []) if hop.get("fib") or hop.get("active")]
            devices = {str(hop.get("interfaceName", "")) for hop in hops}
            if row.get("selected") and not (devices and devices <= apart):
                yield Route(
                    prefix=prefix,
                    protocol=row["protocol"],
                    distance=row.get("distance", 0),
                    metric=row.get("metric", 0),
                    hops=tuple((str(h.get("interfaceName", "")), h.get("ip", "")) for h in hops),
                    drops=any(hop.get("blackhole") for hop in hops),
                    is_held=_is_held(row, hops, kernel.get(prefix)),
                )


def _is_held(row: Mapping[str, Any], hops: list[Any], held: Mapping[str, Any] | None) -> bool:
    """Whether Linux forwards by all of these paths, and by no other; its own networks it has."""
    if row["protocol"] == "connected":
        return True
    if held is None or any(hop.get("blackhole") for hop in hops):
        return held is not None and held.get("type") == "blackhole"
    ways = held.get("nexthops") or [held]
    return {str(one.get("dev")) for one in ways} == {str(one["interfaceName"]) for one in hops}


def network(text: str) -> str:
    """A prefix of Linux's in full."""
    return text if text == "default" else str(IPv4Network(text))


def shown_name(device: str, loopback: str) -> str:
    """A port's name in the system's words."""
    return loopback if device == LOOPBACK else port_name(device)
