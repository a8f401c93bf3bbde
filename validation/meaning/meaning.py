"""Two readings of one switch, and what their differences do to traffic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from inventory.exports.view import natural
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import without

from .beside import beside
from .form import PATHS, Meaning, Said
from .ports import ports
from .routes import routes

_SHOWN = 4


def meaning(
    before: SwitchFacts, after: SwitchFacts, unsaid: frozenset[str] = frozenset()
) -> tuple[Meaning, ...]:
    """Every difference in meaning, the lossless class first; empty where both mean the same.

    `unsaid` (as `Dialect.unsaid`) is what one of both systems never says: it is not compared.
    """
    old, new = without(before, unsaid), without(after, unsaid)
    found = [*ports(old.ports, new.ports), *routes(old, new), *beside(old, new)]
    return tuple(sorted(_together(found), key=_order))


def _order(one: Meaning) -> tuple[int, bool, str]:
    """What is of the whole switch comes after what is of its ports."""
    return PATHS.index(one.path), not one.subjects, one.what


def _together(found: Iterable[Said]) -> Iterator[Meaning]:
    """What is said alike of many ports or sessions is said once."""
    subjects: dict[Said, list[str]] = defaultdict(list)
    for one in found:
        subjects[Said("", one.what, one.effect, one.path)].append(one.subject)
    for said, named in subjects.items():
        yield Meaning(
            tuple(sorted(filter(None, named), key=natural)), said.what, said.effect, said.path
        )


def subjects_said(one: Meaning) -> str:
    """The first subjects, and how many more there are; "" for the whole switch."""
    more = len(one.subjects) - _SHOWN
    first = ", ".join(one.subjects[:_SHOWN])
    return f"{first} and {more} more" if more > 0 else first
