"""Prefix lists, community lists and route maps in FRR (manual, "Filtering", "Route Maps").

A policy is read as the prefixes it permits, the communities it adds and those it refuses.
What that cannot say is unread or a hazard: nobody may take silence for agreement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError

from switch_configs.readback.facts import PermitFacts, PolicyFacts, SessionFacts

from .maps import Entry, joined
from .reading import FrrReading

# RFC 1997, RFC 8326: the names that FRR shows instead of numbers.
_WELL_KNOWN = {
    "graceful-shutdown": "65535:0",
    "no-export": "65535:65281",
    "no-advertise": "65535:65282",
    "local-AS": "65535:65283",
}


_ALL = PermitFacts("0.0.0.0/0", 0, 32)


def is_place(word: str, most: int = 2**32 - 1) -> bool:
    """Whether FRR takes it as a place: from 1 on (FRR manual, Filtering; Route Maps)."""
    return word.isdecimal() and 1 <= int(word) <= most


@dataclass
class Policies:
    """Lists by name and sequence number; route map entries by name and number."""

    lists: dict[str, dict[int, PermitFacts]] = field(default_factory=dict)
    communities: dict[str, list[str]] = field(default_factory=dict)
    maps: dict[str, dict[int, Entry]] = field(default_factory=dict)
    opened: Entry = field(default_factory=lambda: Entry("permit"))

    def prefix_list(self, words: list[str]) -> bool:
        """The words after `ip prefix-list`; False for a deny or a broken line."""
        match words:
            case [name, "seq", number, "permit", prefix, *lengths] if is_place(number):
                place = int(number)
            case [name, "permit", prefix, *lengths]:
                place = max(self.lists.get(name, {}), default=0) // 5 * 5 + 5
            case _:
                return False
        permit = _ALL if [prefix, *lengths] == ["any"] else _permit(prefix, lengths)
        if permit is None:
            return False
        self.lists.setdefault(name, {})[place] = permit
        return True

    def community_list(self, words: list[str]) -> bool:
        """The words after `bgp community-list`: one community a line, or it is not read."""
        match words:
            case ["standard", name, "seq", number, "permit", word] if is_place(number):
                community = _community(word)
            case ["standard", name, "permit", word]:
                community = _community(word)
            case _:
                return False
        if community:
            _once(self.communities.setdefault(name, []), community)
        return community is not None

    def entry(self, name: str, action: str, number: int) -> None:
        """Open an entry of a route map."""
        self.opened = self.maps.setdefault(name, {}).setdefault(number, Entry(action))

    def inside(self, words: list[str]) -> bool:
        """A line of the open entry."""
        match words:
            case ["match", "ip", "address", "prefix-list", name]:
                _once(self.opened.lists, name)
            case ["match", "community", name]:
                _once(self.opened.communities, name)
            case ["set", "local-preference", value] if value.isdecimal():
                self.opened.preference = int(value)
            case ["set", "community", *added]:
                return self._add(added)
            case _:
                return False
        return True

    def _add(self, words: list[str]) -> bool:
        self.opened.replaces = words[-1:] != ["additive"]
        named = words if self.opened.replaces else words[:-1]
        found = [_community(one) for one in named]
        if not found or None in found:
            return False
        self.opened.adds = [one for one in found if one]
        return True

    def facts(self, found: FrrReading) -> list[PolicyFacts]:
        """What each route map lets pass and does to it."""
        return [
            joined(name, [self._resolved(name, entries[n], found) for n in sorted(entries)], found)
            for name, entries in self.maps.items()
        ]

    def _resolved(self, name: str, entry: Entry, found: FrrReading) -> Entry:
        """The entry with prefixes and communities in place of the names of lists."""
        if len(entry.lists) > 1 or len(entry.communities) > 1:
            found.unread.append(f"route-map {name} asks for several lists at once")
        for one in entry.lists:
            if one not in self.lists:
                found.hazard(f"policy {name} asks prefix list {one}, which is not defined")
            entry.permits += self.lists.get(one, {}).values()
        for one in entry.communities:
            if one not in self.communities:
                found.hazard(f"policy {name} asks community list {one}, which is not defined")
            entry.marks += self.communities.get(one, [])
        return entry

    def references(self, sessions: Iterable[SessionFacts], found: FrrReading) -> None:
        """Names that lead nowhere, and names that nobody uses."""
        used = {
            policy for session in sessions for policy in (session.policy_in, session.policy_out)
        }
        for missing in sorted(name for name in used if name and name not in self.maps):
            found.hazard(f"policy {missing} is used and not defined: nothing passes")


def _once(held: list[str], name: str) -> None:
    """What is said twice is held once (lib/routemap.c, route_map_add_match)."""
    if name not in held:
        held.append(name)


def _community(word: str) -> str | None:
    """`high:low` in numbers, or None for what is no community."""
    if word in _WELL_KNOWN:
        return _WELL_KNOWN[word]
    high, colon, low = word.partition(":")
    numbers = high.isdecimal() and low.isdecimal() and max(int(high), int(low)) < 65536
    return word if colon and numbers else None


def _permit(prefix: str, lengths: list[str]) -> PermitFacts | None:
    """The rule, by the meaning of `ge` and `le`: neither is exact, one opens one side.

    FRR takes the bits of a host off (lib/filter_cli.c: `str2prefix`, `apply_mask`).
    """
    try:
        network = IPv4Network(prefix, strict=False)
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
