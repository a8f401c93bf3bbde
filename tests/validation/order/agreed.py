"""Whether the order found for a random site, or its refusal, is what walking all states says."""

from __future__ import annotations

from dataclasses import dataclass

from validation.order.between import Conflict, by_detour, expanded
from validation.order.order import order_of

from . import as_fabric, walked
from .walked import Site


@dataclass(frozen=True)
class Agreed:
    """`how` an order was found ("refused" where none), and what is `wrong` with that, "" if right.

    `tried` says that all orders were gone through.
    """

    how: str
    wrong: str
    tried: bool


def agreed(site: Site, most: int) -> Agreed:
    """Find an order, walk each of its states, and go through all orders of up to `most` states."""
    fabric = as_fabric.fabric(site)
    found = order_of(fabric)
    plain = walked.has_order(site)
    between = walked.with_between(site)
    tried = between is None or walked.states(between) <= most
    exists = plain or (between is not None and tried and walked.has_order(between))
    if found.refused is not None or not found.steps:
        return Agreed("refused", "there is one" if exists else "", tried)
    words = {step.after for step in found.steps} - {"new", "absent"}
    how = "over another DSCP" if found.over else "with versions between" if words else "as it is"
    if how == "as it is":
        whole = site
    else:
        whole = as_fabric.site(by_detour(fabric)[0] if found.over else expanded(fabric), site)
    moves = [(step.devices, step.way == "one at a time") for step in found.steps]
    wrong = walked.first_wrong(whole, moves)
    if not wrong and tried and not exists and not found.over:
        wrong = "walking all states finds none"
    return Agreed(how, wrong, tried)


def is_conflict(site: Site) -> bool:
    """Whether a port of it cannot accept both."""
    try:
        expanded(as_fabric.fabric(site))
    except Conflict:
        return True
    return False
