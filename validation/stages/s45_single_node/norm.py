"""Judging one figure of one part: against what is planned of it, its fleet, and its own past."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from testinfra.host import Host

from validation.expectation import Expectation
from validation.judging.limits import MEDIAN_NEEDS, WHAT_CHANGED, Limit, Middle, judge, middle
from validation.locating.view import View
from validation.stage import Faults

T = TypeVar("T", bound=Expectation)


@dataclass(frozen=True, slots=True)
class Part:
    """What is blamed where a figure is bad, and what to do then."""

    suspect: str
    hint: str


@dataclass(frozen=True, slots=True)
class Norm:
    """What a figure is held against; `planned` is None where nobody says it.

    `terms` say how it was measured: earlier figures of the same terms are its history.
    """

    limit: Limit
    unit: str
    planned: float | None
    fleet: Middle
    terms: str


def alike(view: View, kind: type[T], key_of: Callable[[T], object], one: T) -> tuple[T, ...]:
    """The expectations of a kind with this one's key: what makes up its fleet."""

    def make() -> dict[object, tuple[T, ...]]:
        found: dict[object, list[T]] = {}
        for other in view.wanted:
            if isinstance(other, kind):
                found.setdefault(key_of(other), []).append(other)
        return {key: tuple(some) for key, some in found.items()}

    return view.once(kind, make)[key_of(one)]


def fleet(
    view: View,
    key: object,
    some: tuple[T, ...],
    read: Callable[[Sequence[T], Host], Sequence[float]],
) -> Middle:
    """The same figure of all of a kind, device by device; what cannot be read is left out."""

    def make() -> Middle:
        mine: dict[str, list[T]] = {}
        for one in some:
            mine.setdefault(one.device, []).append(one)
        read_all = ((device, partial(read, mine[device])) for device in sorted(mine))
        return middle([x for device, reader in read_all for x in view.look(device, reader) or ()])

    return view.once(("fleet", key), make)


def hold(
    view: View, faults: Faults, one: Expectation, value: float, norm: Norm, part: Part
) -> None:
    """Keep the figure, and say what is wrong with it. Without any norm nothing is known of it.

    Its past alone is no norm: a part that was always slow has lost nothing.
    """
    faults.figure(one, value, norm.unit, norm.terms)
    told = f"{value:.4g} {norm.unit}"
    if norm.planned is None and norm.fleet.count < MEDIAN_NEEDS:
        why = f"{told}: no figure is planned in terms.yml, and {norm.fleet.count} are no fleet"
        faults.unknown(one, part.suspect, why)
        return
    past = view.history(one.id, norm.terms)
    opinion = judge(value, norm.limit, norm.planned, norm.fleet, past)
    if opinion.impossible:
        faults.unknown(one, part.suspect, f"{told}: {opinion.impossible}")
    elif opinion.bad:
        hint = f"{part.hint}; {WHAT_CHANGED}" if opinion.lost else part.hint
        faults.add(one, part.suspect, f"{told}: {'; '.join(opinion.bad)}", hint=hint)
