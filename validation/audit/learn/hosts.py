"""The hosts below leaves: which kind they are, and where in their pod or group they stand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inventory.schema import NodeProfile
from inventory.schema.node_profile import NicPort

from .networks import natural
from .ports import NOT_BUILT
from .seen import Group, HostEnd

_NUMBER = re.compile(r"(.*?)[-_.]?(\d+)")
_LONGEST = 40
_KEY = re.compile(r"[^a-z0-9_]+")


@dataclass(frozen=True)
class Hosts:
    """By host, the NICs that it has in each fabric, by the fabric's place in the list."""

    nics: Mapping[str, Mapping[int, tuple[HostEnd, ...]]]

    def of(self, at: int) -> tuple[str, ...]:
        """The hosts in a fabric, in natural order."""
        return tuple(sorted((name for name, by in self.nics.items() if at in by), key=natural))


def hosts(groups: Iterable[Group]) -> Hosts:
    """Every host that has a name."""
    found: dict[str, dict[int, list[HostEnd]]] = defaultdict(lambda: defaultdict(list))
    for at, group in enumerate(groups):
        for end in group.hosts:
            if end.host:
                found[end.host][at].append(end)
    return Hosts({name: {at: tuple(ends) for at, ends in by.items()} for name, by in found.items()})


def leaves_of_host(group: Group) -> int:
    """Leaves that most hosts' NICs are spread over; 0 where no host is known."""
    seen: dict[str, set[str]] = defaultdict(set)
    for end in group.hosts:
        if end.host:
            seen[end.host].add(end.box)
    return Counter(map(len, seen.values())).most_common(1)[0][0] if seen else 0


def nic_profile(
    ends: Mapping[str, Iterable[HostEnd]], shelf: Mapping[str, NodeProfile]
) -> tuple[str, str]:
    """The profile whose NICs are most like those seen, by plane; and by what it was chosen."""
    seen = {plane: list(mine) for plane, mine in ends.items()}
    fits = {name: _like(seen, one) for name, one in sorted(shelf.items())}
    if real := {n: fit for n, fit in fits.items() if fit[0] or not n.startswith(NOT_BUILT)}:
        fits = real
    best = max(fits.values(), default=(0.0,))
    alike = [name for name, fit in fits.items() if fit == best]
    by = "names of NICs" if best[0] == 1 else "some names of NICs" if best[0] else "counts"
    others = f"; as good: {', '.join(alike[1:])}" if alike[1:] else ""
    return (alike[0] if alike else ""), f"{by}{others}"


def _like(seen: Mapping[str, list[HostEnd]], profile: NodeProfile) -> tuple[float, ...]:
    mine: dict[str, Sequence[NicPort]] = {
        "compute": profile.rails,
        "storage": profile.storage,
        "business": profile.business,
    }
    wanted = {(plane, one.port) for plane, nics in mine.items() for one in nics}
    found = {(plane, end.nic) for plane, ends in seen.items() for end in ends if end.nic}
    per_host = {
        plane: max(Counter(end.host for end in ends).values(), default=0)
        for plane, ends in seen.items()
    }
    counted = sum(abs(len(mine[plane]) - per_host.get(plane, 0)) for plane in mine)
    rates = {end.port.rate_gbps for end in seen.get("compute", ())} - {None}
    rate_fits = rates <= {nic.rate_gbps for nic in profile.rails}
    share = len(wanted & found) / max(len(wanted | found), 1)
    return share, -counted, float(rate_fits), float(bool(profile.gpus))


def group_name(names: Iterable[str]) -> str:
    """What servers of one block are called together: their names without numbers."""
    heads = Counter(said[1] if (said := _NUMBER.fullmatch(one)) else one for one in names)
    return plain_key(heads.most_common(1)[0][0] if heads else "", "servers")


def plain_key(text: str, word: str = "name") -> str:
    """The text as a site may name a thing: lower case, digits and `_`, a letter first."""
    plain = _KEY.sub("_", text.lower()).strip("_")[:_LONGEST]
    return plain if plain and plain[0].isalpha() else f"{word}_{plain}".rstrip("_")
