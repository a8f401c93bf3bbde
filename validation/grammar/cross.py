"""What a device refuses at parse time across lines: names, features, sums and orders of values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from validation.grammar.tree import GrammarProblem, Seen

Problems = Iterator[GrammarProblem]
UNIT_BYTES = {"bytes": 1, "kbytes": 1000, "mbytes": 1000000}


def spread(name: str) -> Iterator[str]:
    """The names in a list as `1,3-5`; any other name is itself."""
    for part in name.split(","):
        first, dash, last = part.partition("-")
        if dash and first.isdigit() and last.isdigit():
            yield from (str(number) for number in range(int(first), int(last) + 1))
        yield part


def undefined(seen: Sequence[Seen], known: Mapping[str, AbstractSet[str]]) -> Problems:
    """References to things that no line defines; `known` are those that the system brings."""
    defined: dict[str, set[str]] = defaultdict(set)
    for kind, names in known.items():
        defined[kind] |= names
    for line in seen:
        for named in line.match.names:
            if named.role == "=":
                defined[named.kind].update(spread(named.name))
    for line in seen:
        for named in line.match.names:
            if named.role == "@" and named.name not in defined[named.kind]:
                yield line.refused(f"no {named.kind} is named {named.name!r}")


def repeated(seen: Sequence[Seen]) -> Problems:
    """A block that is opened twice in the same place: a running configuration has it once."""
    first: dict[tuple[int, str], int] = {}
    for line in seen:
        if line.match.command and line.match.command.opens:
            key = (line.blocks[-1] if line.blocks else 0, line.text)
            if key in first:
                yield line.refused(f"this block is already in line {first[key]}")
            first.setdefault(key, line.line)


def without_feature(seen: Sequence[Seen], always: AbstractSet[str]) -> Problems:
    """Commands that stand before, or without, the `feature` that teaches them to the parser."""
    enabled = set(always)
    for line in seen:
        if line.words[0] == "feature":
            enabled.add(line.text.removeprefix("feature "))
        elif line.words[:2] == ["no", "feature"]:
            enabled.discard(line.text.removeprefix("no feature "))
        needs = line.match.command.needs if line.match.command else ""
        if needs and needs not in enabled:
            yield line.refused(f"needs `feature {needs}` above it")


def sums_over_100(seen: Sequence[Seen], command: str, level: int) -> Problems:
    """Shares (`command` PERCENT) that sum to more than 100 in the block `level` levels up."""
    sums: dict[tuple[int, str], int] = defaultdict(int)
    openers = {line.line: line for line in seen}
    for line in seen:
        if not line.text.startswith(f"{command} ") or len(line.blocks) < level:
            continue
        queue = openers[line.blocks[-1]].words[0]
        key = (line.blocks[-level], queue)
        sums[key] += int(line.words[-1])
        if sums[key] > 100:
            yield line.refused(f"`{command}` sums to {sums[key]} in its policy")


def value_after(words: list[str], key: str) -> float | None:
    """The number behind a keyword of a line."""
    if key in words[:-1] and re.fullmatch(r"[\d.]+", words[words.index(key) + 1]):
        return float(words[words.index(key) + 1])
    return None


def threshold(words: list[str], key: str) -> tuple[float, str] | None:
    """A threshold in bytes, or in its own unit where that is no number of bytes."""
    value = value_after(words, key)
    unit = words[words.index(key) + 2] if value is not None else ""
    if value is None:
        return None
    return (value * UNIT_BYTES[unit], "bytes") if unit in UNIT_BYTES else (value, unit)


def thresholds_in_order(seen: Sequence[Seen]) -> Problems:
    """A minimum threshold above its maximum, or in a unit that cannot be compared with it."""
    for line in seen:
        if not line.text.startswith("random-detect "):
            continue
        low = threshold(line.words, "minimum-threshold")
        high = threshold(line.words, "maximum-threshold")
        if low and high and (low[1] != high[1] or low[0] > high[0]):
            yield line.refused("minimum-threshold is above maximum-threshold")


def prefix_lengths_in_order(seen: Sequence[Seen]) -> Problems:
    """Prefix list entries: PREFIX length <= ge <= le, and eq not below the length."""
    for line in seen:
        if "prefix-list" not in line.text and not line.text.startswith("seq "):
            continue
        prefix = next((word for word in line.words if re.fullmatch(r"[\d.]+/\d+", word)), None)
        if prefix is None:
            continue
        bounds = [float(prefix.rpartition("/")[2])]
        bounds += [
            value
            for key in ("eq", "ge", "le")
            if (value := value_after(line.words, key)) is not None
        ]
        if bounds != sorted(bounds):
            yield line.refused("lengths must rise: prefix, ge or eq, le")
