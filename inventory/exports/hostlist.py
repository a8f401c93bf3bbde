"""Slurm's hostlists: `node-p1-[1-16,20]` for many names of one form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

_NUMBERED = re.compile(r"(.*?)(\d+)")


def hostlist(names: Iterable[str]) -> str:
    """Names as one expression, sorted; only the last number of a name is folded.

    Zeros in front are part of a name: a range keeps their width, as Slurm's does (hostlist in
    slurm.conf(5)), and numbers of another width stand apart.
    """
    plain: list[str] = []
    numbers: dict[tuple[str, int], list[int]] = defaultdict(list)
    padded = _padded_stems(names := sorted(set(names)))
    for name in names:
        found = _NUMBERED.fullmatch(name)
        if found is None:
            plain.append(name)
            continue
        stem, digits = found.groups()
        numbers[stem, len(digits) if stem in padded else 0].append(int(digits))
    folded = [_fold(stem, width, sorted(them)) for (stem, width), them in sorted(numbers.items())]
    return ",".join([*plain, *folded])


def _padded_stems(names: list[str]) -> set[str]:
    found = filter(None, map(_NUMBERED.fullmatch, names))
    return {match[1] for match in found if match[2].startswith("0") and match[2] != "0"}


def _fold(stem: str, width: int, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{stem}{numbers[0]:0{width}d}"
    breaks = [at for at, (a, b) in enumerate(pairwise(numbers), start=1) if b != a + 1]
    edges = [0, *breaks, len(numbers)]
    runs = [(numbers[start], numbers[end - 1]) for start, end in pairwise(edges)]
    return f"{stem}[{','.join(_run(a, b, width) for a, b in runs)}]"


def _run(first: int, last: int, width: int) -> str:
    low, high = f"{first:0{width}d}", f"{last:0{width}d}"
    return low if first == last else f"{low}-{high}"
