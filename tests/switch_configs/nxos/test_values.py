"""Values at the edges of what NX-OS takes: a correct line, or an error that names them."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Network
from typing import Any

import pytest

from inventory.plan import Headroom, RawStanza, Watchdog
from switch_configs import DialectError, dialect
from switch_configs.grammar import problems
from switch_configs.intent import SwitchIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.intents import base, oob_intents
from tests.switch_configs.sites import small

NXOS = dialect("nxos")
LEAF, STORAGE, USERS = "leaf-p1-r0", "storage-leaf-b1-1", "business-leaf-b1-1"


def switch(name: str, **values: Any) -> SwitchIntent:
    made = base("nxos", name)
    return replace(made, switch=replace(made.switch, **values))


def ports(name: str, **values: Any) -> SwitchIntent:
    made = base("nxos", name)
    return switch(name, ports=tuple(replace(one, **values) for one in made.switch.ports))


def text(made: SwitchIntent) -> str:
    rendered = NXOS.render(made)
    assert NXOS.readback(rendered) == wanted(made, NXOS.unsaid)
    assert not problems("nxos", rendered.files[0].text)
    return rendered.files[0].text


@pytest.mark.parametrize("words", ["a" * 254, "to (a) #1 100% x=y", "a  b", "x!y"])
def test_descriptions_that_a_nexus_takes(words):
    assert f"  description {words}\n" in text(ports(LEAF, description=words))


@pytest.mark.parametrize(
    "words", ["a" * 255, "a|b", "a > b", "a; reload", "$(x)", 'say "hi"', "a\\", "ü", "why?", " a"]
)
def test_descriptions_that_it_might_misread_are_refused(words):
    with pytest.raises(DialectError, match=LEAF) as refused:
        NXOS.render(ports(LEAF, description=words))
    assert repr(words) in refused.value.message


def test_the_default_mtu_is_left_out():
    assert "mtu 1500" not in text(ports(STORAGE, ip_mtu_bytes=1500)).replace("    mtu 1500", "")


def test_another_mtu_of_switched_ports_is_the_jumbo_mtu():
    assert "system jumbomtu 9000\n" in text(ports(USERS, ip_mtu_bytes=9000))


def test_two_mtus_of_switched_ports_are_refused():
    made = base("nxos", USERS)
    first, *others = made.switch.ports
    mixed = (replace(first, ip_mtu_bytes=9000), *others)
    with pytest.raises(DialectError, match=r"9000, 9216"):
        NXOS.render(switch(USERS, ports=mixed))


def test_ports_of_one_cage_run_alike():
    made = base("nxos", LEAF)
    first, *others = made.switch.ports
    assert first.ways > 1
    with pytest.raises(DialectError, match=f"{LEAF}.*cage {first.cage}"):
        NXOS.render(switch(LEAF, ports=(replace(first, rate_gbps=100), *others)))


@pytest.mark.parametrize(
    ("timers", "named"),
    [
        (Watchdog(200, 400, 50, "drop"), "50"),
        (Watchdog(250, 400, 100, "drop"), "250"),
        (Watchdog(1100, 400, 100, "drop"), "11"),
        (Watchdog(200, 450, 100, "drop"), "450"),
        (Watchdog(200, 400, 100, "forward"), "forward"),
    ],
)
def test_a_watchdog_that_no_multiplier_makes_is_refused(timers, named):
    made = base("nxos", LEAF)
    with pytest.raises(DialectError, match=f"{LEAF}: .*{named}"):
        NXOS.render(replace(made, lossless=replace(made.lossless, watchdog=timers)))


def test_a_switch_without_a_watchdog():
    made = base("nxos", LEAF)
    shown = text(replace(made, lossless=replace(made.lossless, watchdog=None)))
    assert "watch-dog" not in shown


def with_headroom(priority: int) -> SwitchIntent:
    made = base("nxos", LEAF)
    buffers = made.switch.buffers
    assert buffers
    room = Headroom(20_000, 700_000, 760_000, 0, "made up")
    kinds = tuple(replace(one, headroom=room) for one in buffers.ports)
    classes = tuple(
        replace(one, priority=priority) if one.lossless else one for one in made.lossless.classes
    )
    return replace(
        made,
        switch=replace(made.switch, buffers=replace(buffers, ports=kinds)),
        lossless=replace(made.lossless, classes=classes),
    )


def test_a_site_s_own_headroom_is_a_pause_buffer_on_input():
    shown = text(with_headroom(3))
    assert "  class type queuing c-in-q3\n" in shown
    assert "pause buffer-size 760000 pause-threshold 60000 resume-threshold 20000\n" in shown
    assert "  service-policy type queuing input in-760000-60000-20000\n" in shown


def test_there_is_no_input_class_for_other_priorities():
    with pytest.raises(DialectError, match=f"{LEAF}: .*5"):
        NXOS.render(with_headroom(5))


def test_two_lossless_priorities_have_a_group_each():
    made = base("nxos", LEAF)
    roce = next(one for one in made.lossless.classes if one.lossless)
    other = replace(roce, name="other", dscps=(24,), priority=4, queue=4, weight_percent=10)
    rest = [
        replace(one, weight_percent=40) if not one.dscps else one for one in made.lossless.classes
    ]
    shown = text(replace(made, lossless=replace(made.lossless, classes=(*rest, other))))
    assert "c-8q-nq4\n    pause pfc-cos 4" in shown


@pytest.mark.parametrize("priority", [0, 7])
def test_a_lossless_priority_that_another_class_needs_is_refused(priority):
    made = base("nxos", LEAF)
    classes = tuple(
        replace(one, priority=priority) if one.lossless else one for one in made.lossless.classes
    )
    with pytest.raises(DialectError, match=f"{LEAF}: .*priority {priority}"):
        NXOS.render(replace(made, lossless=replace(made.lossless, classes=classes)))


def test_kinds_of_ports_that_differ_in_one_number_have_policies_of_their_own():
    made = base("nxos", "spine-p1-1")
    buffers = made.switch.buffers
    assert buffers
    near, far = buffers.ports
    other = replace(far, ecn=replace(near.ecn, probability_percent=99))
    kinds = replace(buffers, ports=(near, other))
    shown = text(switch("spine-p1-1", buffers=kinds))
    assert shown.count("policy-map type queuing out-800g-150000-3000000-") == 2


def bonded() -> SwitchIntent:
    """A leaf of the storage plane with a bond instead of routed ports."""
    made, users = base("nxos", STORAGE).switch, base("nxos", USERS).switch
    vlan = replace(users.vlans[0], plane="storage", vrf="", acl=())
    ports = tuple(
        replace(one, address=None, vlans=(vlan.id,), bond=1) if one.direction == "down" else one
        for one in made.ports
    )
    return switch(STORAGE, ports=ports, vlans=(vlan,))


def test_a_lossless_bond_has_its_qos_on_both():
    shown = text(bonded())
    channel = shown[shown.index("interface port-channel1\n") :].split("interface Ethernet")[0]
    assert "  service-policy type qos input classify-dscp\n" in channel
    assert "  priority-flow-control mode on\n" in channel


def test_a_bond_whose_ports_say_otherwise_is_a_hazard():
    rendered = NXOS.render(bonded())
    (file,) = rendered.files
    head, tail = file.text.split("interface port-channel1\n")
    wrong = tail.replace("  service-policy type qos input classify-dscp\n", "", 1)
    other = replace(file, text=f"{head}interface port-channel1\n{wrong}")
    hazards = NXOS.readback(replace(rendered, files=(other,))).hazards
    assert any("has other QoS than its port-channel1" in one for one in hazards)


def test_adaptive_routing_is_refused():
    with pytest.raises(DialectError, match=f"{LEAF}: .*adaptive routing"):
        NXOS.render(switch(LEAF, adaptive_routing=True))


def test_a_policy_that_permits_nothing_denies_all():
    """A match of a prefix list that is empty, and so not there, could permit everything."""
    made = base("nxos", LEAF)
    (table,) = made.switch.tables
    rendered = NXOS.render(switch(LEAF, tables=(replace(table, learns=()),)))
    assert "route-map up-in deny 20\n" in rendered.files[0].text
    assert "prefix-list up-in " not in rendered.files[0].text
    facts = NXOS.readback(rendered)
    assert next(one.permits for one in facts.policies if one.name == "up-in") == ()
    assert not facts.hazards


def test_cloudscale_makes_room_for_unnumbered_neighbours():
    made = base("nxos", LEAF)
    hardware = replace(made.switch.hardware, asic="cloudscale_gx2")
    assert "tcam region ing-sup 768\n" in text(switch(LEAF, hardware=hardware))


def test_discards_of_another_table_are_in_it():
    made = base("nxos", USERS)
    default, users, *others = made.switch.tables
    net = IPv4Network("10.77.0.0/16")
    more = replace(users, aggregates=(net,), originates=(*users.originates, net))
    shown = text(switch(USERS, tables=(default, more, *others)))
    assert f"vrf context {users.vrf}\n  ip route 10.77.0.0/16 Null0\n" in shown


@pytest.mark.parametrize("asn", [1, 65536, 4294967295])
def test_as_numbers(asn):
    assert f"router bgp {asn}\n" in text(switch(LEAF, asn=asn))


def test_a_raw_line_with_a_control_character_is_refused():
    raw = RawStanza("bgp", ("x\nno router bgp 1",), "a test")
    with pytest.raises(DialectError, match=LEAF):
        NXOS.render(switch(LEAF, raw=(raw,)))


def test_raw_lines_stand_at_the_end_of_their_section():
    raw = RawStanza("features", ("feature nxapi",), "a test")
    shown = text(switch(LEAF, raw=(raw,)))
    assert shown.index("feature bfd\n") < shown.index("feature nxapi\n") < shown.index("class-map")


def test_zones_keep_apart_on_a_switch_of_the_oob_plane():
    for made in oob_intents("nxos"):
        rendered = NXOS.render(made)
        assert not problems("nxos", rendered.files[0].text)
        facts = NXOS.readback(rendered)
        assert set(facts.isolated_ports) == {one.name for one in made.switch.ports if one.isolated}


def test_the_grammar_takes_every_line_of_every_role():
    plan = small("nxos")
    names = [name for name, one in plan.switch.items() if one.dialect == "nxos"]
    for name in names:
        made = base("nxos", name)
        text(made)
        text(replace(made, drained=True))
