"""No declared number is left untried: its reader gets a text with another word in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole
from tests.plugins.needs import samples_folder
from tests.validation import link_readings
from tests.validation.number_places import PLACES, Place

from . import test_number_tokens_host, test_number_tokens_loads
from .test_numbers import declared

_WORDS = (
    "nan",
    "1e309",
    "",
    "1,5",
    "\u0663",
    "9" * 5000,
    "0x",
    "-99999999999",
    "1_0",
    "[" * 100_000,
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_another_word_in_the_place_of_a_number_is_no_number(place: Place) -> None:
    """Unreadable each: any other error is the reader's fault."""
    place.read(place.text)
    for word in _WORDS:
        with pytest.raises(Unreadable):
            pytest.fail(f"{place.name} with {word[:20]!r} says {place.read(place.put(word))!r}")


def _tried() -> Iterator[tuple[Callable[[str], object], str]]:
    """Every reader with the text in which its numbers are replaced by no numbers."""
    yield from ((one.read, one.text) for one in test_number_tokens_host.CASES)
    yield from ((one.read, one.text) for one in link_readings.CASES)
    yield from ((one.read, one.text) for one in PLACES)
    for case in test_number_tokens_loads.CASES:
        text = case.whole(samples_folder())
        if text is not None:
            yield case.read, text


def test_every_declared_number_is_tried_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new declaration needs a case: of these lists, or a place of its own."""
    reached: set[int] = set()

    def noting(kind: type, name: str) -> None:
        plain = getattr(kind, name)

        def noted(self: object, *said: object) -> object:
            reached.add(id(self))
            return plain(self, *said)

        monkeypatch.setattr(kind, name, noted)

    for kind in (Real, Whole):
        for name in ("read", "of"):
            noting(kind, name)
    for read, text in _tried():
        read(text)
    assert not sorted({name for name, kind in declared() if id(kind) not in reached})
