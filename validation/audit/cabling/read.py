"""Text of any source that lists cables to cables; the source is recognised by its content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from inventory.load.yaml_positions import parse
from validation.audit.links import Cable

from .records import of_records
from .tables import of_table
from .topologies import of_topology

Pair = tuple[tuple[str, str], tuple[str, str]]
_XLSX = "PK\x03\x04"


def cables(text: str, file: str) -> tuple[tuple[Cable, ...], tuple[str, ...]]:
    """Every cable once, sorted, and sentences on what was not understood. Never raises.

    `file` names the source; of what one switch hears by LLDP, its stem is the switch.
    """
    if text.startswith(_XLSX):
        return (), (f"{file}: a workbook: save the sheet as CSV",)
    pairs, wrong = _pairs(text.removeprefix("\ufeff"), file)
    found: dict[Pair, Cable] = {}
    used: dict[tuple[str, str], Pair] = {}
    said = list(wrong)
    for a, b in sorted({_sorted(pair) for pair in pairs}):
        clash = next((end for end in (a, b) if end in used), None)
        if clash is not None or a == b:
            said.append(f"{file}: {':'.join(clash or a)} is in two cables; the first one counts")
            continue
        used[a] = used[b] = (a, b)
        found[a, b] = Cable(a, b, file)
    if not found and not said:
        said.append(f"{file}: no cable is in it that is understood here")
    return tuple(found.values()), tuple(said)


def _pairs(text: str, file: str) -> tuple[list[Pair], list[str]]:
    switch = file.rpartition("/")[2].partition(".")[0]
    if text.lstrip()[:1] in ("{", "["):
        try:
            return _whole(of_records(json.loads(text), text, file, switch)), []
        except (ValueError, RecursionError):
            return [], [f"{file}: no JSON"]
    first = text.lstrip().partition("\n")[0]
    if not any(one in first for one in ",;\t|") or first.startswith(("---", "#")):
        value = parse(text, file).value
        if isinstance(value, dict):
            return _whole(of_topology(value, switch)), []
    pairs, wrong = of_table(text, file)
    return _whole(pairs), wrong


def _whole(pairs: Iterable[Pair]) -> list[Pair]:
    """Those whose four names are all there."""
    return [(a, b) for a, b in pairs if all((*a, *b))]


def _sorted(pair: Pair) -> Pair:
    a, b = sorted(pair)
    return a, b


def read_all(files: Iterable[tuple[str, str]]) -> tuple[tuple[Cable, ...], tuple[str, ...]]:
    """The cables of several sources, and what was not understood; of two the first one counts."""
    found: dict[Pair, Cable] = {}
    said: list[str] = []
    for text, file in files:
        mine, wrong = cables(text, file)
        said += wrong
        for one in mine:
            found.setdefault((one.a, one.b), one)
    return tuple(_apart(found.values(), said)), tuple(said)


def _apart(every: Iterable[Cable], said: list[str]) -> Iterator[Cable]:
    used: dict[tuple[str, str], Cable] = {}
    for one in every:
        other = next((used[end] for end in (one.a, one.b) if end in used), None)
        if other is None:
            used[one.a] = used[one.b] = one
            yield one
        else:
            said.append(f"{one.by} and {other.by} say otherwise of one port: {one}, {other}")
