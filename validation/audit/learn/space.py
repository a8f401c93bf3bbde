"""Address space: what is taken, and what is free for things that no configuration says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, collapse_addresses

_WIDEST = 8
# RFC 1918, the management plane's first.
_FREE = (IPv4Network("172.16.0.0/12"), IPv4Network("10.0.0.0/8"), IPv4Network("192.168.0.0/16"))


@dataclass(slots=True)
class Space:
    """Networks that some configuration speaks of, and those given to a pool of the site."""

    taken: list[IPv4Network] = field(default_factory=list)
    given: list[IPv4Network] = field(default_factory=list)

    def take(self, net: IPv4Network) -> IPv4Network:
        """Give it to a pool."""
        self.taken.append(net)
        self.given.append(net)
        return net

    def fits(self, net: IPv4Network | None) -> bool:
        """Whether it is a unicast network that overlaps no other pool."""
        apart = net is not None and not any(one.overlaps(net) for one in self.given)
        return bool(apart and net and net.prefixlen >= _WIDEST and net.is_private)

    def free(self, prefixlen: int, within: Iterable[IPv4Network] = ()) -> IPv4Network:
        """The first network of this length that overlaps none that is taken; it is taken then.

        It is looked for `within` some networks first.
        """
        for block in (*within, *_FREE):
            others = [one for one in self.taken if one.overlaps(block) and one != block]
            at, size = int(block.network_address), 1 << (32 - prefixlen)
            while at + size <= int(block.broadcast_address) + 1:
                net = IPv4Network((at, prefixlen))
                clash = next((one for one in others if one.overlaps(net)), None)
                if clash is None:
                    return self.take(net)
                at = -(-(int(clash.broadcast_address) + 1) // size) * size
        return self.take(IPv4Network((int(IPv4Address("100.64.0.0")), prefixlen)))


def around(addresses: Iterable[IPv4Address], longest: int = 30) -> IPv4Network | None:
    """The smallest network with all of these, no longer than `longest`; None of none."""
    numbers = sorted(int(one) for one in addresses)
    if not numbers:
        return None
    bits = max((numbers[0] ^ numbers[-1]).bit_length(), 32 - longest)
    return IPv4Network((numbers[0], 32 - bits), strict=False)


def cover(nets: Iterable[IPv4Network]) -> IPv4Network | None:
    """The smallest network with all of these in it; None of none."""
    every = sorted(collapse_addresses(nets))
    if not every:
        return None
    ends = (every[0].network_address, max(one.broadcast_address for one in every))
    return around(ends, longest=min(one.prefixlen for one in every))
