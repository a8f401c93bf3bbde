"""Small fabrics made of facts: whole Clos networks, and random ones with faults."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from switch_configs.readback.facts import (
    LOOPBACK,
    ClassFacts,
    PermitFacts,
    PolicyFacts,
    PortFacts,
    QosFacts,
    SessionFacts,
    SwitchFacts,
)
from validation.audit.box import Box
from validation.audit.network import Network, network

ABOVE, DRAINED = "64512:100", "65535:0"
_CLASS = ClassFacts((26,), 3, strict=False, weight_percent=50, rate_cap_percent=None, ecn=None)
LOSSLESS = QosFacts((_CLASS,), (3,), None, None, None)
EVERYTHING = (PermitFacts("0.0.0.0/0", 0, 32),)
_LEARNS = (PermitFacts("10.16.0.0/16", 24, 24), PermitFacts("10.255.0.0/16", 32, 32))


@dataclass(frozen=True)
class Wire:
    """A cable: (box, port) and (box, port), the lower end first."""

    low: tuple[str, str]
    high: tuple[str, str]


@dataclass
class Made:
    """Boxes by name, and the cables between them, as they were made and not as they are found."""

    facts: dict[str, SwitchFacts] = field(default_factory=dict)
    tier: dict[str, int] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)
    systems: dict[str, str] = field(default_factory=dict)

    def box(self, name: str, tier: int, asn: int, users: Iterable[str] = ()) -> None:
        """A box with a loopback, users' prefixes, and policies of its tier."""
        own = f"10.255.{tier}.{len(self.facts) + 1}"
        said = (f"{own}/32", *users)
        mine = tuple(PermitFacts(one, int(one[-2:]), int(one[-2:])) for one in said)
        marks = (ABOVE,) if tier == 1 else ()
        policies = (
            PolicyFacts("down-in", _LEARNS, drained_last=True),
            PolicyFacts("down-out", _LEARNS),
            PolicyFacts("up-in", _LEARNS, adds=marks, drained_last=True),
            PolicyFacts("up-out", _LEARNS if tier else mine, refuses=marks),
        )
        self.facts[name] = SwitchFacts(
            hostname=name,
            release=None,
            asn=asn,
            router_id=own,
            ports=(PortFacts(LOOPBACK, None, (f"{own}/32",), ""),),
            sessions=(),
            policies=policies,
            originates=said,
            discards=tuple(users),
            ecmp_width=64,
            ebgp_requires_policy=True,
            isolated_ports=(),
            lldp_hold_s=None,
            hazards=(),
            unread=(),
        )
        self.tier[name] = tier

    def wire(self, low: str, high: str) -> None:
        """A cable between two boxes, with a session over it."""
        at = len(self.wires)
        ends = (low, f"swp{at}"), (high, f"swp{at}")
        self.wires.append(Wire(*ends))
        for (name, port), (far, far_port), way in (
            (ends[0], ends[1], "up"),
            (ends[1], ends[0], "down"),
        ):
            one = self.facts[name]
            made = PortFacts(port, 9216, (), f"to {far}:{far_port}", 400, qos=LOSSLESS)
            session = SessionFacts(
                port, self.facts[far].asn, "", f"{way}-in", f"{way}-out",
                3, 9, 1, False, None, None, None, None,
            )  # fmt: skip
            self.facts[name] = replace(
                one, ports=(*one.ports, made), sessions=(*one.sessions, session)
            )

    def change(self, name: str, **changes: object) -> None:
        self.facts[name] = replace(self.facts[name], **changes)  # type: ignore[arg-type]

    def session(self, end: tuple[str, str], **changes: object) -> None:
        """Change the session on a port."""
        name, port = end
        kept = self.facts[name].sessions
        made = (replace(one, **changes) if one.key == port else one for one in kept)  # type: ignore[arg-type]
        self.change(name, sessions=tuple(made))

    def policy(self, name: str, policy: str, **changes: object) -> None:
        kept = self.facts[name].policies
        made = (replace(one, **changes) if one.name == policy else one for one in kept)  # type: ignore[arg-type]
        self.change(name, policies=tuple(made))

    def network(self, without: Iterable[str] = ()) -> Network:
        """As an audit sees it, some boxes left out."""
        left_out = frozenset(without)
        return network(
            Box(name, self.systems.get(name, "cumulus"), facts, {})
            for name, facts in self.facts.items()
            if name not in left_out
        )


def clos(leaves: int = 3, spines: int = 2, parallel: int = 1) -> Made:
    """Two tiers; spines share an AS."""
    made = Made()
    for at in range(leaves):
        made.box(f"leaf{at}", 0, 65100 + at, (f"10.16.{at}.0/24",))
    for at in range(spines):
        made.box(f"spine{at}", 1, 65000)
    for leaf in range(leaves):
        for spine in range(spines):
            for _ in range(parallel):
                made.wire(f"leaf{leaf}", f"spine{spine}")
    return made


