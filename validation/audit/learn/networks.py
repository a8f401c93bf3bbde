"""Names and addresses as plain values: their order, their networks, indexes by loopback."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network

from inventory.topology.addressing import LOOPBACK_SPLIT_BITS, part
from switch_configs.readback.facts import SwitchFacts

_NATURAL = re.compile(r"(\d+)")
_HOST_BITS = 32
# Loopbacks of at least so many switches of a hundred must fit a formula to be believed.
_ENOUGH_PERCENT = 60


def natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """A key that sorts `leaf2` before `leaf10`."""
    parts = _NATURAL.split(text)
    return tuple((0, int(one)) if one.isdigit() else (1, one) for one in parts)


def loopback_pool(facts: Iterable[SwitchFacts]) -> IPv4Network | None:
    """The prefix of /32s that most policies let pass, where it holds the router ID itself."""
    votes: Counter[IPv4Network] = Counter()
    for one in facts:
        for policy in one.policies:
            for permit in policy.permits:
                net = network_of(permit.prefix)
                wide = net and net.prefixlen < _HOST_BITS and permit.shortest_bits == _HOST_BITS
                if net and wide and one.router_id and address(one.router_id) in net:
                    votes[net] += 1
    return votes.most_common(1)[0][0] if votes else None


def network_of(text: str) -> IPv4Network | None:
    """The IPv4 network of a text, None where it is none."""
    try:
        return IPv4Network(text, strict=False)
    except ValueError:
        return None


def address(text: str | None) -> IPv4Address:
    """The IPv4 address of a text; 0.0.0.0 where it is none."""
    try:
        return IPv4Address((text or "").partition("/")[0])
    except ValueError:
        return IPv4Address(0)


def quarter_indexes(
    router_ids: Mapping[str, str | None], pool: IPv4Network | None, quarter: int
) -> dict[str, int]:
    """The index of each switch by its loopback in a quarter of the pool; {} where few fit."""
    if pool is None or pool.prefixlen > _HOST_BITS - LOOPBACK_SPLIT_BITS - 1 or not router_ids:
        return {}
    own = part(pool, LOOPBACK_SPLIT_BITS, quarter)
    rids = {name: address(said) for name, said in router_ids.items()}
    found = {
        name: int(rid) - int(own.network_address) - 1
        for name, rid in rids.items()
        if rid in own and rid != own.network_address
    }
    fits = len(set(found.values())) * 100 >= _ENOUGH_PERCENT * len(rids)
    return found if fits else {}
