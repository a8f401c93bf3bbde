"""Who learns what: BGP between a plan's switches, played by hand from its sessions alone.

Plain eBGP (RFC 4271, 9.1.2): a route with one's own number in its path is dropped, the shortest
path wins, and equal ones share (RFC 7938, 4.3). Nobody has a policy, so what must not be learnt
has to be stopped by the numbers themselves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from ipaddress import IPv4Network

from inventory.plan import BgpSession, Plan, Switch


@dataclass(frozen=True)
class Learnt:
    """What one switch knows in one table: how far each prefix is, and over how many links."""

    far: dict[IPv4Network, int]
    wide: dict[IPv4Network, int]
    heard: dict[str, int]


def tables(plan: Plan) -> dict[tuple[str, str], Learnt]:
    """Every switch and table, after everybody has told everybody."""
    names = {one.vrf for switch in plan.switches for one in switch.sessions}
    return {key: one for vrf in sorted(names) for key, one in _table(plan, vrf).items()}


def own(switch: Switch, vrf: str) -> set[IPv4Network]:
    """What a switch announces of itself in a table."""
    return {p for one in switch.tables if one.vrf == vrf for p in one.originates}


def _table(plan: Plan, vrf: str) -> dict[tuple[str, str], Learnt]:
    sessions = {
        one.name: [each for each in one.sessions if each.vrf == vrf] for one in plan.switches
    }
    best: dict[str, dict[IPv4Network, tuple[int, ...]]] = {
        one.name: dict.fromkeys(own(one, vrf), ()) for one in plan.switches if sessions[one.name]
    }
    while True:
        after = {name: _round(plan, sessions[name], best, vrf, name) for name in best}
        if after == best:
            break
        best = after
    return {(name, vrf): _learnt(plan, sessions[name], best, name) for name in best}


def _offers(
    plan: Plan, session: BgpSession, best: dict[str, dict[IPv4Network, tuple[int, ...]]], asn: int
) -> dict[IPv4Network, tuple[int, ...]]:
    peer = plan.switch[session.peer.device]
    return {
        prefix: (peer.asn, *path)
        for prefix, path in best[peer.name].items()
        if asn not in path and asn != peer.asn
    }


def _round(
    plan: Plan,
    sessions: list[BgpSession],
    best: dict[str, dict[IPv4Network, tuple[int, ...]]],
    vrf: str,
    name: str,
) -> dict[IPv4Network, tuple[int, ...]]:
    switch = plan.switch[name]
    out: dict[IPv4Network, tuple[int, ...]] = {}
    for peer in {one.peer.device: one for one in sessions}.values():
        for prefix, path in _offers(plan, peer, best, switch.asn).items():
            if prefix not in out or (len(path), path) < (len(out[prefix]), out[prefix]):
                out[prefix] = path
    return out | dict.fromkeys(own(switch, vrf), ())


def _learnt(
    plan: Plan,
    sessions: list[BgpSession],
    best: dict[str, dict[IPv4Network, tuple[int, ...]]],
    name: str,
) -> Learnt:
    far = {prefix: len(path) for prefix, path in best[name].items()}
    wide: Counter[IPv4Network] = Counter()
    heard: dict[str, int] = defaultdict(int)
    for session in sessions:
        offers = _offers(plan, session, best, plan.switch[name].asn)
        heard[session.key] = len(offers)
        wide.update(one for one, path in offers.items() if far[one] == len(path) > 0)
    return Learnt(far, dict(wide), heard)
