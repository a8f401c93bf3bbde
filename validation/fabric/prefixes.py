"""All prefixes that any box announces, one bit each: a set of them is one whole number.

Sets of prefixes are worked on at once, so a fabric of 20,000 sessions is solved in a second
without any guess about which prefixes behave alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError

from switch_configs.readback.facts import PermitFacts

Bits = int
"""A set of prefixes: bit n is prefix n."""


def prefix_of(text: str) -> IPv4Network | None:
    """A prefix, host bits cut off; None for what is none."""
    try:
        return IPv4Network(text, strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        return None


def numbers(bits: Bits) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


class Prefixes:
    """Prefixes in order: by address, wider ones first."""

    def __init__(self, every: Iterable[IPv4Network]) -> None:
        self.every = tuple(sorted(set(every)))
        self.number: Mapping[IPv4Network, int] = {one: at for at, one in enumerate(self.every)}
        self._starts = [int(one.network_address) for one in self.every]
        self._of_length: dict[int, Bits] = {}
        for at, one in enumerate(self.every):
            self._of_length[one.prefixlen] = self._of_length.get(one.prefixlen, 0) | 1 << at
        self._within: dict[PermitFacts, Bits] = {}

    @property
    def all(self) -> Bits:
        """Every prefix."""
        return (1 << len(self.every)) - 1

    def bits(self, some: Iterable[IPv4Network]) -> Bits:
        """The set of these; those that nobody announces are left out."""
        found = 0
        for one in some:
            at = self.number.get(one)
            if at is not None:
                found |= 1 << at
        return found

    def permitted(self, permits: Iterable[PermitFacts]) -> Bits:
        """What lies in any of these rules."""
        found = 0
        for rule in permits:
            if rule not in self._within:
                self._within[rule] = self._permitted(rule)
            found |= self._within[rule]
        return found

    def _permitted(self, rule: PermitFacts) -> Bits:
        net = prefix_of(rule.prefix)
        if net is None:
            return 0
        first = bisect_left(self._starts, int(net.network_address))
        last = bisect_right(self._starts, int(net.broadcast_address))
        inside = ((1 << last) - 1) ^ ((1 << first) - 1)
        lengths = 0
        for bits in range(max(rule.shortest_bits, net.prefixlen), rule.longest_bits + 1):
            lengths |= self._of_length.get(bits, 0)
        return inside & lengths

    @cached_property
    def cover(self) -> Mapping[int, int]:
        """The narrowest wider prefix of each prefix that lies in another."""
        found: dict[int, int] = {}
        open_ones: list[int] = []
        for at, one in enumerate(self.every):
            while open_ones and not one.subnet_of(self.every[open_ones[-1]]):
                open_ones.pop()
            if open_ones:
                found[at] = open_ones[-1]
            open_ones.append(at)
        return found
