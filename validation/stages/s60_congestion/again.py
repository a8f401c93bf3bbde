"""Why one sender starves: the incast again with one part changed, and what that leaves. Pure.

Alone each flow has its rate (stage 50), so what starves it is how it is ranked beside others: at
the port to the receiver, on its whole leaf, by the sender itself, or because another takes all.
Three more incasts tell these apart; those that cannot be made on a small fabric leave a set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inventory.plan import Plan, PortRef
from validation.locating.locate import Blame
from validation.pairing.load_result import Measured
from validation.pairing.schedule import Seat

from .incast import Incast, groups
from .phases import Phase, into_one, shares

RECEIVER, SENDER, ELSEWHERE = "other-receiver", "other-sender", "other-leaf"
_SAYS = {
    RECEIVER: "into another NIC of the leaf",
    SENDER: "with another sender of its leaf",
    ELSEWHERE: "into another leaf",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """The incast with one part changed; how `tried` fares beside the others is what it tells."""

    kind: str
    case: Incast
    tried: Seat
    phase: Phase


def starving(plan: Plan, case: Incast, sent: Sequence[Measured]) -> Measured | None:
    """The slowest of the senders that got less than their least part; None: none did."""
    found = starved(plan, case, sent)
    return min(found, key=lambda one: (one.gbps, one.flow.sender), default=None)


def starved(plan: Plan, case: Incast, sent: Sequence[Measured]) -> list[Measured]:
    """All that got less than their least part of the average."""
    least = shares(plan, case.receiver).fair_least
    total = sum(one.gbps for one in sent)
    return [one for one in sent if one.gbps < total / len(sent) * least]


def trials(
    plan: Plan, scope: frozenset[str], phase: Phase, case: Incast, sender: str
) -> tuple[Trial, ...]:
    """What to run once a sender of an incast starved, as far as there are NICs for it."""
    leaves = groups(plan, scope)[case.rail]
    slow = next(seat for seat in case.senders if seat.node == sender)
    found = (
        (RECEIVER, slow, _other_receiver(case, leaves[case.leaf], slow)),
        *_other_sender(case, leaves[slow.leaf], slow),
        (ELSEWHERE, slow, _elsewhere(case, leaves)),
    )
    return tuple(
        Trial(kind, made, tried, _phase(plan, phase, kind, made))
        for kind, tried, made in found
        if made is not None
    )


def _phase(plan: Plan, phase: Phase, kind: str, case: Incast) -> Phase:
    made = into_one(plan, case, kind, phase.round)
    return replace(phase, name=f"{kind}:{case.id}", incasts=(case,), flows=made)


def _other_receiver(case: Incast, mine: Iterable[Seat], slow: Seat) -> Incast | None:
    """Into a neighbour of the receiver: an idle one, else a sender that it then stands in for."""
    free = sorted(
        (seat for seat in mine if seat not in (case.receiver, slow)),
        key=lambda one: (one in case.senders, one),
    )
    if not free:
        return None
    senders = {*case.senders, *([case.receiver] if free[0] in case.senders else [])}
    return replace(case, receiver=free[0], senders=tuple(sorted(senders - {free[0]})))


def _other_sender(
    case: Incast, beside: Iterable[Seat], slow: Seat
) -> Iterator[tuple[str, Seat, Incast]]:
    free = sorted(seat for seat in beside if seat not in (*case.senders, case.receiver))
    for one in free[:1]:
        senders = tuple(sorted({*case.senders, one} - {slow}))
        yield SENDER, one, replace(case, senders=senders)


def _elsewhere(case: Incast, leaves: Mapping[str, Sequence[Seat]]) -> Incast | None:
    """The same senders into a NIC of another leaf that one of them is of."""
    for leaf in sorted({seat.leaf for seat in case.senders} - {case.leaf}):
        for one in leaves[leaf]:
            if one not in case.senders:
                return replace(case, receiver=one)
    return None


def blame(
    plan: Plan, case: Incast, sender: str, told: Mapping[str, tuple[Trial, bool]]
) -> Blame | None:
    """Who remains of all that may starve a sender; `told` is whether it starved in each trial.

    None where no trial was made, or where they contradict every explanation.
    """
    if not told:
        return None
    left = [
        name
        for name, says in _explanations(plan, case, sender, told)
        if all(says[kind] == starves for kind, (_, starves) in told.items())
    ]
    if not left:
        return None
    more = f" or {len(left) - 1} others" if len(left) > 1 else ""
    alike = f"; 1 of {len(left)} alike: {', '.join(left)}" if more else ""
    said = "; ".join(
        f"{_SAYS[kind]} {trial.tried.node} {'starves too' if starves else 'has its part'}"
        for kind, (trial, starves) in told.items()
    )
    return Blame(f"{left[0]}{more}", f"{said}{alike}", _hint(left[0]))


def _explanations(
    plan: Plan, case: Incast, sender: str, told: Mapping[str, tuple[Trial, bool]]
) -> Iterator[tuple[str, dict[str, bool]]]:
    """What each would do to the trials."""

    def does(receiver: bool, other: bool, elsewhere: bool) -> dict[str, bool]:
        return {RECEIVER: receiver, SENDER: other, ELSEWHERE: elsewhere}

    here = PortRef(case.receiver.node, case.receiver.port)
    cable = plan.cable_at[here]
    yield f"port {cable.b if cable.a == here else cable.a}", does(False, True, False)
    yield f"device {case.leaf}", does(True, True, False)
    for one in case.senders:
        name = f"NIC {one.node}:{one.port}"
        if one.node == sender:
            yield name, does(True, False, True)
        else:
            among = RECEIVER in told and one in told[RECEIVER][0].case.senders
            yield name, does(among, True, True)
    slow = next(seat for seat in case.senders if seat.node == sender)
    yield f"path {slow.node} > {case.receiver.node}", does(False, False, False)


def _hint(name: str) -> str:
    kind = name.partition(" ")[0]
    if kind == "NIC":
        return "compare its congestion control, rate limits and class with those of the others"
    if kind == "path":
        return "only these two together: see what ranks or polices single senders on the way"
    return "see its classes, schedulers and shared buffers: it ranks some senders behind others"
