"""Prefix lists, community lists and route maps for `switch_configs.policies`."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network

from switch_configs.intent import SwitchIntent
from switch_configs.policies import FROM_ABOVE, GRACEFUL_SHUTDOWN, Policy
from switch_configs.policies import policies as neutral_policies

from . import words

_LISTS = {FROM_ABOVE: "from-above", GRACEFUL_SHUTDOWN: "drained"}


@dataclass(frozen=True, slots=True)
class PrefixList:
    """A named prefix list; `lines` are `seq N permit ...`."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommunityList:
    """A standard community list of one value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a route map; "" where it does not ask or set."""

    name: str
    action: str
    number: int
    community_list: str = ""
    prefix_list: str = ""
    adds: str = ""
    last: bool = False


@dataclass(frozen=True, slots=True)
class Policies:
    """All of a switch, sorted by name."""

    prefix_lists: tuple[PrefixList, ...]
    community_lists: tuple[CommunityList, ...]
    entries: tuple[Entry, ...]


def policies(intent: SwitchIntent) -> Policies:
    """What a switch lets in and out, as NX-OS says it."""
    own = sorted(neutral_policies(intent.switch, drained=intent.drained), key=lambda one: one.name)
    used = {value for policy in own for value in policy.refuses}
    used |= {GRACEFUL_SHUTDOWN} if any(policy.drained_last for policy in own) else set()
    return Policies(
        tuple(_prefix_list(policy, intent.switch.name) for policy in own if policy.permits),
        tuple(CommunityList(_LISTS[one], one) for one in sorted(used, key=_LISTS.__getitem__)),
        tuple(entry for policy in own for entry in _entries(policy)),
    )


def _prefix_list(policy: Policy, device: str) -> PrefixList:
    lines = (
        f"seq {5 * at} permit {net}{_length(net, bits)}"
        for at, (net, bits) in enumerate(sorted(policy.permits), 1)
    )
    return PrefixList(words.name(policy.name, "policy", device), tuple(lines))


def _length(net: IPv4Network, bits: int) -> str:
    return "" if net.prefixlen == bits else f" eq {bits}"


def _entries(policy: Policy) -> tuple[Entry, ...]:
    """In order of their numbers. What nothing permits is denied, even without a list to ask."""
    adds = " ".join(policy.adds)
    name = policy.name
    out = [
        Entry(name, "deny", 5 + at, community_list=_LISTS[value])
        for at, value in enumerate(policy.refuses)
    ]
    if not policy.permits:
        return (*out, Entry(name, "deny", 20))
    if policy.drained_last:
        drained = _LISTS[GRACEFUL_SHUTDOWN]
        out.append(Entry(name, "permit", 10, drained, name, adds, last=True))
    return (*out, Entry(name, "permit", 20, prefix_list=name, adds=adds))
