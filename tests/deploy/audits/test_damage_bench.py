"""The bench of damages, a little of it: no traceback, no clean bill."""

from __future__ import annotations

import random
from collections import Counter

from tests.bench.audit_damage import Tried, changed, sites, trial
from tests.bench.audit_damages import CARRIERS, TEXT_DAMAGES


def test_no_damage_is_called_good_or_ends_in_a_traceback(tmp_path):
    tried, draw = Tried(Counter(), [], [], Counter()), random.Random(5)
    every = sites()
    for number in range(60):
        trial(every[number % len(every)], draw, tmp_path, tried)
    assert (tried.tracebacks, tried.clean) == ([], [])
    assert tried.by.total() == 60


def test_damages_are_some():
    draw, data = random.Random(1), b"a b\nc d\ne f\n" * 9
    for damage in TEXT_DAMAGES:
        assert any(damage(data, b"x\ny\n", draw) != data for _ in range(20)), damage
    assert len(set(CARRIERS)) == 7


def test_what_changed_is_seen():
    facts = next(iter(sites()[0].facts.values()))
    assert changed(facts, facts) == ""
    assert changed(facts, None) == "the switch is missing"
