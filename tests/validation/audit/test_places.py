"""A finding points at the line of the fact, in each system, also through names."""

from __future__ import annotations

from functools import cache

import pytest

from switch_configs import render
from tests.switch_configs.sites import small
from validation.audit.audit import Audit, audit
from validation.audit.outline import Outline


@cache
def site(system: str) -> dict[str, dict[str, str]]:
    """The compute plane of a small site in one system."""
    plan = small(system)
    mine = [name for name in plan.switch if name.startswith(("leaf", "spine", "superspine"))]
    return {name: {file.path: file.text for file in render(plan, name).files} for name in mine}


# What is typed, and the rule that finds it; "" is the first leaf. The new words are in the line.
TYPED = [
    ("sonic", '/20": {', '/19": {', "odd-switch", "/19"),
    ("sonic", '_packet_percentage": "100"', '_packet_percentage": "99"', "odd-switch", "99"),
    ("sonic", "Ethernet32 route-map up-out", "Ethernet32 route-map down-out", "odd-session", "32"),
    ("sonic", '"mtu": "9216"', '"mtu": "4000"', "mtu-ends", "4000"),
    ("sonic", '"speed": "800000"', '"speed": "100000"', "rate-ends", "100000"),
    ("sonic", '"fec": "rs"', '"fec": "none"', "fec-ends", "none"),
    ("sonic", '"26": "3"', '"26": "0"', "pfc-without-class", "pfc_enable"),
    ("sonic", '_min_threshold": "', '_min_threshold": "9', "ecn-order", '_threshold": "'),
    ("sonic", '"restoration_time": "400"', '"restoration_time": "50"', "watchdog-times", "50"),
    ("sonic", '"action": "drop"', '"action": "alert"', "watchdog-action", "alert"),
    ("sonic", " timers 3 9", " timers 3 5", "bgp-timers", "3 5"),
    ("eos", "mtu 9214", "mtu 4000", "mtu-ends", "4000"),
    ("eos", "max-mark-probability 5", "max-mark-probability 0", "ecn-probability", "0"),
    ("eos", "no-drop", "drop", "pfc-ends", "priority-flow-control"),
    ("eos", "timers 3 9", "timers 3 5", "bgp-timers", "3 5"),
    (
        "eos",
        "bandwidth percent 50\n      random",
        "bandwidth percent 1\n      random",
        "lossless-starved",
        "1",
    ),
    ("eos", "recovery-time 0.4", "recovery-time 0.05", "watchdog-times", "0.05"),
    ("nxos", "timers 3 9", "timers 3 5", "bgp-timers", "3 5"),
    ("nxos", "match dscp 26", "match dscp 0,26", "best-effort-lossless", "0,26"),
    ("nxos", "bfd interval 300 min_rx 300", "bfd interval 50 min_rx 50", "bfd-timer-ends", "50"),
    ("nxos", "mtu 9216", "mtu 4000", "mtu-ends", "4000"),
    ("cumulus", "mtu: 9216", "mtu: 4000", "mtu-ends", "4000"),
    ("cumulus", "hold: 9", "hold: 5", "bgp-timers", "5"),
    ("cumulus", "cable-length: 30", "cable-length: 3", "odd-switch", "cable-length: 3"),
    ("cumulus", "fec: rs", "fec: 'off'", "fec-off", "off"),
    ("linux_frr", "timers 3 9", "timers 3 5", "bgp-timers", "3 5"),
    ("linux_frr", "mtu 9216", "mtu 4000", "mtu-ends", "4000"),
]


@pytest.mark.parametrize(("system", "old", "new", "rule", "line"), TYPED)
def test_the_place_is_the_line_that_says_it(system, old, new, rule, line):
    texts = site(system)
    name = next(name for name in texts if any(old in text for text in texts[name].values()))
    spoilt = {path: text.replace(old, new) for path, text in texts[name].items()}
    found = audit({**texts, name: spoilt})
    mine = [one for one in found.problems if one.rule == rule and name in one.subject + one.found]
    assert mine, {one.rule for one in found.problems}
    shown = {spot: text for one in mine for spot in one.lines if (text := said(found, spot))}
    assert any(line in text for text in shown.values()), shown


def said(found: Audit, spot: str) -> str:
    """The text of a place."""
    file, _, number = spot.rpartition(":")
    texts = {path: text for box in found.network.boxes for path, text in box.texts.items()}
    return texts[file].splitlines()[int(number) - 1]


def test_names_are_followed_and_loops_end():
    text = "interface a\n  policy p\npolicy p\n  class c\nclass c\n  match dscp 26\n  policy p\n"
    outline = Outline({"x": text})
    assert outline.speaks("a", ["match dscp"]) == ["x:6"]
    assert outline.speaks("a", ["match dscp"], follow=False) == []
    assert outline.head("p") == "x:3"


def test_spans_of_ports_and_commands_of_one_line_are_read():
    outline = Outline(
        {"x": "nv set interface swp1-8 link mtu 9216\nnv set interface swp9 link mtu 1\n"}
    )
    assert outline.speaks("swp4", ["link mtu"]) == ["x:1"]
    assert outline.speaks("swp9", ["link mtu"]) == ["x:2"]


@pytest.mark.parametrize(
    "text", ["", "\n" * 50, "  " * 9000 + "x", "{" * 3000, "\t".join("ab" * 999)]
)
def test_any_text_has_an_outline(text):
    outline = Outline({"x": text})
    assert isinstance(outline.speaks("x", ["mtu"]), list)


def test_a_deep_text_is_no_traceback():
    text = "\n".join(" " * depth + "mtu" for depth in range(3000))
    assert Outline({"x": text}).speaks("", ["mtu"])[0] == "x:1"
