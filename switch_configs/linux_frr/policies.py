"""What a switch lets in and out, by tier, as prefix lists and route maps.

Valley-free by construction: a leaf announces what it originates and nothing it has learnt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Network

from inventory.plan import Switch


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """One line of a prefix list; `lengths` is "" or begins with a blank."""

    sequence: int
    prefix: str
    lengths: str


@dataclass(frozen=True, slots=True)
class PrefixList:
    """A named prefix list."""

    name: str
    rules: tuple[PrefixRule, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """A route map that permits what one prefix list holds, and nothing else."""

    name: str
    prefix_list: str


def _list(name: str, rules: list[tuple[IPv4Network, int]]) -> PrefixList:
    """A list that permits each prefix at exactly the given length."""
    lines = [
        PrefixRule(5 * number, str(prefix), _lengths(prefix, bits))
        for number, (prefix, bits) in enumerate(rules, start=1)
    ]
    return PrefixList(name, tuple(lines))


def _lengths(prefix: IPv4Network, bits: int) -> str:
    return "" if prefix.prefixlen == bits else f" ge {bits} le {bits}"


def _fabric(switch: Switch) -> PrefixList:
    """Aggregates and loopbacks, each at exactly the length that its owner announces."""
    return _list("fabric", sorted(switch.tables[0].learns))


_Policies = tuple[tuple[PrefixList, ...], tuple[Policy, ...]]


def _leaf(switch: Switch) -> _Policies:
    """Valley-free: a leaf announces what it originates and never what it has learnt."""
    own = _list("own", [(one, one.prefixlen) for one in sorted(switch.originates)])
    return (own, _fabric(switch)), (Policy("up-in", "fabric"), Policy("up-out", "own"))


def _spine(switch: Switch) -> _Policies:
    return (_fabric(switch),), (Policy("down-in", "fabric"), Policy("down-out", "fabric"))


POLICIES: dict[str, Callable[[Switch], _Policies]] = {"leaf": _leaf, "spine": _spine}
"""By tier: the prefix lists and the route maps of a switch."""
