"""Policies as route maps, prefix lists and community lists."""

from __future__ import annotations

from dataclasses import dataclass, replace

from switch_configs.policies import GRACEFUL_SHUTDOWN, Policy

# RFC 8326 names 65535:0 GSHUT, and so does EOS.
WELL_KNOWN = {GRACEFUL_SHUTDOWN: "GSHUT"}


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """One line of a prefix list; `lengths` is "" or begins with a blank."""

    sequence: int
    action: str
    prefix: str
    lengths: str


@dataclass(frozen=True, slots=True)
class PrefixList:
    """What one policy lets pass."""

    name: str
    rules: tuple[PrefixRule, ...]


@dataclass(frozen=True, slots=True)
class CommunityList:
    """A named community."""

    name: str
    community: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a route map; a None or empty part is not printed."""

    policy: str
    action: str
    sequence: int
    community: str | None
    prefix_list: str | None
    preference: int | None
    adds: str


def prefix_lists(policies: tuple[Policy, ...]) -> tuple[PrefixList, ...]:
    """One list a policy, by name."""
    return tuple(_list(policy) for policy in sorted(policies, key=lambda one: one.name))


def _list(policy: Policy) -> PrefixList:
    rules = tuple(
        PrefixRule(10 * at, "permit", str(net), "" if net.prefixlen == bits else f" eq {bits}")
        for at, (net, bits) in enumerate(sorted(policy.permits), start=1)
    )
    # A list without a rule has no meaning that somebody wrote down.
    return PrefixList(policy.name, rules or (PrefixRule(10, "deny", "0.0.0.0/0", " le 32"),))


def community_lists(policies: tuple[Policy, ...]) -> tuple[CommunityList, ...]:
    """The communities that policies ask for, by name."""
    asked = {community for policy in policies for community in policy.refuses}
    if any(policy.drained_last for policy in policies):
        asked.add(GRACEFUL_SHUTDOWN)
    found = (CommunityList(list_name(one), WELL_KNOWN.get(one, one)) for one in asked)
    return tuple(sorted(found, key=lambda one: one.name))


def list_name(community: str) -> str:
    """`graceful-shutdown`, or `community-64512-100`."""
    if community == GRACEFUL_SHUTDOWN:
        return "graceful-shutdown"
    return f"community-{community.replace(':', '-')}"


def entries(policies: tuple[Policy, ...]) -> tuple[Entry, ...]:
    """All route maps, entry by entry; what no entry permits is denied."""
    return tuple(
        entry for policy in sorted(policies, key=lambda one: one.name) for entry in _entries(policy)
    )


def _entries(policy: Policy) -> list[Entry]:
    adds = " ".join(WELL_KNOWN.get(one, one) for one in policy.adds)
    found = [
        Entry(policy.name, "deny", 0, list_name(one), None, None, "") for one in policy.refuses
    ]
    if policy.drained_last:
        drained = list_name(GRACEFUL_SHUTDOWN)
        found.append(Entry(policy.name, "permit", 0, drained, policy.name, 0, adds))
    found.append(Entry(policy.name, "permit", 0, None, policy.name, None, adds))
    return [replace(one, sequence=10 * at) for at, one in enumerate(found, start=1)]
