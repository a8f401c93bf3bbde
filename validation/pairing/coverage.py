"""Coverage: which uplinks the rounds really loaded, by the counters of the switches' ports.

Paths under ECMP cannot be chosen, so that a round was planned says nothing of the cables that it
took. Counters are read before and after each round that crosses leaves, at the lower end of each
uplink, both ways. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.carried import Carried

from ..counters.read import is_read
from ..expectation import Expectation
from .loads import LoadProbe, Terms
from .reach import Reach

Rounds = Sequence[tuple[LoadProbe, ...]]
Way = Literal["up", "down"]
Lane = tuple[PortRef, Way]  # an uplink by its lower end, and one direction of it
LATE_S = 180.0  # a reading that comes later may have counted another round
_BYTES_PER_GBIT = 1e9 / 8


@dataclass(frozen=True, slots=True, order=True)
class Uplink:
    """A switch's port towards the next tier, and its planned rate."""

    port: str
    rate_gbps: float


@dataclass(frozen=True, slots=True)
class CoverageExpected(Expectation):
    """Each uplink of a switch that rail traffic may take was loaded in some round, each way.

    `rounds` name the planned and the asked rounds whose counters are read; `top_ups` those that may
    follow.
    """

    stage: ClassVar[int] = 50
    check: ClassVar[str] = "coverage"
    uplinks: tuple[Uplink, ...]
    rounds: tuple[str, ...]
    top_ups: tuple[str, ...]
    terms: Terms


def coverages(
    plan: Plan, configured: frozenset[str], rounds: Rounds, more: Iterable[str] = ()
) -> Iterator[CoverageExpected]:
    """One for each switch with uplinks between leaves that the rounds load.

    `more` names rounds that were asked beyond the planned ones, and must be counted like them.
    """
    crossing = [flow for row in rounds for flow in row if flow.leaves[0] != flow.leaves[1]]
    if not crossing:
        return
    terms = crossing[0].terms
    used = Reach(plan, configured).climbed({flow.leaves for flow in crossing})
    planned = (str(number) for number, row in enumerate(rounds, 1) if crosses(row))
    names = (*planned, *more)
    extra = tuple(f"top-up {number}" for number in range(1, terms.top_up_rounds + 1))
    by_switch: dict[str, list[Uplink]] = {}
    for end in sorted(used):
        by_switch.setdefault(end.device, []).append(Uplink(end.port, plan.cable_at[end].rate_gbps))
    for switch, uplinks in sorted(by_switch.items()):
        count, share = len(uplinks), terms.loaded_share
        says = f"the {count} uplinks of {switch} were each loaded to {share:.0%} in some round"
        yield CoverageExpected(
            f"coverage:{switch}", switch, says, tuple(uplinks), names, extra, terms
        )


def crosses(flows: Iterable[LoadProbe]) -> bool:
    """Whether a round uses uplinks at all."""
    return any(probe.leaves[0] != probe.leaves[1] for probe in flows)


def command(name: str, when: Literal["before", "after"]) -> str:
    """The frame of a switch's counters before or after a round."""
    return f"probe uplinks round {name} {when}"


def between(
    one: CoverageExpected, before: Carried, after: Carried
) -> Mapping[str, tuple[int, int]]:
    """Port -> bytes received and sent in one round, of every uplink. Raises Unreadable.

    Counters that went back, ports that are missing or not fresh, or readings that are not as far
    apart as a round is long, prove nothing.
    """
    apart = after.uptime_s - before.uptime_s
    if not one.terms.seconds <= apart <= one.terms.seconds + LATE_S:
        raise Unreadable(f"counters read {apart:.0f} s apart are not from before and after a round")
    found: dict[str, tuple[int, int]] = {}
    for uplink in one.uplinks:
        if uplink.port not in before.ports or uplink.port not in after.ports:
            raise Unreadable(f"no counters of {uplink.port} that are known to be fresh")
        was, now = before.ports[uplink.port], after.ports[uplink.port]
        received, sent = now[0] - was[0], now[1] - was[1]
        if min(received, sent) < 0:
            raise Unreadable(f"counters of {uplink.port} went back")
        found[uplink.port] = received, sent
    return found


def loaded(one: CoverageExpected, before: Carried, after: Carried) -> frozenset[Lane]:
    """The lanes that one round filled to their share. Raises Unreadable as `between` does."""
    carried, found = between(one, before, after), set[Lane]()
    for uplink in one.uplinks:
        least = uplink.rate_gbps * one.terms.loaded_share * one.terms.seconds * _BYTES_PER_GBIT
        ref, (received, sent) = PortRef(one.device, uplink.port), carried[uplink.port]
        found.update({(ref, "down")} if received >= least else ())
        found.update({(ref, "up")} if sent >= least else ())
    return frozenset(found)


def lanes(wanted: Iterable[CoverageExpected]) -> frozenset[Lane]:
    """Both ways of every uplink that is asked for."""
    refs = [
        PortRef(expectation.device, uplink.port)
        for expectation in wanted
        for uplink in expectation.uplinks
    ]
    ways: tuple[Way, Way] = ("up", "down")
    return frozenset((ref, way) for ref in refs for way in ways)


def seen(one: CoverageExpected, read: Callable[[str], Carried | None]) -> frozenset[Lane]:
    """What all rounds together loaded; `read` gives a frame's counters, None where there is none.

    Raises Unreadable where a planned round was not counted, or any round only at one end.
    """
    found: frozenset[Lane] = frozenset()
    for name in (*one.rounds, *one.top_ups):
        before, after = read(command(name, "before")), read(command(name, "after"))
        if before is not None and after is not None:
            found |= loaded(one, before, after)
        elif name in one.rounds or before is not after:
            raise Unreadable(f"round {name}: no counters from before or after it")
    return found


def is_counted(plan: Plan, switch: str) -> bool:
    """Whether the counters of the switch's ports can be read."""
    return is_read(plan.switch[switch].dialect)


def not_seen(one: CoverageExpected, lanes_seen: frozenset[Lane]) -> tuple[str, ...]:
    """The uplinks of a switch that were not seen loaded, each with the way that was not."""
    left: dict[str, list[str]] = {}
    for ref, way in sorted(lanes([one]) - lanes_seen):
        left.setdefault(ref.port, []).append(way)
    return tuple(f"{port} ({' and '.join(ways)})" for port, ways in left.items())
