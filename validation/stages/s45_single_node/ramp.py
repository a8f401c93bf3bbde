"""The power ramp: which nodes burn together, so that no feed sees a large step. Pure.

A wave burns and ends before the next one begins. What it adds to a PDU, a rack and a row stays
within a share of what these may carry; a node counts with all that it may draw, and a PDU with
what it gets when another PDU of its rack is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inventory.plan import Plan, Rack
from inventory.problems import ExpectedError

from .terms import RampTerms


class RampError(ExpectedError, ValueError):
    """A node that cannot be burnt within the declared step: the sentence says what to mend."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Something that carries power, and the most that one step may add to it, in watts."""

    name: str
    step_w: float


@dataclass(frozen=True, slots=True)
class Draw:
    """What a node adds when it burns: to each of its feeds so many watts."""

    node: str
    on: tuple[tuple[Feed, float], ...]


Wave = tuple[str, ...]


def draws(plan: Plan, nodes: Iterable[str], terms: RampTerms) -> tuple[Draw, ...]:
    """The feeds of each node. One without a rack or a known power is alone on all there is.

    Nobody knows what hangs on its breaker, so such nodes burn one after the other.
    """
    where = {
        device.device: (rack, device.power_w) for rack in plan.racks for device in rack.devices
    }
    carries = _rows(plan.racks)
    out = []
    for node in sorted(nodes):
        rack, watts = where.get(node, (None, 0))
        if rack is None or not watts:
            out.append(Draw(node, ((Feed("unknown power", 1.0), 1.0),)))
            continue
        out.append(Draw(node, tuple(_on(rack, carries[rack.row], watts, terms))))
    return tuple(out)


def _rows(racks: Sequence[Rack]) -> dict[str, float]:
    """What each row may carry: as much as all its racks."""
    rows: dict[str, float] = {}
    for rack in racks:
        rows[rack.row] = rows.get(rack.row, 0.0) + rack.limit_w
    return rows


def _on(rack: Rack, row_w: float, watts: int, terms: RampTerms) -> Iterable[tuple[Feed, float]]:
    left = max(len(rack.pdus) - 1, 1)
    for pdu in rack.pdus:
        yield Feed(pdu.name, rack.pdu_limit_w * terms.pdu_step), watts / left
    yield Feed(rack.name, rack.limit_w * terms.rack_step), watts
    yield Feed(rack.row, row_w * terms.row_step), watts


def waves(some: Sequence[Draw]) -> tuple[Wave, ...]:
    """Every node in one wave, each wave within every feed's step; few waves.

    Raises RampError for a node that alone is more than a step of one of its feeds.
    """
    todo, out = list(some), list[Wave]()
    while todo:
        chosen, rest = _fill(todo)
        if not chosen:
            feed, watts = next((f, w) for f, w in todo[0].on if w > f.step_w)
            raise RampError(
                f"{todo[0].node} adds {watts:g} W to {feed.name}, whose step is {feed.step_w:g} W: "
                "raise the step in stages/s45_single_node/terms.yml, "
                "or the limit in the site's `racks`"
            )
        out.append(tuple(chosen))
        todo = rest
    return tuple(out)


def _fill(todo: Sequence[Draw]) -> tuple[list[str], list[Draw]]:
    """The nodes that fit into one wave, in order; and what is left."""
    chosen, rest = list[str](), list[Draw]()
    added: dict[str, float] = {}
    for draw in todo:
        if any(added.get(feed.name, 0.0) + watts > feed.step_w for feed, watts in draw.on):
            rest.append(draw)
            continue
        for feed, watts in draw.on:
            added[feed.name] = added.get(feed.name, 0.0) + watts
        chosen.append(draw.node)
    return chosen, rest
