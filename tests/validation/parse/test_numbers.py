"""Numbers of parsers: every field is declared, and what it cannot be is refused."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import COUNTER_MOST, Real, Whole, count
from validation import counters, parse, routing
from validation.stages import s40_lossless_mtu, s45_single_node

PACKAGES = (parse, counters, routing, s40_lossless_mtu, s45_single_node)
MODULES = sorted(
    one.name
    for package in PACKAGES
    for one in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if one.name != "inventory.reading.numbers"
)
HOSTILE = (
    *(
        "",
        " ",
        "nan",
        "-nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "1e309",
        "-1e309",
        "1,5",
        "1.",
        ".",
    ),
    *(
        "1_0",
        "٣",
        "0x",
        "--1",
        "1e",
        "1 2",
        "1%",
        "N/A",
        "9" * 41,
        "-99999999999999999999",
        "1\x001",
    ),
)

HEXADECIMAL = re.compile("[0-9a-f]+")  # `1e309` is a number of base 16


def declared() -> list[tuple[str, Real | Whole]]:
    """Every declaration in a parser's module, also those in a mapping or a tuple."""
    found: list[tuple[str, Real | Whole]] = []
    for name in MODULES:
        module = importlib.import_module(name)
        for key, value in sorted(vars(module).items()):
            found += [(f"{name}.{key}", one) for one in _of(value)]
    return found


def _of(value: object) -> list[Real | Whole]:
    if isinstance(value, Real | Whole):
        return [value]
    held = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | tuple | list):
        return [one for part in held for one in _of(part)]  # type: ignore[attr-defined]
    return []


@pytest.mark.parametrize("said", HOSTILE)
def test_what_is_no_number_is_read_as_none_of_any_field(said: str) -> None:
    for name, kind in declared():
        if said.strip() in (*kind.words, *kind.untold):
            continue
        if not (isinstance(kind, Whole) and kind.base == 16 and HEXADECIMAL.fullmatch(said)):
            with pytest.raises(Unreadable):
                pytest.fail(f"{name} read {said!r} as {kind.read(said)!r}")


@given(st.floats(allow_nan=True) | st.integers())
def test_a_json_value_outside_the_range_is_refused(value: float) -> None:
    for name, kind in (
        ("power", Real("power", "dBm", -60, 20)),
        ("lane", Whole("lane", "1", 1, 8)),
    ):
        inside = kind.least <= value <= kind.most
        if inside and (isinstance(kind, Real) or isinstance(value, int)):
            assert kind.of({"a": value}, "a", name) == value
        else:
            with pytest.raises(Unreadable):
                kind.of({"a": value}, "a", name)


@pytest.mark.parametrize("value", [None, True, "3", [3], {}, 10**400])
def test_a_json_value_of_another_kind_is_refused(value: object) -> None:
    for kind in (Real("power", "dBm", -60, 20), count("frames")):
        with pytest.raises(Unreadable):
            kind.of({"a": value}, "a", "the answer")


def test_words_stand_for_values_and_untold_for_none() -> None:
    power = Real("power", "dBm", -60, 20, {"-inf": -40.0}, frozenset({"N/A"}))
    assert (power.read("-inf"), power.read("-0.34"), power.maybe("N/A")) == (-40.0, -0.34, None)
    with pytest.raises(Unreadable):
        power.read("N/A")
    assert Whole("mask", "1", 0, 255, base=16).read("0xfF") == 255
    assert count("bytes").read(str(COUNTER_MOST)) == COUNTER_MOST
