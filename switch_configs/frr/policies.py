"""The policies of `switch_configs.policies` in FRR's words: lists and route maps."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network

from inventory.plan import Switch
from switch_configs.policies import FROM_ABOVE, GRACEFUL_SHUTDOWN, Policy, policies

# FRR shows well-known communities by name (lib: bgpd/bgp_community.c); others as they are.
_SHOWN = {GRACEFUL_SHUTDOWN: "graceful-shutdown", FROM_ABOVE: FROM_ABOVE}
_LISTS = {GRACEFUL_SHUTDOWN: "drained", FROM_ABOVE: "from-above"}


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
class CommunityList:
    """A named list of one community."""

    name: str
    community: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a route map; lines as FRR shows them."""

    action: str
    sequence: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RouteMap:
    """A route map, entries in their order; what none permits is dropped."""

    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Filters:
    """All that the policies of a switch need."""

    prefix_lists: tuple[PrefixList, ...]
    communities: tuple[CommunityList, ...]
    maps: tuple[RouteMap, ...]


def filters(switch: Switch, map_suffix: str, first_entry: int = 10) -> Filters:
    """The filters of a switch. Not those of its drain: that is one word to bgpd."""
    wanted = policies(switch)
    lists = {_list_name(switch, policy): policy.permits for policy in wanted if policy.permits}
    used = {word for policy in wanted for word in policy.refuses}
    used |= {GRACEFUL_SHUTDOWN for policy in wanted if policy.drained_last}
    return Filters(
        prefix_lists=tuple(_prefix_list(*item) for item in sorted(lists.items())),
        communities=tuple(
            sorted((CommunityList(_LISTS[one], _SHOWN[one]) for one in used), key=_by_name)
        ),
        maps=tuple(
            sorted(
                (_map(switch, policy, map_suffix, first_entry) for policy in wanted),
                key=lambda one: one.name,
            )
        ),
    )


def _by_name(one: CommunityList) -> str:
    return one.name


def _list_name(switch: Switch, policy: Policy) -> str:
    """`own` is what the switch announces itself, `fabric` what anybody in it may."""
    word = "own" if switch.tier == "leaf" and not policy.is_in else "fabric"
    return f"{policy.vrf}-{word}" if policy.vrf else word


def _prefix_list(name: str, permits: tuple[tuple[IPv4Network, int], ...]) -> PrefixList:
    """A list that permits each prefix at exactly the given length."""
    lines = [
        PrefixRule(5 * number, str(prefix), _lengths(prefix, bits))
        for number, (prefix, bits) in enumerate(sorted(permits), start=1)
    ]
    return PrefixList(name, tuple(lines))


def _lengths(prefix: IPv4Network, bits: int) -> str:
    return "" if prefix.prefixlen == bits else f" ge {bits} le {bits}"


def _map(switch: Switch, policy: Policy, suffix: str, first: int) -> RouteMap:
    """Refusals first, then drained routes, then the rest."""
    actions: list[tuple[str, tuple[str, ...]]] = [
        ("deny", (f"match community {_LISTS[one]}",)) for one in policy.refuses
    ]
    if policy.permits:
        match = f"match ip address prefix-list {_list_name(switch, policy)}"
        sets = tuple(f"set community {_SHOWN[one]} additive" for one in policy.adds)
        if policy.drained_last:
            drained = f"match community {_LISTS[GRACEFUL_SHUTDOWN]}"
            actions.append(("permit", (drained, match, *sets, "set local-preference 0")))
        actions.append(("permit", (match, *sets)))
    else:
        actions.append(("deny", ()))
    entries = (
        Entry(action, first + 10 * number, lines) for number, (action, lines) in enumerate(actions)
    )
    return RouteMap(f"{policy.name}{suffix}", tuple(entries))
