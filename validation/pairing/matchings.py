"""Random matchings that a run was asked for beyond its plan: NIC pairs across leaves. Pure.

They meet other neighbours than the planned rounds, so they find what only some pairs show. What was
asked lies with the evidence: in its list of what the run was asked, and in the name of every frame,
so one frame that is left still tells of all that should be there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from inventory.plan import Plan
from validation.evidence.store import EvidenceError, EvidenceStore

from .ground import Same
from .loads import LoadProbe
from .schedule import Round, flows, runs_with
from .top_up import random_matching

MOST = 64
_FIRST_NUMBER = 500  # numbers of rounds, which name ports: beyond those of top-ups
_NAME = re.compile(r"\bmatching-(\d+)-of-(\d+)-seed-(\d+)\b")
_WORDS = re.compile(r"(\d+) random matchings from seed (\d+)")
Named = tuple[str, tuple[LoadProbe, ...]]


@dataclass(frozen=True, slots=True, order=True)
class Matchings:
    """So many, drawn from one seed: the same plan and the same seed, the same pairs."""

    count: int
    seed: int

    @property
    def words(self) -> str:
        """As evidence keeps it, and as people are told."""
        return f"{self.count} random matchings from seed {self.seed}"

    @property
    def again(self) -> str:
        """The options that ask for the same pairs."""
        return f"--matchings {self.count} --seed {self.seed}"

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each round: in its flows' ids, and in the frames of its counters."""
        return tuple(
            f"matching-{number}-of-{self.count}-seed-{self.seed}"
            for number in range(1, self.count + 1)
        )


def rounds(plan: Plan, configured: frozenset[str], asked: Iterable[Matchings]) -> Iterator[Named]:
    """Each round's name and flows, as far as they can run once `configured` is in place.

    Drawn for the whole plan, so that nobody who is missing changes who meets whom.
    """
    runs = runs_with(plan, configured)
    for matchings in sorted(set(asked)):
        for number, name in enumerate(matchings.names, 1):
            made = (
                replace(flow, id=f"{name}:{flow.id}")
                for pair in _pairs(Same(plan), f"{matchings.seed}.{number}")
                if runs(pair)
                for flow in flows(plan, pair, _FIRST_NUMBER + number - 1)
            )
            yield name, tuple(sorted(made, key=_id))


@lru_cache(maxsize=2 * MOST)
def _pairs(same: Same, draw: str) -> Round:
    return random_matching(same.plan, frozenset(same.plan.devices), draw)


def _id(flow: LoadProbe) -> str:
    return flow.id


def asked_in(store: EvidenceStore) -> tuple[Matchings, ...]:
    """What the run of this evidence was asked, by its list and by every frame that is there.

    Raises EvidenceError where the list holds something that this release does not know.
    """
    found = set(asked_by(frame.command for frame in store))
    for words in store.asked:
        if words.startswith("soak "):  # stage 80 reads these
            continue
        match = _WORDS.fullmatch(words)
        if match is None:
            raise EvidenceError(f"the run was asked {words!r}, which this release does not know")
        found.add(Matchings(int(match[1]), int(match[2])))
    if many := [matchings for matchings in found if not 1 <= matchings.count <= MOST]:
        raise EvidenceError(f"the run was asked {many[0].words}, and {MOST} are the most")
    return tuple(sorted(found))


def asked_by(texts: Iterable[str]) -> Iterator[Matchings]:
    """The matchings that names of frames or expectations are of."""
    for match in filter(None, map(_NAME.search, texts)):
        yield Matchings(int(match[2]), int(match[3]))
