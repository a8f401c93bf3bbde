"""What each rule is for: a healthy site with one thing of it spoilt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from inventory import open_site
from switch_configs import render
from switch_configs.readback.facts import (
    BondFacts,
    EcnFacts,
    Hazard,
    HeadroomFacts,
    PairFacts,
    PermitFacts,
    PolicyFacts,
    PoolFacts,
    PortFacts,
    ReservedFacts,
    ServiceFacts,
    ShareFacts,
    SwitchFacts,
    UserFacts,
    VlanFacts,
)
from validation.audit.box import Box, NotRead, box

SPINE, LEAF = "spine2", "leaf-p1-r0"
STORAGE, BUSINESS = "storage-leaf-b1-1", "business-leaf-b1-1"


@cache
def texts(site: str) -> Mapping[str, Mapping[str, str]]:
    """What `render` writes, by switch and path."""
    plan = open_site(site)
    return {
        name: {file.path: file.text for file in render(plan, name).files} for name in plan.switch
    }


# Of each plane enough to have neighbours, and of one tier enough to be odd among.
_FEW = ("spine", "leaf-p1-r0", "leaf-p1-r1", "storage-leaf-b1-1", "storage-spine1", "business")


@cache
def boxes() -> Mapping[str, Box]:
    """Some switches of a site as they are read back."""
    few = {name: files for name, files in texts("pod-256").items() if name.startswith(_FEW)}
    found = {name: box(name, files) for name, files in few.items()}
    assert not [one for one in found.values() if isinstance(one, NotRead)]
    return {name: one for name, one in found.items() if isinstance(one, Box)}


def qos(port: PortFacts, **changes: object) -> PortFacts:
    assert port.qos is not None
    return replace(port, qos=replace(port.qos, **changes))  # type: ignore[arg-type]


def classes(port: PortFacts, change: Callable[..., object]) -> PortFacts:
    assert port.qos is not None
    made = tuple(change(one) if one.pfc_priority is not None else one for one in port.qos.classes)
    return qos(port, classes=made)


def first_port(facts: SwitchFacts, change: Callable[[PortFacts], PortFacts]) -> SwitchFacts:
    """The facts with the first port that pauses changed."""
    at = next(n for n, port in enumerate(facts.ports) if port.qos and port.qos.pfc_priorities)
    ports = [*facts.ports]
    ports[at] = change(ports[at])
    return replace(facts, ports=tuple(ports))


def sessions(facts: SwitchFacts, **changes: object) -> SwitchFacts:
    made = tuple(replace(one, **changes) for one in facts.sessions)  # type: ignore[arg-type]
    return replace(facts, sessions=made)


def sessions_with(**changes: object) -> Callable[[SwitchFacts], SwitchFacts]:
    return lambda f: sessions(f, **changes)


def marked_elsewhere(port: PortFacts) -> PortFacts:
    assert port.qos is not None
    made = [
        replace(one, ecn=None if one.pfc_priority is not None else EcnFacts(1, 2, 5))
        for one in port.qos.classes
    ]
    return qos(port, classes=tuple(made))


def heavy(port: PortFacts) -> PortFacts:
    assert port.qos is not None
    made = [replace(one, weight_percent=90) for one in port.qos.classes if not one.strict]
    return qos(port, classes=tuple(made))


def impatient(port: PortFacts) -> PortFacts:
    dog = port.qos.watchdog if port.qos else None
    assert dog is not None
    return qos(port, watchdog=replace(dog, restore_ms=10, poll_ms=100))


Change = Callable[[SwitchFacts], SwitchFacts]
Spoil = Callable[[], dict[str, Box]]


def each_class(port: PortFacts, change: Callable[..., object]) -> PortFacts:
    assert port.qos is not None
    return qos(port, classes=tuple(map(change, port.qos.classes)))


def lossless(**changes: object) -> Change:
    """The lossless class of the first port that pauses, changed."""
    return lambda f: first_port(f, lambda p: classes(p, lambda c: replace(c, **changes)))


def ecn(**changes: object) -> Change:
    """The thresholds of the first port's lossless class, changed."""
    return lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, ecn=replace(c.ecn, **changes)))
    )


