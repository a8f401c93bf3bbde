"""The topics that bring expectations of a stage of their own, by stage. One line a topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from inventory.plan import Plan

from .collectives import expect as collectives
from .congestion import expect as congestion
from .expectation import Expectation
from .lossless import expect as lossless
from .optics import expect as optics
from .pairing import expect as pairing
from .pairing.matchings import Matchings
from .single import expect as single
from .soak import expect as soak
from .storage import expect as storage
from .switches import expect as switches

Topic = Callable[[Plan, frozenset[str]], Iterator[Expectation]]
_PAIRS = 50

TOPICS: tuple[tuple[int, Topic], ...] = (
    (15, optics.expectations),
    (25, switches.expectations),
    (40, lossless.expectations),
    (42, switches.wire_expectations),
    (45, single.expectations),
    (50, pairing.expectations),
    (60, congestion.expectations),
    (70, collectives.expectations),
    (75, storage.expectations),
    (80, soak.expectations),
)


def topics(matchings: Iterable[Matchings]) -> tuple[tuple[int, Topic], ...]:
    """The topics of a run that was asked for these matchings beyond its plan."""
    pairs = partial(pairing.expectations, asked=tuple(matchings))
    return tuple((stage, pairs if stage == _PAIRS else topic) for stage, topic in TOPICS)
