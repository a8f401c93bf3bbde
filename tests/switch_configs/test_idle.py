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
OURS = "interface Management1\n   description a: written by railbed, a change made here is lost\n"
CAGES = f"""{OURS}interface Ethernet2/5
   speed 400g-4
!
interface Ethernet3/1
   speed 800g-8
   shutdown
"""
NXOS = """\
interface Ethernet1/1
interface Ethernet1/2
  shutdown
interface Ethernet1/3
  description a BMC
interface Ethernet1/4
  switchport access vlan 3
"""
SHUT = f"system default switchport shutdown\n{NXOS}"
INTERFACES_TEXT = "auto swp1\niface swp1\n    mtu 9216\n\nauto swp2\niface swp2\n"


def more(site: Mapping) -> None:
    site["topology"]["nodes_per_pod"] += 1


def whole(site: Mapping) -> None:
    site["topology"]["nodes_per_pod"] = 4


def without_its_third(site: Mapping) -> None:
    whole(site)
    site["topology"]["absent"] = ["node-p1-3"]


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


@pytest.mark.parametrize(
    ("name", "impact"), [("eos", "link flap"), ("nxos", "runtime"), ("linux_frr", "runtime")]
)
def test_where_a_rate_splits_a_cage_its_other_half_is_in_it_too(name, impact):
    """The fourth node has the half of a cage on which the third one comes."""
    old, new = (render(small_with(name, one), LEAF) for one in (without_its_third, whole))
    assert told(old, new) == (impact, impact)


@pytest.mark.parametrize("name", ["eos", "nxos"])
def test_ports_of_a_switch_that_somebody_else_set_up_may_carry_what_nobody_wrote(name):
    """A first push of one that says nothing of its ports: each may be up, in VLAN 1."""
    plan = small(name)
    for device in (LEAF, *list(plan.oob_switch)[:1]):
        new = render(plan, device)
        held = "service routing protocols model multi-agent\n"
        old = replace(new, files=tuple(replace(file, text=held) for file in new.files))
        found = changes(old, new, dialect(name))
        ports = [one for one in found if one.section.startswith("interface Ethernet")]
        assert ports
        assert {one.impact for one in ports} == {"link flap"}
        assert "link flap" in {step.impact for step in dialect(name).push_steps(old, new, 300)}


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
        (EOS, ("interface Ethernet1", "mtu 9000"), True),
        (EOS, ("interface Ethernet2", "mtu 9000"), True),
        (EOS, ("interface Ethernet3", "mtu 9000"), True),
        (EOS, ("interface Ethernet4", "mtu 9000"), False),
        (EOS, ("interface Ethernet9", "mtu 9000"), True),
        (OURS + EOS, ("interface Ethernet1", "mtu 9000"), True),
        (OURS + EOS, ("interface Ethernet2", "mtu 9000"), False),
        (OURS + EOS, ("interface Ethernet3", "speed 25g"), False),
        (OURS + EOS, ("interface Ethernet9", "speed 25g"), False),
        (OURS + EOS, ("no interface Ethernet1",), True),
        (OURS + EOS, ("interface breakout module 1 port 2 map 400g-2x",), True),
        (OURS + EOS, ("mlag configuration", "domain-id 2"), True),
        (OURS + EOS, (), True),
        (
            f"interface defaults\n   ethernet\n      shutdown\n{EOS}",
            ("interface Ethernet9",),
            False,
        ),
        (CAGES, ("interface Ethernet2/1", "speed 400g-4"), True),
        (CAGES, ("interface Ethernet2/1", "no speed 400g-4"), True),
        (CAGES, ("interface Ethernet2/1", "mtu 9214"), False),
        (CAGES, ("interface Ethernet3/1", "speed 400g-4"), False),
        (CAGES, ("interface Ethernet3/5", "speed 400g-4"), False),
        (CAGES, ("interface Ethernet22/1", "speed auto 100g-2"), False),
        (CAGES.removeprefix(OURS), ("interface Ethernet3/1", "mtu 9214"), False),
        (CAGES.removeprefix(OURS), ("interface Ethernet3/1", "speed 400g-4"), True),
        (NXOS, ("interface Ethernet1/1",), True),
        (NXOS, ("interface Ethernet1/2",), False),
        (NXOS, ("interface Ethernet1/3",), True),
        (NXOS, ("interface Ethernet1/9",), True),
        (SHUT, ("interface Ethernet1/1", "speed 400000"), False),
        (SHUT, ("interface Ethernet1/3",), False),
        (SHUT, ("interface Ethernet1/4",), True),
        (SHUT, ("interface Ethernet1/9",), False),
        (f"no {SHUT}", ("interface Ethernet1/9",), True),
        ("", ("interface Ethernet9", "speed 400g-4"), True),
        (INTERFACES_TEXT, ("iface swp1", "mtu 9000"), True),
        (INTERFACES_TEXT, ("iface swp2", "mtu 9000"), True),
        (INTERFACES_TEXT, ("iface swp3", "mtu 9000"), False),
        (f"source interfaces.d/*\n{INTERFACES_TEXT}", ("iface swp3", "mtu 9000"), True),
        (INTERFACES_TEXT, ("iface bond1", "bond-slaves swp3 swp1"), True),
        (INTERFACES_TEXT, ("iface bond1", "bond-slaves swp3 swp4"), False),
    ],
)
def test_what_a_text_says_nothing_of_is_idle_and_nothing_else(text, place, is_used):
    """Of a text that nobody has, nothing is known; of a line that names a used port, that one.

    Nor is of a port that a text does not name, unless we wrote it or ports are off by default.
    """
    assert used(text).impact(place, "link flap") == ("link flap" if is_used else "runtime")
    assert used(text).impact(place, "reload") == "reload"
    assert used(text).impact(place, "none") == "none"