def watchdog(**changes: object) -> Change:
    """The watchdog of the first port that pauses, changed."""

    def change(port: PortFacts) -> PortFacts:
        dog = port.qos.watchdog if port.qos else None
        assert dog is not None
        return qos(port, watchdog=replace(dog, **changes))  # type: ignore[arg-type]

    return lambda f: first_port(f, change)


def strict(**changes: object) -> Change:
    """The strict class of the first port that pauses, changed."""
    return lambda f: first_port(
        f, lambda p: each_class(p, lambda c: replace(c, **changes) if c.strict else c)
    )


def best_effort(**changes: object) -> Change:
    """The class of DSCP 0 of the first port that pauses, changed."""
    return lambda f: first_port(
        f, lambda p: each_class(p, lambda c: replace(c, **changes) if 0 in c.dscps else c)
    )


def port_of(name: str, **changes: object) -> Change:
    """A port, changed."""
    return lambda f: replace(
        f,
        ports=tuple(replace(p, **changes) if p.name == name else p for p in f.ports),  # type: ignore[arg-type]
    )


def first(**changes: object) -> Change:
    """The first port that pauses, changed."""
    return lambda f: first_port(f, lambda p: replace(p, **changes))  # type: ignore[arg-type]


def one_session(**changes: object) -> Change:
    """The first session, changed."""
    return lambda f: replace(
        f,
        sessions=(replace(f.sessions[0], **changes), *f.sessions[1:]),  # type: ignore[arg-type]
    )


def paired(f: SwitchFacts) -> SwitchFacts:
    """A pair whose link between the leaves pauses nothing."""
    bare = port_of("Ethernet0", qos=None)(f)
    bond, pair = BondFacts(1, ("Ethernet8",), True), PairFacts(1, ("Ethernet0",), None)
    return replace(bare, bonds=(bond,), pair=pair)


def idle(port: PortFacts) -> PortFacts:
    return qos(port, pfc_priorities=())


def permits(*some: PermitFacts) -> Change:
    """All policies let these pass."""
    return lambda f: replace(f, policies=tuple(replace(p, permits=some) for p in f.policies))


def of(name: str, *changes: Change) -> Spoil:
    """A switch with its facts changed."""

    def spoil() -> dict[str, Box]:
        facts = boxes()[name].facts
        for change in changes:
            facts = change(facts)
        return {name: replace(boxes()[name], facts=facts)}

    return spoil


def both(a: Spoil, b: Spoil) -> Spoil:
    return lambda: {**a(), **b()}


def room(xoff: int, pool: int | None = None) -> Spoil:
    """The spine with this room after XOFF for its first port, and a pool of so much."""
    share = ShareFacts("p", headroom=HeadroomFacts(0, xoff, xoff))
    pools = () if pool is None else (PoolFacts("p", "ingress", "dynamic", 1 << 26, pool),)
    said = ReservedFacts(pools, (UserFacts("Ethernet0", "ingress", "lossless", share),))
    return lambda: {SPINE: replace(boxes()[SPINE], reserved=said)}


def typed(name: str, old: str, new: str) -> Spoil:
    """A switch with a word of its text changed."""

    def spoil() -> dict[str, Box]:
        made = box(
            name, {path: text.replace(old, new, 1) for path, text in texts("pod-256")[name].items()}
        )
        assert isinstance(made, Box)
        return {name: made}

    return spoil


def main_ports(f: SwitchFacts) -> tuple[PortFacts, ...]:
    return tuple(port for port in f.ports if "." not in port.name)


def deaf(f: SwitchFacts) -> tuple[PolicyFacts, ...]:
    return tuple(replace(one, drained_last=False) for one in f.policies)


def elsewhere(vlan: VlanFacts) -> VlanFacts:
    return replace(vlan, gateway="192.0.2.1")


def seed_of(name: str) -> int | None:
    return boxes()[name].facts.hash_seed


WIDE = PermitFacts("0.0.0.0/0", 0, 32)
FAR = PermitFacts("203.0.113.0/24", 24, 24)
# Leaf's port to the spine, and the spine's to the leaf.
UP, DOWN = "swp19", "Ethernet0"

