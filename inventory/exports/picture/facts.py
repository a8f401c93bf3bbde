"""The words and numbers of a picture."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from ..view import number
from .scene import Hop, Member, Scene
from .shapes import TIMES

_MOST_WORDS = 4


def row_word(members: Iterable[Member]) -> str:
    """What stands on a row: "leaf", or several words; "devices" where there are too many."""
    found = sorted({member.word for member in members})
    return ", ".join(found) if len(found) <= _MOST_WORDS else "devices"


def devices(scene: Scene) -> list[str]:
    """How many devices of which kind and profile, from the top."""
    found = Counter((-member.row, member.word, member.profile) for member in scene.members)
    return [
        f"{count:,} {TIMES} {word}" + (f", {profile}" if profile else "")
        for (_, word, profile), count in sorted(found.items())
    ]


def totals(scene: Scene) -> str:
    """One line: how many devices and links."""
    links = f"{len(scene.wires):,} links"
    if scene.plane == "oob":
        return f"{len(scene.members):,} devices, {links}"
    nodes = sum(member.row == 0 for member in scene.members)
    return f"{len(scene.members) - nodes:,} switches, {nodes:,} nodes, {links}"


def hop_words(scene: Scene, hop: Hop) -> tuple[str, ...]:
    """A hop in four short lines, the first its title."""
    low, high = row_word(scene.rows[hop.lower]), row_word(scene.rows[hop.upper])
    pair = _span(hop.per_pair)
    return (
        f"{low} to {high}" if len(low) + len(high) < 24 else f"up to {high}",
        f"{hop.wires:,} link{'s' if hop.wires > 1 else ''}",
        f"{_span(hop.rates_gbps)} Gb/s, {pair} a pair",
        f"{_span(hop.metres)} m, {' or '.join(hop.media)}",
    )


def oversubscription(scene: Scene) -> list[str]:
    """For each row with wires both ways: the sums of rates down and up, and their ratio.

    Ratio = sum of downlink rates / sum of uplink rates of a device; 1 : 1 is non-blocking.
    """
    limits = {tier: f" (limit {number(limit)} : 1)" for tier, limit in scene.limits}
    down: dict[str, float] = defaultdict(float)
    up: dict[str, float] = defaultdict(float)
    for wire in scene.across:
        up[wire.lower] += wire.rate_gbps
        down[wire.upper] += wire.rate_gbps
    out = []
    for members in scene.rows.values():
        both = Counter(
            (member.word, round(down[member.name], 3), round(up[member.name], 3))
            for member in members
            if down[member.name] and up[member.name]
        )
        out += [
            _ratio(*what, count) + limits.get(what[0], "") for what, count in sorted(both.items())
        ]
    return out or ["no tier has links both up and down"]


def _ratio(word: str, down: float, up: float, count: int) -> str:
    share = number(round(max(down, up) / min(down, up), 2))
    ratio = f"{share} : 1" if down >= up else f"1 : {share}"
    return f"{count:,} {TIMES} {word}: {_amount(down)} down, {_amount(up)} up = {ratio}"


def _amount(gbps: float) -> str:
    return f"{number(round(gbps / 1000, 3))} Tb/s" if gbps >= 1000 else f"{number(gbps)} Gb/s"


def _span(values: tuple[float, ...]) -> str:
    low, high = number(values[0]), number(values[-1])
    return low if low == high else f"{low} to {high}"
