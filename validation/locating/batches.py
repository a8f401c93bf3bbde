"""Slow links with optics of one batch in common: the batch is the one suspect. Pure.

A batch is named where three things hold: it explains its slow links better than each being bad by
itself; links with other batches are slow less often, beyond what chance does; and no one device is
an end of all of them, because then that device is the nearer explanation. Nodes and leaves that
explain the same links come first, unless one batch explains more than all of them. Most links have
two modules: two batches that explain the same links equally well are one suspect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from inventory.plan import PortRef

from .causes import ALIKE, PRIOR, nearer
from .ground import Ground
from .sure import Sure
from .suspect import Kind, Suspect
from .tomography import TOLD_APART

LEAST = 3
_LISTED = 24
_HINT = "one batch: compare firmware and DOM, swap one for another batch's, ask its maker"


@dataclass(frozen=True, slots=True)
class _Fit:
    """A batch, the slow links that it explains, its links in all, and how well it explains."""

    batch: str
    bad: tuple[Suspect, ...]
    size: int
    gain: float
    contrast: float


def by_batch(
    ground: Ground,
    links: Sequence[tuple[PortRef, Suspect]],
    left: Sequence[Suspect],
    *,
    before_devices: bool = False,
) -> list[Suspect]:
    """`left` with the links of bad batches taken together, the best explanation first.

    Of all `links`, those that are not in `left` have another cause, and speak neither for nor
    against a batch. `before_devices`: only batches that explain more than nodes and leaves would.
    """
    ports = {one.units[0]: port for port, one in links}
    units = {one.units[0] for _, one in links}
    open_ = {
        suspect.units[0]: suspect
        for suspect in left
        if suspect.units[0] in units and len(suspect.units) == 1
    }
    explained = units - set(open_)
    rest = list(left)
    while found := [
        one
        for one in sorted(_fits(ground, open_, explained), key=lambda one: (-one.gain, one.batch))
        if not before_devices or one.gain > TOLD_APART + _nearer(ground, ports, one)
    ]:
        best = found[0]
        same = [one for one in found if one.bad == best.bad and best.gain - one.gain < TOLD_APART]
        rest = [suspect for suspect in rest if suspect not in best.bad]
        rest.append(_suspect(ground, best, same))
        taken = {suspect.units[0] for suspect in best.bad}
        explained |= taken
        open_ = {unit: one for unit, one in open_.items() if unit not in taken}
    return sorted(rest)


def _nearer(ground: Ground, ports: Mapping[str, PortRef], one: _Fit) -> float:
    return nearer(ground, [(ports[bad.units[0]], bad) for bad in one.bad])


def _fits(ground: Ground, bad: dict[str, Suspect], explained: set[str]) -> Iterator[_Fit]:
    """Every batch that is worth naming."""
    all_links = ground.batched - explained
    all_bad = all_links & bad.keys()
    for name in sorted({batch for unit in all_bad for batch in ground.batches_of[unit]}):
        mine = ground.links_of[name] - explained
        slow = mine & all_bad
        if len(slow) < LEAST or _has_one_end(slow):
            continue
        some = tuple(sorted(bad[unit] for unit in slow))
        gain = _gain(some, len(mine))
        contrast = _contrast(len(slow), len(mine), len(all_bad), len(all_links))
        if gain > 0 and contrast > TOLD_APART:
            yield _Fit(name, some, len(mine), gain, contrast)


def _has_one_end(cables: Iterable[str]) -> bool:
    """Whether one device is an end of all of them."""
    ends = [set(ports_of(unit)) for unit in cables]
    devices = [{port.device for port in some} for some in ends]
    return bool(set.intersection(*devices))


def ports_of(unit: str) -> tuple[PortRef, PortRef]:
    """Both ends of a unit that is a cable."""
    a, b = (PortRef(*end.split(":", 1)) for end in unit.removeprefix("cable ").split(" -- "))
    return a, b


def _gain(bad: Sequence[Suspect], size: int) -> float:
    """In nats, against each link being bad by itself."""
    share = min(ALIKE, len(bad) / size)
    so = log(PRIOR[Kind.BATCH]) + _log_likelihood(len(bad), size, share)
    return so - sum(log(PRIOR[suspect.kind]) for suspect in bad)


def _contrast(slow: int, size: int, all_slow: int, everything: int) -> float:
    """In nats, against links being slow as often whatever their batch is; 0 where it is rarer."""
    others = everything - size
    if not others or slow / size <= (all_slow - slow) / others:
        return 0.0
    apart = _best(slow, size) + _best(all_slow - slow, others)
    return apart - _best(all_slow, everything)


def _best(slow: int, size: int) -> float:
    return _log_likelihood(slow, size, slow / size)


def _log_likelihood(slow: int, size: int, share: float) -> float:
    found = slow * log(share) if slow else 0.0
    return found + ((size - slow) * log(1 - share) if slow < size else 0.0)


def _suspect(ground: Ground, best: _Fit, alike: Sequence[_Fit]) -> Suspect:
    units = tuple(sorted(one.batch for one in alike))
    covers = tuple(suspect.units[0] for suspect in best.bad)
    nats = min(best.gain, best.contrast)
    if len(alike) > 1:
        nats = min(nats, best.gain - alike[1].gain)
    said = listed(_serials(ground, covers, units))
    found = f"{len(covers)} of {best.size} links with it are slow: {said}"
    return Suspect(Kind.BATCH, units, Sure(nats), found, _HINT, covers)


def _serials(ground: Ground, cables: Sequence[str], batches: Sequence[str]) -> list[str]:
    """The pieces of these batches on these cables, by serial number and place."""
    ports = sorted(port for unit in cables for port in ports_of(unit))
    pieces = ((port, ground.pieces.get(port)) for port in ports)
    return [f"{one.serial} in {port}" for port, one in pieces if one and one.batch in batches]


def listed(some: Sequence[str]) -> str:
    """All of them, or as many as a person reads, and how many more."""
    more = f" and {len(some) - _LISTED} more" if len(some) > _LISTED else ""
    return ", ".join(some[:_LISTED]) + more