# What each rule is for, on one switch or two.
SPOILT_SWITCHES: dict[str, Spoil] = {
    "lossless-starved": of(SPINE, lossless(weight_percent=1)),
    "strict-uncapped": of(SPINE, strict(rate_cap_percent=None)),
    "many-strict": of(SPINE, best_effort(strict=True, weight_percent=None)),
    "cnp-lossless": of(SPINE, strict(dscps=(49,)), lossless(dscps=(26, 48))),
    "cnp-behind": of(SPINE, best_effort(dscps=(0, 48))),
    "cnp-marked": of(SPINE, strict(ecn=EcnFacts(1 << 20, 1 << 21, 5))),
    "wide-lossless": of(SPINE, lossless(dscps=tuple(range(20, 40)))),
    "ecn-probability": of(SPINE, ecn(probability_percent=0)),
    "ecn-few-packets": of(SPINE, ecn(kmin_bytes=4096)),
    "ecn-above-pause": of(SPINE, ecn(kmin_bytes=50_000_000)),
    "cable-length": of(SPINE, lambda f: first_port(f, lambda p: qos(p, cable_m=None))),
    "headroom-floor": room(20_000),
    "headroom-short": room(200_000),
    "headroom-pool": room(400_000, pool=100_000),
    "watchdog-detects": of(SPINE, watchdog(detect_ms=20)),
    "watchdog-action": of(SPINE, watchdog(action="alert")),
    "watchdog-idle": of(SPINE, lambda f: first_port(f, idle)),
    "global-pause": typed(
        STORAGE, "interface Ethernet1/1\n", "interface Ethernet1/1\n   flowcontrol receive on\n"
    ),
    "lossless-switched": of(SPINE, first(vlans=(5,), addresses=())),
    "pair-lossy": of(SPINE, paired),
    "bgp-timers": of(SPINE, sessions_with(hold_s=5)),
    "bfd-times": of(SPINE, sessions_with(bfd_interval_ms=10)),
    "session-without-port": of(SPINE, one_session(key="Ethernet999")),
    "policy-undefined": of(SPINE, one_session(policy_in="nothing")),
    "policy-permits-all": of(SPINE, permits(WIDE)),
    "default-originated": of(SPINE, lambda f: replace(f, originates=("0.0.0.0/0",))),
    "own-as-allowed": typed(
        SPINE, "  maximum-paths", "  neighbor Ethernet0 allowas-in 1\n  maximum-paths"
    ),
    "drained": of(SPINE, lambda f: replace(f, drained=True)),
    "not-announced": of(LEAF, permits(FAR)),
    "hosts-unannounced": of(LEAF, port_of("swp1s0", addresses=("203.0.113.0/31",))),
    "autoneg-ends": both(
        of(SPINE, port_of(DOWN, autoneg=True)), of(LEAF, port_of(UP, autoneg=False))
    ),
    "cable-ends": of(SPINE, lambda f: first_port(f, lambda p: qos(p, cable_m=2.0))),
    "vrf-ends": of(SPINE, port_of(DOWN, vrf="red")),
    "vlan-ends": both(of(SPINE, port_of(DOWN, vlans=(5,))), of(LEAF, port_of(UP, vlans=(6,)))),
    "bond-ends": of(SPINE, port_of(DOWN, bond=4)),
    "timer-ends": of(SPINE, sessions_with(keepalive_s=2, hold_s=8)),
    "bfd-timer-ends": of(SPINE, sessions_with(bfd_interval_ms=500)),
    "asn-same": both(
        of(SPINE, lambda f: replace(f, asn=65001), sessions_with(peer_asn="external")),
        of(LEAF, lambda f: replace(f, asn=65001)),
    ),
    "pair-domain": of(
        "business-leaf-b1-2",
        lambda f: replace(f, pair=PairFacts(9, f.pair.ports if f.pair else (), None)),
    ),
    "pair-bonds": of("business-leaf-b1-2", lambda f: replace(f, bonds=())),
    "description": of("storage-spine1", port_of("Ethernet1/1", description="to spine1:Ethernet0")),
    "odd-port": of(SPINE, ecn(kmax_bytes=2_000_000)),
    "odd-session": of(SPINE, one_session(hold_s=30)),
    "odd-switch": of(SPINE, lambda f: replace(f, ecmp_width=1)),
    "releases": of(SPINE, lambda f: replace(f, release="202411")),
    "address-clash": of(SPINE, port_of("lo", addresses=("10.255.4.1/32",))),
    "vlan-undefined": of(
        SPINE, first(vlans=(5,)), lambda f: replace(f, vlans=(VlanFacts(7, "x"),))
    ),
    "management-table": of(SPINE, lambda f: replace(f, services=ServiceFacts("192.0.2.1/24"))),
    "bond-split": of(
        SPINE, lambda f: replace(f, bonds=(BondFacts(1, ("Ethernet0", "Ethernet16"), False),))
    ),
    "mtu-small": of(SPINE, first(ip_mtu_bytes=1500)),
    "mtu-routed": of(LEAF, port_of(UP, ip_mtu_bytes=9000)),
    "fec-off": of(SPINE, first(fec="none")),
    "hash-seed": of("business-spine1", lambda f: replace(f, hash_seed=seed_of(BUSINESS))),
    "session-without-as": of(SPINE, one_session(peer_asn=None)),
    "table-without-port": of(SPINE, one_session(vrf="nowhere")),
    "family-ends": of(SPINE, one_session(carries_ipv4=False)),
    "session-ends": of(SPINE, lambda f: replace(f, sessions=f.sessions[1:])),
    "tag-ends": of("business-spine1", lambda f: replace(f, ports=main_ports(f))),
    "strict-ends": of(SPINE, strict(dscps=(49,))),
    "pfc-missing": of(SPINE, lossless(pfc_priority=None)),
    "policy-drops-all": of(SPINE, permits()),
    "not-originated": of(LEAF, lambda f: replace(f, originates=f.originates[1:])),
    "refused": of(SPINE, permits(FAR)),
    "drain-ends": of(SPINE, lambda f: replace(f, policies=deaf(f))),
    "foreign-address": of(SPINE, port_of("lo", addresses=("10.255.4.99/32",))),
    "aggregate-loops": of(LEAF, lambda f: replace(f, discards=())),
    "gateway-outside": of(BUSINESS, lambda f: replace(f, vlans=(elsewhere(f.vlans[0]),))),
    "servers": of(SPINE, lambda f: replace(f, services=replace(f.services, ntp=()))),
}
# The same on the facts of the spine.
SPOILT: dict[str, Change] = {
    "pfc-without-class": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, dscps=()))
    ),
    "best-effort-lossless": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, dscps=(0, *c.dscps)))
    ),
    "many-lossless": lambda f: first_port(f, lambda p: qos(p, pfc_priorities=(3, 4, 5))),
    "lossless-strict": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, strict=True, weight_percent=None))
    ),
    "weights": lambda f: first_port(f, heavy),
    "ports-differ": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, dscps=(24,)))
    ),
    "lossless-without-ecn": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, ecn=None))
    ),
    "ecn-order": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, ecn=EcnFacts(9, 9, 5)))
    ),
    "ecn-beside": lambda f: first_port(f, marked_elsewhere),
    "no-watchdog": lambda f: first_port(f, lambda p: qos(p, watchdog=None)),
    "watchdog-times": lambda f: first_port(f, impatient),
    "broken-chain": lambda f: replace(f, hazards=(Hazard("port x: no map of DSCPs", "lossless"),)),
    "hazard": lambda f: replace(
        f, hazards=(Hazard("policy X is used and not defined", "undefined-policy", "X"),)
    ),
    "bgp-without-policy": lambda f: replace(
        sessions(f, policy_in=None), ebgp_requires_policy=False
    ),
    "no-maximum-prefix": lambda f: sessions(f, maximum_prefix=None),
    "slow-failure": lambda f: sessions(f, bfd=False, hold_s=180),
    "narrow-ecmp": lambda f: replace(sessions(f, peer_asn=65001), ecmp_width=1),
    "mtu-ends": lambda f: first_port(f, lambda p: replace(p, ip_mtu_bytes=1500)),
    "rate-ends": lambda f: first_port(f, lambda p: replace(p, rate_gbps=100)),
    "fec-ends": lambda f: first_port(f, lambda p: replace(p, fec="none")),
    "pfc-ends": lambda f: first_port(f, lambda p: qos(p, pfc_priorities=())),
    "dscp-ends": lambda f: first_port(f, lambda p: classes(p, lambda c: replace(c, dscps=(24,)))),
    "asn-ends": lambda f: sessions(f, peer_asn=1),
    "bfd-ends": lambda f: sessions(f, bfd=False),
}
