"""`router` and `vrf` -> sessions, what is announced and discarded.

Defaults: FRR's `datacenter` profile (bgpd/bgp_vty.c, bfdd/bfd.h), which Cumulus Linux uses;
64 equal paths (NVIDIA Cumulus Linux 5.14, Optional BGP Configuration).
"""

from __future__ import annotations

from typing import Literal, cast

from switch_configs.readback.facts import Hazard, SessionFacts, TableFacts

from .reading import CumulusReading
from .take import Node, enabled, flag, here, is_whole, node, number, peek, take, text

_KEEPALIVE_S, _HOLD_S, _CONNECT_S = 3, 9, 10
_BFD_MS, _BFD_TIMES = 300, 3
_WIDTH = 64

Bfd = tuple[bool, int | None, int | None]
_NO_BFD: Bfd = (False, None, None)


def read(tree: Node, found: CumulusReading) -> None:
    """Takes BGP, static routes, BFD and the switches of routing out of the tree."""
    router = node(tree, "router")
    found.asn = number(router, "bgp", "autonomous-system")
    found.router_id = text(router, "bgp", "router-id")
    on = enabled(router, "bgp")
    if on is False:
        found.hazards.append("BGP is switched off")
    if node(router, "bgp") or found.asn is not None:
        found.says("whether BGP is on", "the router", on is not None)
    found.drained = flag(router, "bgp", "graceful-shutdown") is True
    adaptive = enabled(router, "adaptive-routing")
    gateways = enabled(router, "vrr")
    if gateways is None and any(iface.gateway for iface in found.interfaces.values()):
        found.hazards.append("gateways (VRR) are not switched on")
    if gateways is False:
        found.hazards.append("gateways (VRR) are switched off")
    if enabled(router, "bfd") is False:
        found.hazards.append("BFD is switched off")
    for iface in found.interfaces.values():
        if iface.adaptive and not adaptive:
            found.hazards.append(f"{iface.name} has adaptive routing, and the switch has not")
            iface.adaptive = False
    profiles = _bfd_profiles(router)
    for vrf in list(node(tree, "vrf")):
        here(tree, "vrf", vrf)
        _table(vrf, node(tree, "vrf", vrf), profiles, found)


def _bfd_profiles(router: Node) -> dict[str, Bfd]:
    out = {}
    for name in list(node(router, "bfd", "profile")):
        own = node(router, "bfd", "profile", name)
        out[name] = (True, *_timers(own))
    return out


def _timers(own: Node) -> tuple[int | None, int | None]:
    """Interval and multiplier; no interval where both directions differ."""
    times = number(own, "detect-multiplier") or _BFD_TIMES
    rx, tx = number(own, "min-rx-interval") or _BFD_MS, number(own, "min-tx-interval") or _BFD_MS
    return (rx if rx == tx else None), times


def _table(vrf: str, tree: Node, profiles: dict[str, Bfd], found: CumulusReading) -> None:
    is_default = vrf == "default"
    number(tree, "table")
    if peek(tree, "table") == "auto":
        take(tree, "table")
    if vrf == "mgmt":
        _gateway(tree, found)
    for prefix in list(node(tree, "router", "static")):
        kind = text(tree, "router", "static", prefix, "via", "blackhole", "type")
        bare = here(tree, "router", "static", prefix, "via", "blackhole")
        family = text(tree, "router", "static", prefix, "address-family")
        if family not in (None, "ipv4-unicast") or (kind or "blackhole") != "blackhole":
            found.hazards.append(f"the discard route {prefix} is {kind} of {family}")
        elif (kind or bare) and is_default:
            found.discards.append(prefix)
    bgp = node(tree, "router", "bgp")
    if not bgp:
        return
    _own(vrf, bgp, found)
    on = enabled(bgp)
    found.says("whether BGP is on", f"table {vrf}", on is not None)
    if on is False:
        found.hazards.append(f"BGP of {vrf} is switched off")
    originates = _family(vrf, bgp, found)
    width = number(bgp, "address-family", "ipv4-unicast", "multipaths", "ebgp") or _WIDTH
    if flag(bgp, "path-selection", "multipath", "aspath-ignore") is False:
        words = f"paths over different ASNs are not used together in {vrf}"
        found.hazards.append(Hazard(words, "paths-not-shared"))
    if is_default:
        found.originates, found.ecmp_width = originates, width
    else:
        found.tables.append(TableFacts(vrf, tuple(sorted(originates)), width))
    _sessions("" if is_default else vrf, bgp, profiles, found)


def _gateway(tree: Node, found: CumulusReading) -> None:
    """The way out of the management table may be a route of it instead of eth0's gateway."""
    port = found.interfaces.get("eth0")
    vias = node(tree, "router", "static", "0.0.0.0/0", "via")
    if port is None or port.gateways or len(vias) != 1:
        return
    (via,) = vias
    here(tree, "router", "static", "0.0.0.0/0", "via", via)
    if text(vias, via, "type") in (None, "ipv4-address"):
        port.gateways.append(via)


def _own(vrf: str, bgp: Node, found: CumulusReading) -> None:
    """The default table may say the number and id that are the switch's."""
    if vrf == "default":
        found.asn = number(bgp, "autonomous-system") or found.asn
        found.router_id = text(bgp, "router-id") or found.router_id


def _family(vrf: str, bgp: Node, found: CumulusReading) -> list[str]:
    at = ("address-family", "ipv4-unicast")
    if enabled(bgp, *at) is False:
        found.hazards.append(f"BGP of {vrf} has no IPv4")
    return [one for one in list(node(bgp, *at, "network")) if here(bgp, *at, "network", one)]


