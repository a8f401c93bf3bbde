"""Runs side by side: what moved beyond noise, and only that."""

from __future__ import annotations

import random

import pytest

from validation.judging.history import Move, RunFound, compare, lines, moved, noise
from validation.verdict import Figure, Finding, Verdict


def one(value: float | None, verdict: Verdict = Verdict.PASS, **more: str) -> Finding:
    terms, unit = more.get("terms", "t"), more.get("unit", "Gb/s")
    figure = Figure(value, unit, terms) if value is not None else None
    return Finding(50, "bw", "n1", more.get("name", "bw:a"), verdict, figure=figure)


@pytest.mark.parametrize(
    ("old", "new", "unit", "sign"),
    [(100, 90, "Gb/s", -1), (100, 110, "Gb/s", 1), (100, 97, "Gb/s", 0), (5, 6, "us", -1),
     (5, 4, "us", 1), (0, 7, "drops", -1), (0, 0, "drops", 0), (7, 0, "drops", 1),
     (-2.0, -3.0, "dBm", -1), (-3.0, -2.0, "dBm", 1), (1e-9, 1e-6, "BER", -1)],
)  # fmt: skip
def test_which_way_a_figure_moved(old, new, unit, sign):
    share = moved(Figure(old, unit), Figure(new, unit))
    assert (share > 0) - (share < 0) == sign


def test_figures_of_other_terms_or_units_did_not_move():
    assert moved(Figure(100, "Gb/s", "a"), Figure(10, "Gb/s", "b")) == 0
    assert moved(Figure(100, "Gb/s"), Figure(10, "GB/s")) == 0
    assert moved(None, Figure(10, "GB/s")) == 0


def test_a_noisy_past_makes_a_figure_hard_to_blame():
    wild = [80.0, 90.0, 100.0, 110.0, 120.0, 85.0]
    assert noise(wild) > 0.3
    assert moved(Figure(100, "Gb/s"), Figure(85, "Gb/s"), wild) == 0
    assert moved(Figure(100, "Gb/s"), Figure(85, "Gb/s"), [100.0] * 6) < 0


def test_verdicts_weigh_more_than_figures():
    better = compare([one(90, Verdict.FAIL)], [one(90)])
    worse = compare([one(90)], [one(120, Verdict.FAIL)])
    assert [change.move for change in (*better, *worse)] == [Move.BETTER, Move.WORSE]


def test_what_was_not_asked_is_news_only_where_it_is_bad():
    assert compare([], [one(90)]) == compare([one(90)], []) == ()
    assert [change.move for change in compare([], [one(90, Verdict.FAIL)])] == [Move.NEW]
    assert [change.move for change in compare([one(9, Verdict.FAIL)], [])] == [Move.GONE]


def test_the_worst_comes_first():
    old = [one(100, name=f"bw:{n}") for n in range(3)]
    new = [one(value, name=f"bw:{n}") for n, value in enumerate((90, 50, 130))]
    assert [change.expectation for change in compare(old, new)] == ["bw:1", "bw:0", "bw:2"]


def test_two_healthy_runs_of_the_lab_show_nothing():
    noisy = random.Random(5)
    for _ in range(200):
        old, new = ([one(noisy.uniform(0.947, 0.992))] for _ in "ab")
        assert compare(old, new) == ()


def test_lines_keep_to_the_newest_terms():
    runs = [RunFound(n, "d", (one(value, terms=terms),)) for n, (value, terms) in enumerate(
        [(500, "old"), (100, "t"), (104, "t"), (90, "t")])]  # fmt: skip
    (line,) = lines(runs)
    assert (line.runs, line.last, line.usual, line.least, line.most) == (3, 90, 100, 90, 104)
    assert line.trend == pytest.approx(90 / 102 - 1)
    assert lines(runs, "all_reduce") == ()
    assert lines(runs[:1])[0].trend is None
    assert (line.terms, line.since, line.before) == ("t", 1, "old")
    assert (lines(runs[:1])[0].since, lines(runs[:1])[0].before) == (0, "")


@pytest.mark.parametrize(
    ("terms", "since", "before"),
    [
        (("A 1", "A 1", "A 2"), 3, "A 1"),
        (("A 1", "A 2", "A 1", "A 1"), 3, "A 2"),
        (("A 1", "A 2", "A 3"), 3, "A 2"),
        (("A 1", "", "A 1"), 0, ""),
        (("", "A 1", "A 1"), 0, ""),
        (("A 1", ""), 0, ""),
    ],
)
def test_a_line_says_since_when_it_is_of_this_module(terms, since, before):
    runs = [
        RunFound(n, "d", (one(-1.0, terms=said, unit="dBm"),)) for n, said in enumerate(terms, 1)
    ]
    (line,) = lines(runs)
    assert (line.since, line.before) == (since, before)
