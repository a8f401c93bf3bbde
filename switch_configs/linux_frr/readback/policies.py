"""Prefix lists and route maps in FRR (FRR manual, "Filtering" and "Route Maps").

A policy is read as the prefixes it permits. What that cannot say is unread: a deny, and a
route map that matches or sets anything but a prefix list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError

from switch_configs.facts import PermitFacts, PolicyFacts

from .found import Found

_ALL = PermitFacts("0.0.0.0/0", 0, 32)


@dataclass
class _Entry:
    action: str
    lists: list[str] = field(default_factory=list)


@dataclass
class Policies:
    """Lists by name and sequence number; route map entries by name and number."""

    lists: dict[str, dict[int, PermitFacts]] = field(default_factory=dict)
    maps: dict[str, dict[int, _Entry]] = field(default_factory=dict)
    opened: _Entry = field(default_factory=lambda: _Entry("permit"))

    def prefix_list(self, words: list[str]) -> bool:
        """The words after `ip prefix-list`; False for a deny or a broken line."""
        match words:
            case [name, "seq", number, "permit", prefix, *lengths] if number.isdecimal():
                permit = _permit(prefix, lengths)
                if permit is None:
                    return False
                self.lists.setdefault(name, {})[int(number)] = permit
                return True
        return False

    def entry(self, name: str, action: str, number: int) -> None:
        """Open an entry of a route map."""
        self.opened = self.maps.setdefault(name, {}).setdefault(number, _Entry(action))

    def inside(self, words: list[str]) -> bool:
        """A line of the open entry."""
        match words:
            case ["match", "ip", "address", "prefix-list", name]:
                self.opened.lists.append(name)
                return True
        return False

    def finish(self, found: Found) -> None:
        """What each route map permits, and the names that lead nowhere."""
        for name, entries in self.maps.items():
            permits: list[PermitFacts] = []
            for number in sorted(entries):
                permits += self._permits(name, entries[number], found)
            # Nothing but permits is read, so their order says nothing.
            found.policies.append(PolicyFacts(name, tuple(sorted(permits))))
        used = {policy for one in found.sessions for policy in (one.policy_in, one.policy_out)}
        for missing in sorted(name for name in used if name and name not in self.maps):
            found.hazards.append(f"policy {missing} is used and not defined")

    def _permits(self, name: str, entry: _Entry, found: Found) -> list[PermitFacts]:
        if entry.action == "deny":
            found.unread.append(f"frr: route-map {name} denies before it permits")
            return []
        if not entry.lists:
            return [_ALL]
        if len(entry.lists) > 1:
            found.unread.append(f"frr: route-map {name} asks for several prefix lists at once")
        for one in entry.lists:
            if one not in self.lists:
                found.hazards.append(f"policy {name} asks prefix list {one}, which is not defined")
        rules = self.lists.get(entry.lists[0], {})
        return [rules[number] for number in sorted(rules)]


def _permit(prefix: str, lengths: list[str]) -> PermitFacts | None:
    """The rule, by the meaning of `ge` and `le`: neither is exact, one opens one side."""
    try:
        network = IPv4Network(prefix)
    except (AddressValueError, NetmaskValueError, ValueError):
        return None
    bounds = dict(zip(lengths[::2], lengths[1::2], strict=False))
    if len(lengths) % 2 or not set(bounds) <= {"ge", "le"} or 2 * len(bounds) != len(lengths):
        return None
    if not all(bits.isdecimal() for bits in bounds.values()):
        return None
    shortest = int(bounds.get("ge", network.prefixlen))
    longest = int(bounds.get("le", 32 if "ge" in bounds else network.prefixlen))
    return PermitFacts(str(network), shortest, longest)
