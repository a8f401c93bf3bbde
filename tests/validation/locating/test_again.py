"""A flow that was slow runs again: chance, or not, or once more."""

from __future__ import annotations

import pytest

from validation.locating.again import Again
from validation.pairing.loads import terms_of


@pytest.mark.parametrize(
    ("good", "bad", "allowed", "was_chance", "is_open"),
    [
        (0, 0, 0, False, True),
        (1, 0, 0, False, True),
        (2, 0, 0, True, False),
        (5, 1, 0, False, False),
        (2, 0, 1, True, False),
        (2, 1, 1, False, True),
        (3, 1, 1, False, True),
        (4, 1, 1, True, False),
        (9, 2, 1, False, False),
    ],
)
def test_good_ones_must_outweigh_slow_ones(good, bad, allowed, was_chance, is_open):
    found = Again(good, bad, allowed)
    assert (found.was_chance, found.is_open) == (was_chance, is_open)


def test_a_nic_that_moves_its_data_by_itself_is_slow_again_for_a_reason():
    assert terms_of("ib_write_bw").slow_again == 0
    assert terms_of("iperf3").slow_again == terms_of("soft_roce").slow_again == 1
