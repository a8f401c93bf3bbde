"""frr.conf of any switch, in the words of any system, reads back as the plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import RawStanza
from switch_configs import DialectError
from switch_configs.frr import (
    SECTIONS,
    FrrFacts,
    Names,
    Printing,
    Reading,
    frr_conf,
    read,
    statements,
)
from switch_configs.intent import SwitchIntent
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import wanted
from tests.switch_configs.intents import base, roles
from tests.switch_configs.sites import small

SAME = (
    *("asn", "router_id", "sessions", "policies", "originates", "discards", "ecmp_width"),
    *("ebgp_requires_policy", "drained", "tables", "hazards", "unread"),
)
SWITCHES = [one for one in roles("linux_frr") if one in small("linux_frr").switch]
PLAIN = Printing("8.4.4")
# As SONiC has them: the kernel's names are at most 15 characters long (IFNAMSIZ).
OTHER_NAMES = Names(
    port=lambda name: f"Eth{name}",
    plan_port=lambda name: name.removeprefix("Eth"),
    vrf=lambda name: f"Vrf{name}",
    plan_vrf=lambda name: name.removeprefix("Vrf"),
    map_suffix="-V4",
)
ADDED = "bgp suppress-fib-pending"
OTHER = Printing(
    release="10.4.1",
    profile="datacenter",
    names=OTHER_NAMES,
    system=("service integrated-vtysh-config",),
    instance=(ADDED,),
    paths_built=64,
)
READING = Reading(
    names=OTHER_NAMES,
    system={"service integrated-vtysh-config": "not one file"},
    instance={ADDED: "routes are said before they are in the ASIC"},
    paths_built=64,
)


def agree(found: FrrFacts, facts: SwitchFacts) -> None:
    """What frr.conf says is what the plan says, field by field."""
    for name in SAME:
        assert getattr(found, name) == getattr(facts, name), name


@pytest.mark.parametrize("drained", [False, True])
@pytest.mark.parametrize("name", SWITCHES)
def test_it_reads_back_as_the_plan(name: str, drained: bool) -> None:
    made = replace(base("linux_frr", name), drained=drained)
    agree(read(frr_conf(made, PLAIN)), wanted(made))


@pytest.mark.parametrize("drained", [False, True])
@pytest.mark.parametrize("name", SWITCHES)
def test_it_does_so_in_the_words_of_another_system(name: str, drained: bool) -> None:
    made = replace(base("linux_frr", name), drained=drained)
    made = replace(made, switch=replace(made.switch, ecmp_width=64))
    text = frr_conf(made, OTHER)
    assert "maximum-paths" not in text, "FRR leaves out what its build has"
    found = read(text, READING)
    agree(found, wanted(made))
    assert (found.release, found.hostname) == ("10.4.1", name)
    less = read(text.replace(f" {ADDED}\n", "", 1), READING)
    assert less.hazards == ("routes are said before they are in the ASIC",)


def vrf_leaf() -> SwitchIntent:
    """The leaf of the small site that has a table of users."""
    made = (base("linux_frr", name) for name in SWITCHES)
    return next(one for one in made if one.switch.tier == "leaf" and one.switch.tables[1:])


def test_tables_have_an_instance_each_over_subinterfaces() -> None:
    made = vrf_leaf()
    vrf = made.switch.tables[1].vrf
    found = read(frr_conf(made, PLAIN))
    keys = {one.key for one in found.sessions if one.vrf == vrf}
    assert keys
    assert all(one.partition(".")[2].isdecimal() for one in keys)
    other = frr_conf(made, PLAIN).replace(f"router bgp {made.switch.asn} vrf", "router bgp 7 vrf")
    assert f"table {vrf} has ASN 7, the switch {made.switch.asn}" in read(other).hazards


def test_a_table_that_announces_nothing_lets_nothing_out() -> None:
    made = vrf_leaf()
    plain, *others = made.switch.tables
    tables = (plain, *(replace(one, originates=()) for one in others))
    made = replace(made, switch=replace(made.switch, tables=tables))
    agree(read(frr_conf(made, PLAIN)), wanted(made))


def test_raw_lines_come_at_the_end_of_their_section_and_are_read() -> None:
    made = base("linux_frr", SWITCHES[0])
    asn = made.switch.asn
    lines = (f"router bgp {asn}", " bgp graceful-shutdown", "exit")
    raw = [RawStanza("bgp", lines, "a drain for ever"), RawStanza("system", ("oddity",), "?")]
    text = frr_conf(made, PLAIN, raw)
    plain = frr_conf(made, PLAIN)
    added = set(statements(text)) - set(statements(plain))
    assert added == {"oddity", f"router bgp {asn} / bgp graceful-shutdown"}
    assert text.index("! Added by the site: a drain") < text.index("ip prefix-list")
    found = read(text)
    assert found.drained
    assert found.unread == ("oddity",)
    assert {one.section for one in raw} <= set(SECTIONS)


@pytest.mark.parametrize(
    ("old", "new", "hazard"),
    [
        (" additive", "", "takes the communities off"),
        ("local-preference 0", "local-preference 10", "does not use all routes last"),
        ("from-above seq 5 permit 64512:100", "other seq 5 permit 64512:100", "is not defined"),
    ],
)
def test_a_policy_that_does_less_is_a_hazard(old: str, new: str, hazard: str) -> None:
    text = frr_conf(base("linux_frr", "spine-p1-1"), PLAIN)
    assert old in text
    assert any(hazard in one for one in read(text.replace(old, new)).hazards)


def test_a_width_that_the_build_has_not_is_refused() -> None:
    made = base("linux_frr", "spine-p1-1")
    made = replace(made, switch=replace(made.switch, ecmp_width=65))
    with pytest.raises(DialectError, match="not within 1 to 64"):
        frr_conf(made, OTHER)
