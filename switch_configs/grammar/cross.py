"""What a device refuses at parse time across lines: names, features, sums and orders of values."""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from .tree import GrammarProblem, Seen

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
    """A line, or a block, that stands twice in one place: a running configuration has it once."""
    first: dict[tuple[int, str], int] = {}
    for line in seen:
        key = (line.blocks[-1] if line.blocks else 0, line.text)
        if key in first:
            what = "block" if line.match.command and line.match.command.opens else "line"
            yield line.refused(f"this {what} is already in line {first[key]}")
        first.setdefault(key, line.line)


def after_end(seen: Sequence[Seen]) -> Problems:
    """Lines behind `end`, which leaves the configuration mode."""
    ends = [line.line for line in seen if line.text == "end"]
    for line in seen:
        if ends and line.line > ends[0]:
            yield line.refused(f"stands behind the `end` of line {ends[0]}")


def vrf_after_address(seen: Sequence[Seen]) -> Problems:
    """A VRF below an address of its interface: setting it removes the addresses above."""
    addressed: set[int] = set()
    for line in seen:
        block = line.blocks[-1] if line.blocks else 0
        if line.text.startswith(("ip address ", "ipv6 address ")):
            addressed.add(block)
        elif line.text.startswith("vrf ") and block in addressed:
            yield line.refused("removes the addresses above it")


@dataclass(frozen=True, order=True)
class Addressed:
    """A network that an interface (the line of its block) has in a VRF."""

    vrf: str
    first: int
    last: int
    block: int
    line: int


def networks(seen: Sequence[Seen]) -> Iterator[Addressed]:
    """The IPv4 networks of all interfaces."""
    vrfs = {line.blocks[-1]: line.words[-1] for line in seen if line.blocks and is_vrf(line)}
    for line in seen:
        if not (line.blocks and line.text.startswith("ip address ")):
            continue
        texts = (word for word in line.words if re.fullmatch(r"[\d.]+/\d+", word))
        for text in texts:
            net, block = ipaddress.IPv4Network(text, strict=False), line.blocks[-1]
            first, last = int(net.network_address), int(net.broadcast_address)
            yield Addressed(vrfs.get(block, ""), first, last, block, line.line)


def is_vrf(line: Seen) -> bool:
    """Whether a line puts its interface into a VRF."""
    return line.text.startswith("vrf ") and len(line.words) <= 3


def overlapping(seen: Sequence[Seen]) -> Problems:
    """An address whose network overlaps with one of another interface in the same VRF."""
    by_line = {line.line: line for line in seen}
    widest: Addressed | None = None
    for addressed in sorted(networks(seen)):
        inside = widest and widest.vrf == addressed.vrf and addressed.first <= widest.last
        if widest and inside and addressed.block != widest.block:
            late, early = sorted((addressed.line, widest.line), reverse=True)
            yield by_line[late].refused(f"overlaps with the address of line {early}")
        if widest is None or widest.vrf != addressed.vrf or addressed.last > widest.last:
            widest = addressed


def without_feature(seen: Sequence[Seen], always: AbstractSet[str]) -> Problems:
    """Commands that stand before, or without, the `feature` that teaches them to the parser."""
    enabled = set(always)
    for line in seen:
        if line.text.startswith("feature "):
            enabled.add(line.text.removeprefix("feature "))
        elif line.text.startswith("no feature "):
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


def in_any_dialect(seen: Sequence[Seen]) -> Problems:
    """What both systems refuse across lines."""
    yield from repeated(seen)
    yield from after_end(seen)
    yield from vrf_after_address(seen)
    yield from overlapping(seen)
    yield from sums_over_100(seen, "bandwidth percent", 2)
    yield from thresholds_in_order(seen)
    yield from prefix_lengths_in_order(seen)
