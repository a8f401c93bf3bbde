"""What one round asks: the victim alone, then with the incast, and counters around both. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from inventory.plan import Plan, PortRef
from validation.pairing.loads import LoadProbe, kind_of
from validation.pairing.schedule import FIRST_PORT, MOST_RAILS, Pair, Seat, flows
from validation.routing.paths import ports_towards

from .incast import Incast
from .terms import Shares, rotation, shares_of

BEFORE, AFTER = "before", "after"
ALONE, INCAST, INTO_GPU = "alone", "incast", "incast-gpu"
_PORT_BLOCKS = 700  # so that all ports lie below 32768, where Linux's ephemeral ones begin


@dataclass(frozen=True, slots=True)
class Phase:
    """All flows of a round that run at the same time.

    `moment` names its two snapshots, the same on every device.
    """

    name: str
    round: int
    turn: int
    incasts: tuple[Incast, ...]
    flows: tuple[LoadProbe, ...]

    def moment(self, when: str) -> str:
        """The command of the counters' frame; `when` is BEFORE or AFTER."""
        return f"probe counters {when} {self.name} round={self.round} turn={self.turn}"


def turn_command(rail: int, leaf: str) -> str:
    """The frame in which the first node of a leaf keeps the turn that its incasts ran in."""
    return f"probe incast turn rail{rail}:{leaf}"


def shares(plan: Plan, seat: Seat) -> Shares:
    """The limits for a NIC, by its kind."""
    nic = next(one for one in plan.node[seat.node].rails if one.index == seat.rail)
    return shares_of(kind_of(plan, seat.node, nic))


def phases(plan: Plan, number: int, row: tuple[Incast, ...]) -> Iterator[Phase]:
    """The phases of round `number`, in order."""
    turn = row[0].turn
    names = [ALONE, INCAST]
    names += [INTO_GPU] if rotation().gpu_memory and _has_gpus(plan, row) else []
    for place, name in enumerate(names):
        made = tuple(probe for case in row for probe in flows_of(plan, case, name, number, place))
        yield Phase(name, number, turn, row, made)


def _has_gpus(plan: Plan, row: tuple[Incast, ...]) -> bool:
    seats = {seat for incast in row for seat in incast.nics}
    return all(gpu_of(plan, seat.node, seat.rail) is not None for seat in seats)


def gpu_of(plan: Plan, node: str, rail: int) -> int | None:
    """The GPU beside a NIC with RDMA; None where the plan does not say."""
    nic = next(one for one in plan.node[node].rails if one.index == rail)
    return nic.gpu if nic.rdma_device else None


def flows_of(plan: Plan, case: Incast, name: str, number: int, place: int) -> tuple[LoadProbe, ...]:
    """The flows of one incast in a phase, the victim's last."""
    ways = [(sender, case.receiver, "") for sender in case.senders if name != ALONE]
    ways += [(*case.victim, "victim:")]
    block = (number * 3 + place) * (rotation().senders + 1)
    made = (
        _flow(plan, case, a, b, f"{name}:{kind}", (block + at) % _PORT_BLOCKS)
        for at, (a, b, kind) in enumerate(ways)
    )
    return tuple(into_gpus(plan, probe) if name == INTO_GPU else probe for probe in made)


def into_one(plan: Plan, case: Incast, name: str, number: int) -> tuple[LoadProbe, ...]:
    """The flows of an incast's senders in a phase of another name, without a victim."""
    block = number * 3 * (rotation().senders + 1)
    return tuple(
        _flow(plan, case, one, case.receiver, f"{name}:", (block + at) % _PORT_BLOCKS)
        for at, one in enumerate(case.senders)
    )


def _flow(plan: Plan, case: Incast, a: Seat, b: Seat, kind: str, block: int) -> LoadProbe:
    flow = flows(plan, Pair(a, b), 0)[0]
    return replace(
        flow,
        id=f"{kind}{case.id}:{a.node}>{b.node}",
        port=FIRST_PORT + block * MOST_RAILS + case.rail,
        terms=shares(plan, a).loading,
        gpus=(),
    )


def into_gpus(plan: Plan, flow: LoadProbe) -> LoadProbe:
    """The same flow between the GPUs beside its NICs; ValueError where the plan names none."""
    here, there = (gpu_of(plan, node, flow.rail) for node in (flow.sender, flow.receiver))
    if here is None or there is None:
        raise ValueError(f"{flow.id}: no GPU beside a NIC")
    return replace(flow, gpus=(here, there))


def of(flow: LoadProbe, case: Incast) -> bool:
    """Whether a flow belongs to an incast."""
    return f":{case.id}:" in flow.id


def is_victims(flow: LoadProbe) -> bool:
    """Whether a flow is the victim's."""
    return ":victim:" in flow.id


def fair_gbps(plan: Plan, case: Incast) -> float:
    """What the victim keeps where it shares one uplink, or its cable, with all it may meet."""
    source, target = case.victim
    alone = flows(plan, Pair(source, target), 0)[0].rate_gbps
    if source in case.senders:
        return alone / 2
    if source.leaf == target.leaf:
        return alone
    crossing = sum(seat.leaf == source.leaf and seat.leaf != case.leaf for seat in case.senders)
    ups = [port.rate_gbps for port in plan.switch[source.leaf].ports if port.direction == "up"]
    return min(alone, min(ups) / (1 + crossing))


Hops = tuple[tuple[PortRef, PortRef], ...]


def levels(plan: Plan, flow: LoadProbe) -> tuple[Hops, ...]:
    """Every link on every planned path of a flow, as (port it leaves by, port it enters).

    Links of one level carry parts of the flow side by side; levels follow one another.
    """

    def end(here: PortRef) -> PortRef:
        cable = plan.cable_at[here]
        return cable.b if cable.a == here else cable.a

    first = PortRef(flow.sender, flow.sender_port)
    last = PortRef(flow.receiver, flow.receiver_port)
    found: list[Hops] = [((first, end(first)),)]
    devices = [flow.leaves[0]]
    towards = ports_towards(plan, flow.leaves[1], frozenset(plan.switch))
    while devices and devices != [flow.leaves[1]]:
        outs = [PortRef(name, port) for name in devices for port in towards.get(name, ())]
        found.append(tuple((out, end(out)) for out in outs))
        devices = sorted({end(out).device for out in outs})
    return (*found, ((end(last), last),))


def links(plan: Plan, flow: LoadProbe) -> Hops:
    """The links of all levels."""
    return tuple(link for level in levels(plan, flow) for link in level)


def places(plan: Plan, flows_: Iterable[LoadProbe]) -> tuple[PortRef, ...]:
    """Every NIC and switch port that some of the flows may pass, sorted."""
    return tuple(sorted({end for flow in flows_ for link in links(plan, flow) for end in link}))
