"""Readers of what servers' own tools print, on captured output."""

from __future__ import annotations

import pytest

from inventory.reading.fields import Unreadable
from validation.parse.host.node_tools import (
    UNLIMITED,
    failed_units,
    limit_bytes,
    most_locked_bytes,
)
from validation.parse.host.policy import Hop, Rule, rules, tables

# Captured: iproute2 6.1 on a node with two rails.
RULES = (
    '[{"priority":0,"src":"all","table":"local"},'
    '{"priority":1010,"src":"10.16.128.1","table":"101","protocol":"static"},'
    '{"priority":1000,"src":"10.16.0.0","srclen":31,"table":"100"},'
    '{"priority":32766,"src":"all","table":"main"}]'
)
ROUTES = (
    '[{"dst":"10.16.0.0/16","gateway":"10.16.0.0","dev":"rail0","table":"100",'
    '"protocol":"static","flags":[]},'
    '{"dst":"10.16.0.0/31","dev":"rail0","protocol":"kernel","scope":"link",'
    '"prefsrc":"10.16.0.1","flags":[]},'
    '{"type":"local","dst":"10.16.0.1","dev":"rail0","table":"local","protocol":"kernel",'
    '"scope":"host","prefsrc":"10.16.0.1","flags":[]}]'
)
FIRST = """\
Name:\tsystemd
CapEff:\t{cap}
Limit                     Soft Limit           Hard Limit           Units
Max locked memory         8388608              {hard:<20} bytes
Max processes             95803                95803                processes
"""


def test_rules_come_in_the_kernels_order():
    assert rules(RULES) == (
        Rule(0, "all", "local"),
        Rule(1000, "10.16.0.0/31", "100"),
        Rule(1010, "10.16.128.1", "101"),
        Rule(32766, "all", "main"),
    )


def test_routes_without_a_table_are_of_the_main_one():
    found = tables(ROUTES)
    assert found["100", "10.16.0.0/16"] == Hop("10.16.0.0", "rail0")
    assert found["main", "10.16.0.0/31"] == Hop("", "rail0")


@pytest.mark.parametrize("reader", [rules, tables])
@pytest.mark.parametrize("text", ["", "{}", '[{"dev": "rail0"}]', "RTNETLINK answers: no"])
def test_what_is_no_answer_is_unreadable(reader, text):
    with pytest.raises(Unreadable):
        reader(text)


@pytest.mark.parametrize("word", ["nan", "-1", "1e309", "1,5", "0x10", "unlimite", "9" * 21])
def test_what_is_no_limit_is_unreadable(word):
    for text in (word, f"DefaultLimitMEMLOCK={word}"):
        with pytest.raises(Unreadable):
            limit_bytes(text, 1024)
    with pytest.raises(Unreadable):
        most_locked_bytes(FIRST.format(cap="00000000fcecbfff", hard=word))
    with pytest.raises(Unreadable):
        most_locked_bytes(FIRST.format(cap=f"{word}z", hard="unlimited"))


def test_failed_units_are_the_first_words():
    text = "nginx.service loaded failed failed A web server\na.mount loaded failed failed\n"
    assert failed_units(text) == ("a.mount", "nginx.service")
    assert failed_units("") == ()
    # With --no-legend systemctl(1) prints a line a unit, and nothing below them.
    with pytest.raises(Unreadable):
        failed_units(f"{text}\n")


def test_limits_have_units():
    assert limit_bytes("8192\n", 1024) == 8 << 20
    assert limit_bytes("unlimited\n", 1024) == UNLIMITED
    assert limit_bytes("DefaultLimitMEMLOCK=infinity\n", 1) == UNLIMITED
    with pytest.raises(Unreadable):
        limit_bytes("DefaultLimitMEMLOCK=\n", 1)


def test_only_a_first_process_that_may_not_raise_limits_bounds_them():
    assert most_locked_bytes(FIRST.format(cap="000001ffffffffff", hard=8388608)) == UNLIMITED
    assert most_locked_bytes(FIRST.format(cap="00000000fcecbfff", hard=8388608)) == 8 << 20
    assert most_locked_bytes(FIRST.format(cap="00000000fcecbfff", hard="unlimited")) == UNLIMITED
    with pytest.raises(Unreadable):
        most_locked_bytes("Name:\tsystemd\n")
