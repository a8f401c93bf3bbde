"""The readers of PFC and classes: whole outputs, odd ones, and those that contradict themselves."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from inventory.reading.fields import Unreadable
from inventory.reading.sections import sections
from switch_configs.answers.lossless import PortLossless, Room, of_mask
from switch_configs.nxos.answers import lossless as nxos
from switch_configs.sonic.answers import lossless as sonic
from tests.validation import lossless_says as says
from tests.validation.lossless_says import WELL, Told

LOSSLESS = "pg_lossless_400000_30m_profile"
ROOM = Room(3, LOSSLESS, 1200000)
OFF = Told(obeys=(), asks=(), trust="pcp")


def of_nxos(one: Told) -> PortLossless:
    return nxos.ports(sections(says.nxos({"Ethernet1/1": one})))["Ethernet1/1"]


def of_sonic(one: Told, separate: bool = False) -> PortLossless:
    return sonic.port(sonic.databases(says.sonic({"Ethernet0": one}, separate)), "Ethernet0")


def test_nxos_tells_of_one_digit_what_is_paused():
    assert of_nxos(WELL) == PortLossless("Ethernet1/1", (3,), (3,))
    assert of_nxos(OFF) == PortLossless("Ethernet1/1", (), ())
    assert of_nxos(replace(WELL, asks=(0, 3))).obeys == (0, 3)
    assert of_nxos(replace(WELL, asks=(1,))).asks == (1,)
    many = nxos.ports(sections(says.nxos({"Ethernet1/1": WELL, "Ethernet1/2/3": OFF})))
    assert {name: one.asks for name, one in many.items()} == {
        "Ethernet1/1": (3,),
        "Ethernet1/2/3": (),
    }


def test_nxos_with_a_bitmap_of_which_nobody_knows_the_base_leaves_it_open():
    assert of_nxos(replace(WELL, asks=(4,))).asks is None
    text = says.nxos({"Ethernet1/1": WELL}).replace("On  (8) ", "On      ")
    assert nxos.ports(sections(text))["Ethernet1/1"].obeys is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Oper(VL bmap)", "Oper"),
        ("Ethernet1/1 ", "Ethernet1/1 Ethernet1/2 "),
        ("On  (8)", "Maybe (8)"),
        ("3709920\n", "3709920\nEthernet1/1        On   On  (8)        0          0\n"),
        ("3709920\n", "3709920\n% Invalid command\n"),
    ],
)
def test_nxos_with_a_line_that_no_table_has_is_unreadable(old, new):
    text = says.nxos({"Ethernet1/1": WELL})
    assert old in text
    changed = text.replace(old, new, 1)
    grown = changed.count("\n") - text.count("\n")
    lines = int(text.split()[3])
    whole = changed.replace(f" 0 {lines}\n", f" 0 {lines + grown}\n", 1)
    with pytest.raises(Unreadable, match="NX-OS"):
        nxos.ports(sections(whole))


def test_sonic_tells_what_the_asic_was_given():
    assert of_sonic(WELL) == PortLossless("Ethernet0", (3,), (3,), "dscp", (26,), (26,), (ROOM,))
    assert of_sonic(OFF) == PortLossless("Ethernet0", (), (), "pcp", (), (), ())
    assert of_sonic(replace(WELL, trust="both")).trust == "both"
    assert of_sonic(replace(WELL, trust="none")).dscps == ()
    other = of_sonic(replace(WELL, obeys=(4,), asks=(4,), priority_of={10: 4, 26: 3}))
    assert (other.asks, other.dscps, other.stopped) == ((4,), (10,), (10,))
    assert of_sonic(replace(WELL, stops={3: 5, 5: 3})).stopped == ()
    assert of_sonic(replace(WELL, queue_of={3: 5}, stops={3: 5})).stopped == (26,)
    assert other.rooms == (Room(4, "", None),)


def test_sonic_in_the_separate_mode_tells_each_way_and_not_the_old_bitmap():
    every = tuple(range(8))
    found = of_sonic(replace(WELL, obeys=every), separate=True)
    assert (found.obeys, found.asks) == (every, (3,))
    assert of_sonic(replace(WELL, asks=())).obeys == (3,)


def test_sonic_tells_the_profile_of_a_range_of_groups_and_what_it_keeps():
    assert of_sonic(replace(WELL, groups={"3-4": LOSSLESS})).rooms == (ROOM,)
    lossy = of_sonic(replace(WELL, groups={"0-7": "ingress_lossy_profile"}))
    assert lossy.rooms == (Room(3, "ingress_lossy_profile", None),)
    assert of_sonic(replace(WELL, groups={})).rooms == (Room(3, "", None),)


def edited(name: str, old: str, new: str) -> None:
    """What it says of Ethernet0 once a text stands for another in one of its dumps."""
    texts = says.sonic({"Ethernet0": WELL})
    assert old in texts[name]
    texts[name] = texts[name].replace(old, new)
    sonic.port(sonic.databases(texts), "Ethernet0")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("names", "Ethernet0", "Ethernet4"),
        ("names", "COUNTERS_PORT_NAME_MAP", "COUNTERS_QUEUE_NAME_MAP"),
        ("names", "oid:0x1000000000000", "oid:0x1000000000001"),
        ("ports", ': "8"', ': "0x8"'),
        ("ports", ': "8"', ': "256"'),
        ("ports", '"SAI_PORT_ATTR_ADMIN_STATE"', '"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL_MODE"'),
        ("ports", "oid:0x14000000000a01", "oid:0x14000000000a02"),
        ("ports", "oid:0x14000000000a01", "oid:0x14000000000aff"),
        ("ports", '"hash"', '"list"'),
        ("maps", '\\"count\\": 64', '\\"count\\": 63'),
        ("maps", '\\"dscp\\": 26', '\\"dscp\\": 25'),
        ("maps", '\\"dscp\\": 63', '\\"dscp\\": 64'),
        ("maps", '\\"dscp\\": 26', '\\"dscp\\": \\"26\\"'),
        ("maps", "MAP_TYPE_DSCP_TO_TC", "MAP_TYPE_DOT1P_TO_TC"),
        ("groups", '"profile"', '"profil"'),
        ("groups", "Ethernet0:0", "Ethernet0:0-3"),
        ("groups", "Ethernet0:3", "Ethernet0:8"),
        ("groups", LOSSLESS, "pg_lossless_gone"),
        ("profiles", '"1200000"', '"NULL"'),
    ],
)
def test_sonic_that_contradicts_itself_is_unreadable(name, old, new):
    with pytest.raises(Unreadable):
        edited(name, old, new)


def test_only_what_is_asked_of_sonic_needs_to_be_whole():
    """A port that is contradictory leaves the others as they are."""
    texts = says.sonic({"Ethernet0": WELL, "Ethernet8": replace(WELL, groups={"3": "gone"})})
    found = sonic.databases(texts)
    with pytest.raises(Unreadable, match="gone"):
        sonic.port(found, "Ethernet8")
    assert sonic.port(found, "Ethernet0").rooms == (ROOM,)
    with pytest.raises(Unreadable, match="Ethernet4"):
        sonic.port(found, "Ethernet4")


@pytest.mark.parametrize("mask", [-1, 256])
def test_a_bitmap_has_eight_bits(mask):
    assert of_mask(0b10001000, "x") == (3, 7)
    with pytest.raises(Unreadable):
        of_mask(mask, "x")


def test_sonic_asks_for_pauses_from_the_group_that_its_map_names():
    """Priority 3 from group 5: DSCPs must end there, and it is group 5 that needs the room."""
    texts = says.sonic({"Ethernet0": replace(WELL, groups={"5": LOSSLESS})})
    maps = json.loads(texts["maps"])
    for told in maps.values():
        value = told["value"]
        kind, key = value["SAI_QOS_MAP_ATTR_TYPE"], "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST"
        entries = json.loads(value[key])
        for entry in entries["list"]:
            if kind.endswith("_TO_PRIORITY_GROUP") and entry["value"]["pg"] == 3:
                entry["value"]["pg"] = 5
        value[key] = json.dumps(entries)
    found = sonic.port(sonic.databases({**texts, "maps": json.dumps(maps)}), "Ethernet0")
    assert (found.dscps, found.rooms) == ((26,), (ROOM,))
    whole = json.loads(texts["ports"])
    (attributes,) = (one["value"] for one in whole.values())
    del attributes["SAI_PORT_ATTR_QOS_PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"]
    texts |= {"maps": json.dumps(maps), "ports": json.dumps(whole)}
    unmapped = sonic.port(sonic.databases(texts), "Ethernet0")
    assert (unmapped.dscps, unmapped.rooms) == ((), (Room(3, "", None),))


@pytest.mark.parametrize("of", ["DSCP_TO_TC", "TC_TO_PRIORITY_GROUP"])
@pytest.mark.parametrize("gone", [True, False])
def test_sonic_without_a_map_on_the_way_leads_no_dscp_there(of, gone):
    texts = says.sonic({"Ethernet0": WELL})
    whole = json.loads(texts["ports"])
    (attributes,) = (one["value"] for one in whole.values())
    name = f"SAI_PORT_ATTR_QOS_{of}_MAP"
    attributes[name] = "oid:0x0"
    if gone:
        del attributes[name]
    found = sonic.port(sonic.databases({**texts, "ports": json.dumps(whole)}), "Ethernet0")
    assert found.dscps == ()
    assert found.asks == (3,)


def test_sonic_does_not_guess_where_a_class_ends_that_its_map_leaves_out():
    texts = says.sonic({"Ethernet0": replace(WELL, priority_of={26: 3, 40: 9})})
    found = sonic.port(sonic.databases(texts), "Ethernet0")
    assert found.dscps == (26,)
