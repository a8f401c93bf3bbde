"""Lines of one shape differ in their numbers alone: a run changes one of each, `--full` all."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def shape(text: str) -> str:
    """A line without its numbers: the ports of a switch say the same of each."""
    return re.sub(r"\d+", "0", text)


def sections(text: str) -> list[str]:
    """Each line of an indented text behind those that it stands below: a class of its own."""
    above: list[tuple[int, str]] = []
    found = []
    for line in text.splitlines():
        if line.strip():
            indent = len(line) - len(line.lstrip())
            above = [one for one in above if one[0] < indent]
            above.append((indent, line.strip()))
        found.append(" / ".join(one for _, one in above))
    return found


def one_of_each(items: Iterable[T], text: Callable[[T], str], rng: random.Random) -> list[T]:
    """One item of each shape, drawn by the run's seed, in the order of the items."""
    alike: dict[str, list[int]] = defaultdict(list)
    every = list(items)
    for at, one in enumerate(every):
        alike[shape(text(one))].append(at)
    return [every[at] for at in sorted(rng.choice(places) for places in alike.values())]
