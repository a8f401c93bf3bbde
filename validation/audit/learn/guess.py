"""What was made out of the facts, how sure that is, and what speaks against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from inventory.schema import NodeProfile, SwitchProfile

Sure = Literal["sure", "likely", "guess"]
"""sure: several facts agree and none differs; likely: most do; guess: no fact says it."""
Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Guess:
    """A value of the proposed site, what it rests on, and the facts that contradict it."""

    path: str
    value: str
    sure: Sure
    by: str
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shelf:
    """Profiles to choose from, by name; `may_add` says whether the site may bring its own."""

    nodes: dict[str, NodeProfile]
    switches: dict[str, SwitchProfile]
    may_add: bool = True


@dataclass(slots=True)
class Notes:
    """Guesses as they are made, and what has no word in a site's files.

    `profiles` are ours but for the release: the name of ours, and the site's own.
    """

    guesses: list[Guess] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list)
    profiles: dict[str, tuple[str, SwitchProfile]] = field(default_factory=dict)

    def say(self, path: str, value: object, sure: Sure, by: str, *against: str) -> None:
        """Keep one guess."""
        self.guesses.append(Guess(path, str(value), sure, by, against))

    def most(
        self, path: str, seen: Iterable[tuple[str, Value | None]], default: Value, by: str
    ) -> Value:
        """What most of them say, `default` where none says anything; the others contradict."""
        said = [(who, value) for who, value in seen if value is not None]
        if not said:
            self.say(path, default, "guess", "no configuration says it")
            return default
        value, count = Counter(value for _, value in said).most_common(1)[0]
        against = tuple(f"{who} has {other}" for who, other in said if other != value)
        sure: Sure = "sure" if count == len(said) else "likely"
        self.say(path, value, sure, f"{by}, {count} of {len(said)}", *against)
        return value
