"""The whole option space of `railbed init`: each combination is refused with a reason, or prints.

Node and switch profiles (so all dialects) x kinds x storage x business x OOB switches. Accepted
is what `check` takes and the switch systems print, one switch of each kind, proved offline. A
contradiction is whatever else happens: a site of ours that does not open, a switch that is not
rendered, a proof that does not hold.

`python -m tests.bench.init_space [COUNT] [--seed N]`; without a count all of them, on all
processors.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import get_args

from deploy.switches.printable import unprintable
from inventory import InventoryError, open_site
from inventory.load.site import known_profiles
from inventory.schema.topology import Kind
from inventory.starter import (
    ASBUILT_CSV,
    BusinessWish,
    CannotBuildError,
    Shelf,
    StorageWish,
    Wish,
    starter_text,
)

from .results import result

# Sizes and growths take turns: they change counts, and seldom what a switch is told.
_SIZES = ((1, 1.0), (2, 2.0), (5, 1.0), (9, 1.5))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one wish; `reason` is why it was refused, or what contradicts."""

    kind: str
    reason: str = ""


@cache
def shelf() -> Shelf:
    """The profiles that come with railbed."""
    return Shelf(*known_profiles(Path("/nonexistent")))


def combinations() -> list[Wish]:
    """Every combination, in an order that stays."""
    known = shelf()
    axes = product(
        sorted(name for name, one in known.nodes.items() if one.rails),
        sorted(known.switches),
        (None, *get_args(Kind)),
        get_args(StorageWish),
        get_args(BusinessWish),
        (None, True, False),
    )
    return [
        Wish("space", *_sized(at, node, switch), kind, storage, business, oob, _SIZES[at % 4][1])
        for at, (node, switch, kind, storage, business, oob) in enumerate(axes)
    ]


def _sized(at: int, node: str, switch: str) -> tuple[int, str, str]:
    return _SIZES[at % 4][0], node, switch


def judged(wish: Wish) -> Outcome:
    """Ask for it, open it, render and prove it."""
    try:
        text = starter_text(wish, shelf())
    except CannotBuildError as error:
        whole = bool(error.flag.startswith("--") and error.found and error.expected)
        return Outcome("refused" if whole else "contradiction", str(error))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "fabric.yml").write_text(text, encoding="utf-8")
        Path(folder, "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
        try:
            plan = open_site(Path(folder))
        except InventoryError as error:
            return Outcome("contradiction", f"check: {error.problems[0]}")
    wrong = next(unprintable(plan), "")
    return Outcome("contradiction", wrong) if wrong else Outcome("accepted")


def main() -> int:
    """All combinations, or a sample by a seed that is printed."""
    asked = argparse.ArgumentParser()
    asked.add_argument("count", nargs="?", type=int)
    asked.add_argument("--seed", type=int, default=1)
    said = asked.parse_args()
    every = combinations()
    if said.count:
        every = random.Random(said.seed).sample(every, min(said.count, len(every)))
        print(f"seed {said.seed}")
    with ProcessPoolExecutor() as pool:
        found = list(zip(every, pool.map(judged, every, chunksize=16), strict=True))
    for wish, one in found:
        if one.kind == "contradiction":
            print(f"{wish}: {one.reason}")
    count = Counter(one.kind for _, one in found)
    flags = Counter(one.reason.partition(":")[0] for _, one in found if one.kind == "refused")
    named = ", ".join(f"{flag} {many:,}" for flag, many in flags.most_common())
    print(f"{len(found):,} combinations tried: {count['accepted']:,} accepted,")
    print(f"{count['refused']:,} refused with a reason ({named})")
    print(result("init contradictions", count["contradiction"], "sites", 0))
    return 1 if count["contradiction"] else 0


if __name__ == "__main__":
    sys.exit(main())