def pods(count: int = 2, leaves: int = 2, spines: int = 2, supers: int = 1) -> Made:
    """Three tiers: each number of spine has superspines of its own."""
    made = Made()
    for pod in range(count):
        for at in range(leaves):
            number = pod * leaves + at
            made.box(f"leaf{pod}-{at}", 0, 65100 + number, (f"10.16.{number}.0/24",))
        for at in range(spines):
            made.box(f"spine{pod}-{at}", 1, 65000 + pod)
            for leaf in range(leaves):
                made.wire(f"leaf{pod}-{leaf}", f"spine{pod}-{at}")
    for at in range(spines):
        for number in range(supers):
            made.box(f"super{at}-{number}", 2, 64900)
            for pod in range(count):
                made.wire(f"spine{pod}-{at}", f"super{at}-{number}")
    return made


def drawn(draw: random.Random) -> Made:
    """A random one, with none to three faults."""
    if draw.random() < 0.5:
        made = clos(draw.randint(2, 4), draw.randint(2, 3), draw.choice((1, 1, 2)))
    else:
        made = pods(2, draw.randint(1, 2), draw.randint(1, 2), draw.randint(1, 2))
    for _ in range(draw.choice((0, 1, 2, 3))):
        draw.choice(_FAULTS)(draw, made)
    return made


def _end(draw: random.Random, made: Made) -> tuple[str, str]:
    wire = draw.choice(made.wires)
    return draw.choice((wire.low, wire.high))


def _wrong_asn(draw: random.Random, made: Made) -> None:
    made.session(_end(draw, made), peer_asn=1)


def _no_policy(draw: random.Random, made: Made) -> None:
    made.session(_end(draw, made), **{draw.choice(("policy_in", "policy_out")): None})


def _believes(draw: random.Random, made: Made) -> None:
    name = draw.choice(sorted(made.facts))
    made.change(name, ebgp_requires_policy=False)
    _no_policy(draw, made)


def _leaks(draw: random.Random, made: Made) -> None:
    name = draw.choice(sorted(made.facts))
    made.policy(name, "up-out", permits=EVERYTHING, refuses=())


def _own_asns(_: random.Random, made: Made) -> None:
    for at, name in enumerate(sorted(made.facts)):
        if made.tier[name]:
            _renumber(made, name, 60000 + at)


def _clash(draw: random.Random, made: Made) -> None:
    first, second = draw.sample(sorted(name for name, tier in made.tier.items() if not tier), 2)
    _renumber(made, second, made.facts[first].asn or 0)


def _renumber(made: Made, name: str, asn: int) -> None:
    made.change(name, asn=asn)
    for wire in made.wires:
        for near, far in ((wire.low, wire.high), (wire.high, wire.low)):
            if near[0] == name:
                made.session(far, peer_asn=asn)


def _drained(draw: random.Random, made: Made) -> None:
    name = draw.choice(sorted(made.facts))
    for policy in ("up-out", "down-out"):
        made.policy(name, policy, adds=(DRAINED,))


def _unplugged(draw: random.Random, made: Made) -> None:
    name, port = _end(draw, made)
    kept = (one for one in made.facts[name].sessions if one.key != port)
    made.change(name, sessions=tuple(kept))


def _forgets(draw: random.Random, made: Made) -> None:
    """A policy without the users' prefixes."""
    name = draw.choice(sorted(made.facts))
    policy = draw.choice(("down-in", "down-out", "up-in", "up-out"))
    made.policy(name, policy, permits=_LEARNS[1:])


def _no_ipv4(draw: random.Random, made: Made) -> None:
    made.session(_end(draw, made), carries_ipv4=False)


def _anycast(draw: random.Random, made: Made) -> None:
    """Two leaves announce one prefix."""
    first, second = draw.sample(sorted(name for name, tier in made.tier.items() if not tier), 2)
    users = made.facts[first].originates[1]
    one = made.facts[second]
    made.change(second, originates=(*one.originates, users), discards=(*one.discards, users))
    own = next(policy for policy in one.policies if policy.name == "up-out")
    made.policy(second, "up-out", permits=(*own.permits, PermitFacts(users, 24, 24)))


_FAULTS = (
    _wrong_asn, _no_policy, _believes, _leaks, _own_asns, _clash, _drained, _unplugged, _forgets,
    _anycast, _no_ipv4,
)  # fmt: skip


def parts(made: Made) -> Mapping[str, tuple[str, ...]]:
    """Everything that can fail alone: boxes and cables."""
    cables = {":".join(wire.low): (":".join(wire.low),) for wire in made.wires}
    return {**{name: (name,) for name in made.facts}, **cables}
