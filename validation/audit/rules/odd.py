"""The few among many that say another thing: what most of them say is taken for what is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping

LEAST, TWO = 3, 2
_FEW_PERCENT = 34
MINORITY_PERCENT = 50


def odd(
    said: Mapping[str, Hashable], least: int = LEAST, few_percent: int = _FEW_PERCENT
) -> Iterator[tuple[str, Hashable, Hashable]]:
    """Names of the few that say another thing than all others: theirs, and the usual one.

    With `least` 2, of two that differ the second.
    """
    if len(said) < least:
        return
    counts = Counter(said.values()).most_common()
    # Of as many that say it and that do not, those that do.
    (usual, count), *others = sorted(counts, key=lambda one: (-one[1], one[0] is None))
    is_few = (len(said) - count) * 100 < len(said) * few_percent
    if others and (is_few or len(said) == least == TWO):
        yield from ((name, mine, usual) for name, mine in sorted(said.items()) if mine != usual)
