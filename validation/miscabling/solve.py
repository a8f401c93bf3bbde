"""From what the fabric shows to what people should do about its cables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inventory.exports.cables import label
from inventory.exports.view import cages, media, upward
from inventory.plan import Plan, PortRef
from inventory.topology.media import PLUGGED

from .alike import difference
from .moves import Act, acts, groups
from .seen import Seen, wanted_of

# Far apart, and behind a plug that carries other links too.
_OTHER_DEVICE, _SHARED = 1, 10
SHARED = "the plug in {} carries other links too: all of them move with it"
LOOK = "see first that it is empty"
ACCEPT = (
    "no address, ASN or role changes: write the cables as built into the site's own cables.csv"
    " (`railbed import csv FILE` then shows them as what differs) and exchange the labels."
    " fabric.yml plugs by position and has no row for one cable, so stage 20 names these ports"
    " until the plugs are exchanged"
)


@dataclass(frozen=True, slots=True)
class Link:
    """Two ports that a cable joins, and the label planned for it; empty where there is none."""

    a: PortRef
    b: PortRef
    label: str

    def __str__(self) -> str:
        return f"{self.a} -- {self.b}" + (f" [{self.label}]" if self.label else "")


@dataclass(frozen=True, slots=True)
class Step:
    """One act, the links it makes, and what to see to before."""

    act: Act
    links: tuple[Link, ...]
    note: str = ""

    def __str__(self) -> str:
        one, other = self.act.plugs
        what = (
            "move the plug at {} into {}" if self.act.is_move else "exchange the plugs at {} and {}"
        )
        note = f" ({self.note})" if self.note else ""
        return f"{what.format(one, other)}{note}; makes {', and '.join(map(str, self.links))}"


@dataclass(frozen=True, slots=True)
class Alike:
    """Links as built that are as good as the planned ones, why, and what would accept them.

    `steps` would make them as planned all the same.
    """

    links: tuple[Link, ...]
    planned: tuple[Link, ...]
    steps: tuple[Step, ...]
    why: str
    accept: str = ACCEPT


@dataclass(frozen=True, slots=True)
class Unknown:
    """Planned cables of which too little is known to say anything, with the reasons by port."""

    cables: tuple[Link, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cabling:
    """What to do about the cables of a site. Steps stand in an order in which they can be done.

    `beside` are cables and neighbours outside the plan, which no planned cable waits for.
    """

    cables: int
    steps: tuple[Step, ...]
    alike: tuple[Alike, ...]
    unknown: tuple[Unknown, ...]
    beside: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """0 as planned, 1 something is to be done, 3 nothing that is known, and not all is.

        Cables that are as good as planned are something: stage 20 fails them until somebody
        exchanges their plugs.
        """
        return 1 if self.steps or self.alike else 3 if self.unknown or not self.cables else 0


class _Site:
    """The plan as the solver asks it."""

    def __init__(self, plan: Plan) -> None:
        self.wanted = wanted_of(plan)
        self.labels = {
            frozenset((low, high)): label(low, high)
            for cable, low, high in upward(plan, None)
            if cable.plane != "oob"
        }
        kind, cage = media(plan), cages(plan)
        # Fibres are plugged one by one also into a split cage; other splitters share their plug.
        self.shared = {
            end: f"{cage(end)[1]} of {end.device}"
            for cable in plan.cables
            for end in (cable.a, cable.b)
            if cage(end)[2] > 1 and kind(cable) not in PLUGGED
        }

    def link(self, a: PortRef, b: PortRef) -> Link:
        return Link(a, b, self.labels.get(frozenset((a, b)), ""))

    def planned(self, group: tuple[PortRef, ...]) -> tuple[Link, ...]:
        return _once(self, group, self.wanted)

    def cost(self, one: PortRef, other: PortRef) -> int:
        shared = sum(_SHARED for port in (one, other) if port in self.shared)
        return shared + (_OTHER_DEVICE if one.device != other.device else 0)


def solve(plan: Plan, seen: Seen) -> Cabling:
    """The fewest acts that make the cables as planned, where that is known; never a guess."""
    site = _Site(plan)
    steps, alike, unknown = list[Step](), list[Alike](), list[Unknown]()
    beside = [f"{port} {said}" for port, said in seen.strangers.items()]
    for group in groups(site.wanted, seen.now, seen.doubts):
        if reasons := _reasons(group, site, seen):
            unknown.append(Unknown(site.planned(group), reasons))
            continue
        todo = acts(group, site.wanted, seen.now, site.cost)
        done = tuple(_step(act, site, seen) for act in todo)
        if not difference(plan, group, seen.now):
            links = _once(site, group, seen.now)
            alike.append(Alike(links, site.planned(group), done, _why(links)))
        else:
            steps += done
            beside += _left_over(group, site)
    cables = len(site.wanted) // 2
    return Cabling(cables, tuple(steps), tuple(alike), tuple(unknown), tuple(sorted(beside)))


def _once(
    site: _Site, group: tuple[PortRef, ...], ends: Mapping[PortRef, PortRef]
) -> tuple[Link, ...]:
    return tuple(site.link(end, ends[end]) for end in group if end in ends and end < ends[end])


def _reasons(group: tuple[PortRef, ...], site: _Site, seen: Seen) -> tuple[str, ...]:
    """Why nothing can be said of a group; empty where its cables can be told."""
    if doubts := [f"{port} {seen.doubts[port]}" for port in group if port in seen.doubts]:
        return tuple(doubts)
    empty = [port for port in group if port in seen.empty]
    if not empty[1:]:
        return ()
    found = (f"; {link} joins two ports of others" for link in _once(site, group, seen.now))
    said = f"{empty[0]} and {empty[1]} have no signal: a cable is missing, broken or elsewhere"
    return (said + "".join(found),)


def _step(act: Act, site: _Site, seen: Seen) -> Step:
    notes = [LOOK] if act.is_move and act.plugs[1] in seen.empty else []
    found = sorted({site.shared[port] for port in act.plugs if port in site.shared})
    notes += [SHARED.format(one) for one in found]
    links = tuple(site.link(*sorted(pair)) for pair in act.joins)
    return Step(act, links, "; ".join(notes))


def _left_over(group: tuple[PortRef, ...], site: _Site) -> list[str]:
    """The link that stays between two spare ports, where a group has a cable too many."""
    spare = [port for port in group if port not in site.wanted]
    pairs = zip(spare[::2], spare[1::2], strict=False)
    return [f"{site.link(*pair)} is left over, and not in the plan" for pair in pairs]


def _why(links: tuple[Link, ...]) -> str:
    a, b = links[0].a.device, links[0].b.device
    return (
        f"all of them join {a} and {b}: every port meets the same switch as planned, on a port"
        " without an address, with the same ASN, role, rate and settings"
    )
