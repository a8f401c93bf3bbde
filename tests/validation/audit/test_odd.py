"""Of many that should be alike, the few that are not are named, and no half of them."""

from __future__ import annotations

import pytest

from validation.audit.rules.odd import MINORITY_PERCENT, TWO, odd


@pytest.mark.parametrize(
    ("said", "most", "names"),
    [
        ("aaab", 34, [3]), ("aab", 34, [2]), ("aaabb", 34, []), ("aaabb", MINORITY_PERCENT, [3, 4]),
        ("aabb", MINORITY_PERCENT, []), ("a" * 26 + "b" * 25, MINORITY_PERCENT, [*range(26, 51)]),
        ("ab", MINORITY_PERCENT, []), ("aaaa", 34, []),
    ],
)  # fmt: skip
def test_the_few_are_odd(said, most, names):
    values = {str(at): one for at, one in enumerate(said)}
    found = [*odd(values, few_percent=most)]
    assert [int(name) for name, *_ in found] == names
    assert all((mine, usual) == ("b", "a") for _, mine, usual in found)


def test_of_two_the_one_that_lacks_it_is_odd_where_two_are_enough():
    assert [*odd({"x": None, "y": "a"}, TWO)] == [("x", None, "a")]
