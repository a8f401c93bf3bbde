"""BGP sessions with what their groups and EOS's defaults say, and what keeps them down."""

from __future__ import annotations

from switch_configs.readback.facts import Hazard, HazardKind, SessionFacts

from .reading import EosReading, Neighbour, Table

# EOS User Manual, Border Gateway Protocol: defaults of timers, BFD and maximum-routes.
_TIMES = (60, 180)
_BFD = (300, 300, 3)
_MAXIMUM = (12000, False)


def sessions(found: EosReading) -> tuple[SessionFacts, ...]:
    """All sessions, by table, then key."""
    every = [
        (key, one, vrf)
        for vrf, table in found.tables.items()
        for key, one in table.neighbours.items()
    ]
    for key, one, _ in every:
        if not _is_declared(one):
            found.hazards.append(f"{key} is no neighbour and no group: EOS refuses its settings")
    out = [_session(*one, found) for one in every if _is_declared(one[1])]
    for vrf, table in found.tables.items():
        _check_table(vrf, table, found)
    return tuple(sorted(out, key=lambda one: (one.vrf, one.key)))


def _is_declared(one: Neighbour) -> bool:
    return one.is_port or one.group is not None or one.asn is not None


def _session(key: str, own: Neighbour, vrf: str, found: EosReading) -> SessionFacts:
    group = Neighbour()
    if own.group is not None:
        group = found.groups.get(own.group, group)
        if own.group not in found.groups:
            found.hazards.append(f"session {key} is in peer group {own.group}, not defined")
    times = own.times or group.times or _TIMES
    bfd = bool(own.bfd if own.bfd is not None else group.bfd)
    pace = own.bfd_times or group.bfd_times or _BFD
    most, warns = own.maximum or group.maximum or _MAXIMUM
    one = SessionFacts(
        key=key,
        peer_asn=own.asn if own.asn is not None else group.asn,
        description="",
        policy_in=own.policy_in or group.policy_in,
        policy_out=own.policy_out or group.policy_out,
        keepalive_s=times[0],
        hold_s=times[1],
        connect_s=None,
        bfd=bfd,
        bfd_interval_ms=pace[0] if bfd else None,
        bfd_multiplier=pace[2] if bfd else None,
        maximum_prefix=most or None,
        over_maximum=None if not most else "warn" if warns else "reset",
        vrf=vrf,
        carries_ipv4=_carries_ipv4(own, group, found) or not (own.others or group.others),
    )
    _check(one, own, group, found)
    if bfd and pace[0] != pace[1]:
        found.hazards.append(f"session {key} sends BFD every {pace[0]} ms and hears {pace[1]} ms")
    return one


def _check(one: SessionFacts, own: Neighbour, group: Neighbour, found: EosReading) -> None:
    if not one.carries_ipv4:
        return
    if not _carries_ipv4(own, group, found):
        found.hazards.append(f"session {one.key} carries no IPv4: it is not activated")
    if not (own.communities or group.communities):
        words = f"session {one.key} sends no communities, so no drain is heard"
        found.hazards.append(Hazard(words, "no-communities"))
    ways: tuple[tuple[str, str | None, HazardKind], ...] = (
        ("in", one.policy_in, "no-policy-in"),
        ("out", one.policy_out, "no-policy-out"),
    )
    for way, policy, kind in ways:
        denied = found.missing.get(way) in ("deny", "deny-in-out")
        if policy is None:
            passes = "nothing passes (RFC 8212)" if denied else "everything passes"
            words = f"session {one.key} has no policy {way}: {passes}"
            found.hazards.append(Hazard(words, "other" if denied else kind, one.key))
        elif policy not in found.route_maps:
            words = f"policy {policy} is used and not defined"
            found.hazards.append(Hazard(words, "undefined-policy", policy))
    if own.is_port:
        _check_port(one, own, group, found)


def _carries_ipv4(own: Neighbour, group: Neighbour, found: EosReading) -> bool:
    active = own.active if own.active is not None else group.active
    return found.default_ipv4 if active is None else active


def _check_port(one: SessionFacts, own: Neighbour, group: Neighbour, found: EosReading) -> None:
    """An unnumbered session: IPv6 on the port, and IPv4 by IPv6 next hops (RFC 8950)."""
    port = found.interfaces.get(one.key)
    if port is None or not port.ipv6:
        found.hazards.append(f"session {one.key} has no port with IPv6")
    elif port.vrf != one.vrf:
        found.hazards.append(f"session {one.key} is in table '{one.vrf}', its port is not")
    if not (own.ipv6_next_hop or group.ipv6_next_hop):
        found.hazards.append(f"session {one.key} announces no IPv4 by IPv6 next hops")
    if one.vrf not in found.ipv6_next_hops:
        found.hazards.append(f"table '{one.vrf}' forwards no IPv4 over ports without it")
    if one.vrf not in found.ipv6_routing:
        found.hazards.append(f"table '{one.vrf}' has no IPv6 routing, so ports find no neighbour")


def _check_table(vrf: str, table: Table, found: EosReading) -> None:
    if vrf and vrf not in found.vrfs:
        found.hazards.append(f"routing table {vrf} is used and not defined")
    if vrf not in found.routing:
        found.hazards.append(f"routing table '{vrf}' does not route")
    if table.router_id is None or table.router_id != found.tables[""].router_id:
        found.hazards.append(f"routing table '{vrf}' has no router-id, or not the switch's")
    if table.paths[0] != table.paths[1]:
        found.hazards.append(f"table '{vrf}': {table.paths[0]} paths, {table.paths[1]} by ECMP")
