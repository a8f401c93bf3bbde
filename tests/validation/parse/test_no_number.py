"""NaN and Infinity are no measurement, wherever they come from."""

from __future__ import annotations

from math import inf, nan

import pytest

from inventory.reading.fields import Unreadable, document
from inventory.reading.numbers import Real
from validation.judging.limits import Limit, judge

LIMIT = Limit("a test", least=0.8, most=1.0)


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_it_is_never_within_a_limit(value):
    assert judge(value, LIMIT, planned=100.0).impossible
    assert judge(value, LIMIT).impossible
    assert judge(90.0, LIMIT, planned=100.0).good


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": Infinity}', "[-Infinity]"])
def test_it_is_no_json(text):
    with pytest.raises(Unreadable, match="printed no JSON"):
        document(text, "tool")


def test_a_number_too_large_for_a_float_is_none_of_json():
    said = document('{"rate": 1e999}', "fio")
    assert isinstance(said, dict)
    assert said["rate"] == inf
    with pytest.raises(Unreadable):
        Real("rate", "B/s", 0, 1e300).of(said, "rate", "fio")
