"""Readers of links, optics and switches, with every number and line of their outputs damaged.

A number that is none, and a row that is lost, never become another number, nor a pass: the answer
is unreadable, or the field says that it is not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite

import pytest

from inventory.reading.fields import Unreadable
from tests.validation.link_readings import CASES, Reading

HOSTILE = ("nan", "1e309", "", "1,5", "٣")
_TOKEN = re.compile(r"(?<![\w.+/-])[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w])")
_ROW = re.compile(r"\['[^']*'\]")
_LOST = object()
Leaves = Mapping[str, object]


def leaves(told: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every figure of a result by where it is; texts are none."""
    if is_dataclass(told) and not isinstance(told, type):
        for one in fields(told):
            yield from leaves(getattr(told, one.name), f"{path}.{one.name}")
    elif isinstance(told, Mapping):
        for key, value in told.items():
            yield from leaves(value, f"{path}[{str(key)!r}]")
    elif isinstance(told, tuple | list):
        for at, value in enumerate(told):
            yield from leaves(value, f"{path}[{at}]")
    elif isinstance(told, int | float) or told is None:
        yield path, told


@cache
def healthy(case: Reading) -> Leaves:
    found = dict(leaves(case.read(case.text)))
    assert any(isinstance(one, int | float) for one in found.values()), "it reads no number"
    return found


def read(case: Reading, text: str) -> Leaves | None:
    """None where it is unreadable; any other error is the reader's fault."""
    try:
        return dict(leaves(case.read(text)))
    except Unreadable:
        return None


def wrong(case: Reading, text: str) -> str:
    """What is told otherwise than before, and not as untold."""
    found = read(case, text)
    if found is None:
        return ""
    before = healthy(case)
    for path in {**before, **found}:
        if _renamed(path, before, found):
            continue
        now = found.get(path, _LOST)
        if now is not None and now != before.get(path, _LOST):
            return f"{path} was {before.get(path)!r} and is {now!r}"
    return ""


def _renamed(path: str, before: Leaves, found: Leaves) -> bool:
    """Whether it is of a row that one of both has not got by name: who asks for it gets nothing.

    Or of a list that is not told now.
    """
    rows = [path[: one.end()] for one in _ROW.finditer(path)]
    lacks = (row for row in rows for told in (before, found) if not _has(told, row))
    return any(lacks) or found.get(path.rpartition("[")[0], _LOST) is None


def _has(told: Leaves, row: str) -> bool:
    return any(at.startswith(row) for at in told)


def others(said: str) -> Iterator[str]:
    """Other numbers that could stand there."""
    if re.fullmatch(r"[+-]?\d+", said):
        yield from (f"{int(said) + step:0{len(said)}d}" for step in (1, -1, 2))
    else:
        value = float(said)
        yield from (f"{value * 1.5:.4g}", f"{value + 0.01:.2f}", f"{value / 2:.1e}")


def is_read(case: Reading, start: int, end: int) -> bool:
    """Whether another number there gives another figure."""
    return any(
        (found := read(case, case.text[:start] + one + case.text[end:])) is not None
        and found != healthy(case)
        for one in others(case.text[start:end])
    )


@pytest.mark.instances(keep=5)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_no_number_never_becomes_one(case: Reading) -> None:
    before = healthy(case)
    assert all(isfinite(one) for one in before.values() if isinstance(one, int | float))
    seen = 0
    for token in _TOKEN.finditer(case.text):
        start, end = token.span()
        matters = is_read(case, start, end)
        seen += matters
        for hostile in HOSTILE:
            text = case.text[:start] + hostile + case.text[end:]
            where = f"{case.text[:start].count(chr(10)) + 1}: {token[0]!r} as {hostile!r}"
            assert not (said := wrong(case, text)), f"line {where}: {said}"
            found = read(case, text)
            assert not matters or found != before, f"line {where} is not missed"
        cut = case.text[: (start + end) // 2]
        assert not (said := wrong(case, cut)), f"cut in {token[0]!r}: {said}"
    assert seen >= case.numbers, f"{seen} numbers were tried"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_row_that_is_lost_is_missed_or_says_nothing_else(case: Reading) -> None:
    lines = case.text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        said = wrong(case, "".join(lines[:at] + lines[at + 1 :]))
        assert not said, f"without {line.strip()!r}: {said}"
