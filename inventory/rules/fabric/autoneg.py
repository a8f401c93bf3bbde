"""Rules for autonegotiation of copper: it has a word in the switch system, and both ends agree.

A switch OS that negotiates by itself negotiates also where a profile says nothing. So an end that
says something needs one that says the same, or the cable may be dark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inventory.model import Fabric
from inventory.problems import Problem
from inventory.schema import SwitchProfile
from inventory.switches.abilities import cannot, of
from inventory.topology.fabrics import SwitchFabric
from inventory.topology.media import is_twinax

from .ports import breakout_is_possible

_FEATURE = "copper autonegotiation"


@dataclass(frozen=True, slots=True)
class _Copper:
    """Copper cables of one kind: the key of the profile at one end, and at the other one.

    `far` is "" where that is a NIC. `lanes` are those of the near end.
    """

    near: str
    far: str
    rate_gbps: float
    lanes: int


def autoneg_has_words(fabric: Fabric) -> Iterator[Problem]:
    """An option without a line in the switch OS is believed, and is not there."""
    if any(breakout_is_possible(fabric)):
        return
    for one, key, profile in _asking(fabric):
        path, name = (*one.path, key), getattr(one, key)
        if no := cannot(_FEATURE, profile.dialect):
            expected = f"no {_FEATURE} on {profile.dialect} {profile.release} ({name})"
            yield fabric.problem(path, f"`{name}`", expected, f"{no.why}; {no.instead}")
            continue
        known = of(profile.dialect).negotiated
        if known is None:
            continue
        if not profile.copper_autoneg:
            found = f"`{name}`, which says `copper_autoneg: false`"
            yield fabric.problem(path, found, "nothing: it is so without a word", known.source)
            continue
        for cable in _copper(one):
            if cable.near == key and (cable.rate_gbps, cable.lanes) not in known.ports:
                found = f"`{name}`, copper of {cable.rate_gbps:g} Gb/s on {cable.lanes} lanes"
                expected = f"ports that {profile.dialect} can tell to negotiate"
                yield fabric.problem(path, found, expected, known.source)


def autoneg_agrees_at_both_ends(fabric: Fabric) -> Iterator[Problem]:
    """Where one end of a copper cable negotiates and the other does not, it may never come up.

    A NIC negotiates by its driver's default, and no role sets it.
    """
    if any(breakout_is_possible(fabric)):
        return
    for one in fabric.fabrics:
        for cable in _copper(one):
            near = one.profiles[getattr(one, cable.near)].copper_autoneg
            path, found = (*one.path, cable.near), f"`copper_autoneg: {_word(near)}`"
            if not cable.far:
                if near is False:
                    expected = "what NICs do by default: they negotiate"
                    hint = "leave it out; railbed sets no autonegotiation of NICs"
                    yield fabric.problem(path, f"{found} towards NICs", expected, hint)
                continue
            far = one.profiles[getattr(one, cable.far)].copper_autoneg
            if near is not far:
                expected = f"the same as {cable.far} at the other end of its copper: {_word(far)}"
                yield fabric.problem(path, found, expected, "say it in both profiles, or in none")


def autoneg_is_of_data_ports(fabric: Fabric) -> Iterator[Problem]:
    """Twisted pair always negotiates (IEEE 802.3, clause 28), so an OOB switch has no such line."""
    said = fabric.intent.oob.switches
    for key in ("access_profile", "aggregation_profile", "core_profile") if said else ():
        name = getattr(said, key)
        if name and fabric.switch_profiles[name].copper_autoneg is not None:
            found = f"`{name}`, which says `copper_autoneg`"
            yield fabric.problem(("oob", "switches", key), found, "a profile that does not")


def _asking(fabric: Fabric) -> Iterator[tuple[SwitchFabric, str, SwitchProfile]]:
    for one in fabric.fabrics:
        for key in ("leaf_profile", "spine_profile", "superspine_profile"):
            profile = one.profiles.get(getattr(one, key) or "")
            if profile is not None and profile.copper_autoneg is not None:
                yield one, key, profile


def _copper(one: SwitchFabric) -> list[_Copper]:
    """Its kinds of copper cables; none where nobody asks, or a cage cannot be split so."""
    profiles = (one.leaf_profile, one.spine_profile, one.superspine_profile or "")
    asked = any(one.profiles[name].copper_autoneg is not None for name in profiles if name)
    return list(dict.fromkeys(_cables(one))) if asked else []


def _cables(one: SwitchFabric) -> Iterator[_Copper]:
    ways, metres = one.clos.ways, one.cable_m
    nics = {nic.nic.rate_gbps for own in one.services for at in own.landings.values() for nic in at}
    for rate in sorted({min(nic, one.leaf.ports.rate_of(ways[0])) for nic in nics}):
        if is_twinax(rate, metres.node_leaf, ways[0]):
            yield _Copper("leaf_profile", "", rate, _lanes(one.leaf, ways[0]))
    yield from _between(one, "leaf_profile", "spine_profile", ways[1], metres.leaf_spine)
    if one.clos.three_tier:
        up = metres.spine_superspine
        yield from _between(one, "spine_profile", "superspine_profile", ways[2], up)
    peers = one.leaf.ports.rate_gbps
    if one.peer_links and is_twinax(peers, metres.node_leaf):
        yield _Copper("leaf_profile", "leaf_profile", peers, _lanes(one.leaf, 1))


def _between(
    one: SwitchFabric, low: str, high: str, ways: int, cable_m: float
) -> Iterator[_Copper]:
    ends = [one.profiles[getattr(one, key)] for key in (low, high)]
    rate = min(end.ports.rate_of(ways) for end in ends)
    if is_twinax(rate, cable_m, ways):
        yield _Copper(low, high, rate, _lanes(ends[0], ways))
        yield _Copper(high, low, rate, _lanes(ends[1], ways))


def _lanes(profile: SwitchProfile, ways: int) -> int:
    return profile.ports.lanes // ways


def _word(said: bool | None) -> str:
    return "not said" if said is None else str(said).lower()


AUTONEG_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    autoneg_has_words,
    autoneg_agrees_at_both_ends,
    autoneg_is_of_data_ports,
)
