"""A leaf that only gets a node's port loses no link, and is not said to; one in use is."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from switch_configs import dialect, render
from switch_configs.changes import changes, worst
from switch_configs.idle import used
from switch_configs.intent import Impact, Rendered
from switch_configs.linux_frr.files import INTERFACES
from tests.switch_configs.sites import Mapping, small, small_with

LEAF = "leaf-p1-r0"
EOS = """\
interface Ethernet1
   description to a node
   mtu 9214
   no switchport
!
interface Ethernet2
!
interface Ethernet3
   description was a node
!
interface Ethernet4
   mtu 9214
   shutdown
"""
INTERFACES_TEXT = "auto swp1\niface swp1\n    mtu 9216\n\nauto swp2\niface swp2\n"


def more(site: Mapping) -> None:
    site["topology"]["nodes_per_pod"] += 1


@cache
def grown(name: str) -> tuple[Rendered, Rendered]:
    """A leaf before a node comes to its pod, and after."""
    return render(small(name), LEAF), render(small_with(name, more), LEAF)


def told(old: Rendered, new: Rendered) -> tuple[Impact, Impact]:
    """By sections, as a preview has them, and by the steps of a push."""
    tongue = dialect(old.dialect)
    steps = {step.impact for step in tongue.push_steps(old, new, 300)}
    return worst(changes(old, new, tongue)), max(steps, key=("none", "runtime", "link flap").index)


@pytest.mark.parametrize("name", ["eos", "linux_frr"])
def test_a_port_that_was_nobodys_flaps_no_link(name):
    old, new = grown(name)
    assert old != new
    assert told(old, new) == ("runtime", "runtime")


@pytest.mark.parametrize("name", ["eos", "linux_frr"])
def test_a_port_that_goes_takes_its_link_with_it(name):
    old, new = grown(name)
    assert told(new, old) == ("link flap", "link flap")


def test_of_nexus_the_port_alone_is_harmless_and_the_split_of_its_cage_is_not():
    old, new = grown("nxos")
    found = {one.section: one.impact for one in changes(old, new, dialect("nxos"))}
    assert found == {
        "interface breakout module 1 port 2 map 400g-2x": "link flap",
        "interface Ethernet1/2/1": "runtime",
    }
    assert told(old, new) == ("link flap", "link flap")


@pytest.mark.parametrize(
    ("before", "after", "impact"),
    [
        ("    alias to node-p1-1:rail0", "    alias to somebody", "none"),
        ("    mtu 9216", "    mtu 9000", "link flap"),
    ],
)
def test_of_a_port_in_use_the_line_counts(before, after, impact):
    """A push of Linux looks at lines, as its preview does."""
    old, _ = grown("linux_frr")
    files = tuple(
        replace(one, text=one.text.replace(before, after, 1)) if one.path == INTERFACES else one
        for one in old.files
    )
    new = replace(old, files=files)
    assert old != new
    assert told(old, new) == (impact, impact)


@pytest.mark.parametrize(
    ("text", "place", "is_used"),
    [
        (EOS, ("interface Ethernet1", "speed 400g-4"), True),
        (EOS, ("interface Ethernet2", "speed 400g-4"), False),
        (EOS, ("interface Ethernet3", "speed 400g-4"), False),
        (EOS, ("interface Ethernet4", "mtu 9000"), False),
        (EOS, ("interface Ethernet9", "speed 400g-4"), False),
        (EOS, ("no interface Ethernet1",), True),
        (EOS, ("interface breakout module 1 port 2 map 400g-2x",), True),
        (EOS, ("mlag configuration", "domain-id 2"), True),
        (EOS, (), True),
        ("", ("interface Ethernet9", "speed 400g-4"), True),
        (INTERFACES_TEXT, ("iface swp1", "mtu 9000"), True),
        (INTERFACES_TEXT, ("iface swp2", "mtu 9000"), True),
        (INTERFACES_TEXT, ("iface swp3", "mtu 9000"), False),
        (INTERFACES_TEXT, ("iface bond1", "bond-slaves swp3 swp1"), True),
        (INTERFACES_TEXT, ("iface bond1", "bond-slaves swp3 swp4"), False),
    ],
)
def test_what_a_text_says_nothing_of_is_idle_and_nothing_else(text, place, is_used):
    """Of a text that nobody has, nothing is known; of a line that names a used port, that one."""
    assert used(text).impact(place, "link flap") == ("link flap" if is_used else "runtime")
    assert used(text).impact(place, "reload") == "reload"
    assert used(text).impact(place, "none") == "none"