def _sessions(vrf: str, bgp: Node, profiles: dict[str, Bfd], found: CumulusReading) -> None:
    groups = {}
    for name in list(node(bgp, "peer-group")):
        own = node(bgp, "peer-group", name)
        groups[name] = _peer(own, profiles, f"peer group {name}", found)
        here(bgp, "peer-group", name)
    for key in list(node(bgp, "neighbor")):
        own = node(bgp, "neighbor", key)
        group = text(own, "peer-group")
        if group is not None and group not in groups:
            found.hazards.append(f"neighbour {key} is of peer group {group}, which is not defined")
        _kind(vrf, key, text(own, "type"), found)
        held = {**groups.get(group or "", {}), **_peer(own, profiles, f"neighbour {key}", found)}
        found.sessions.append(_session(vrf, key, held, found))
        here(bgp, "neighbor", key)


def _kind(vrf: str, key: str, kind: str | None, found: CumulusReading) -> None:
    """A neighbour is an address, or an interface of the same routing table."""
    numbered = is_whole(key[:1]) or ":" in key
    found.says("whether it has a number", f"neighbour {key}", kind is not None)
    if kind not in (None, "numbered" if numbered else "unnumbered"):
        found.hazards.append(f"neighbour {key} is {kind}")
    if numbered:
        return
    port = found.interfaces.get(key)
    if port is None:
        found.hazards.append(f"neighbour {key} is no interface")
    elif port.vrf != vrf:
        found.hazards.append(f"neighbour {key} is in table '{vrf}', its port in '{port.vrf}'")


def _peer(
    own: Node, profiles: dict[str, Bfd], who: str, found: CumulusReading
) -> dict[str, object]:
    """What is said of a neighbour or a group; what is not said is not in the answer."""
    out: dict[str, object] = {}
    remote = peek(own, "remote-as")
    if isinstance(remote, str) and (is_whole(remote) or remote in ("external", "internal")):
        take(own, "remote-as")
        out["peer_asn"] = int(remote) if is_whole(remote) else remote
    for key, at in (
        ("keepalive_s", "keepalive"), ("hold_s", "hold"), ("connect_s", "connection-retry"),
    ):  # fmt: skip
        seconds = number(own, "timers", at)
        if seconds is not None:
            out[key] = seconds
    description = text(own, "description")
    if description is not None:
        out["description"] = description
    _peer_bfd(own, profiles, who, out, found)
    _peer_family(own, who, out, found)
    if flag(own, "shutdown") is True:
        found.hazards.append(f"{who} is shut down")
    return out


def _peer_bfd(
    own: Node, profiles: dict[str, Bfd], who: str, out: dict[str, object], found: CumulusReading
) -> None:
    profile = text(own, "bfd", "profile")
    if profile is not None:
        out["bfd"] = profiles.get(profile, (True, None, None))
        if profile not in profiles:
            found.hazards.append(f"{who} uses BFD profile {profile}, which is not defined")
        return
    if here(own, "bfd"):
        out["bfd"] = (True, _BFD_MS, _BFD_TIMES)
    if node(own, "bfd"):
        times = _timers(node(own, "bfd"))
        on = flag(own, "bfd", "enable")
        if on is not None:
            out["bfd"] = (on, *times)


def _peer_family(own: Node, who: str, out: dict[str, object], found: CumulusReading) -> None:
    at = ("address-family", "ipv4-unicast")
    overlay = enabled(own, "address-family", "l2vpn-evpn") is True
    if enabled(own, *at) is False:
        out["overlay_only"] = overlay
        if not overlay:
            found.hazards.append(f"{who} has no IPv4")
    for key, way in (("policy_in", "inbound"), ("policy_out", "outbound")):
        policy = text(own, *at, "policy", way, "route-map")
        if policy is not None:
            out[key] = policy
    most = number(own, *at, "prefix-limits", "inbound", "maximum")
    if most is not None:
        warns = flag(own, *at, "prefix-limits", "inbound", "warning-only")
        out["maximum_prefix"], out["over_maximum"] = most, "warn" if warns else "reset"
    if flag(own, *at, "community-advertise", "regular") is False:
        found.hazards.append(f"{who} is sent no communities")


def _session(vrf: str, key: str, held: dict[str, object], found: CumulusReading) -> SessionFacts:
    bfd, interval_ms, times = cast("Bfd", held.get("bfd", _NO_BFD))
    closed = held.get("policy_in") and held.get("policy_out")
    if not closed and not held.get("overlay_only"):
        words = f"neighbour {key} lacks a policy, and nothing else closes it"
        found.hazards.append(Hazard(words, "lacks-policy", key))
    over: Literal["warn", "reset"] | None = held.get("over_maximum")  # type: ignore[assignment]
    return SessionFacts(
        key=key,
        peer_asn=held.get("peer_asn"),  # type: ignore[arg-type]
        description=str(held.get("description", "")),
        policy_in=held.get("policy_in"),  # type: ignore[arg-type]
        policy_out=held.get("policy_out"),  # type: ignore[arg-type]
        keepalive_s=held.get("keepalive_s", _KEEPALIVE_S),  # type: ignore[arg-type]
        hold_s=held.get("hold_s", _HOLD_S),  # type: ignore[arg-type]
        connect_s=held.get("connect_s", _CONNECT_S),  # type: ignore[arg-type]
        bfd=bool(bfd),
        bfd_interval_ms=interval_ms if bfd else None,
        bfd_multiplier=times if bfd else None,
        maximum_prefix=held.get("maximum_prefix"),  # type: ignore[arg-type]
        over_maximum=over,
        vrf=vrf,
        carries_ipv4=not held.get("overlay_only"),
    )
