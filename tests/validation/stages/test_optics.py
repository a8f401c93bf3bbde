"""Stage 15: modules and links, healthy and with one thing wrong; and what is asked of whom."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from inventory import open_site
from inventory.plan import PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers import date_code
from switch_configs.answers.linux import ethtool_module
from switch_configs.answers.module_form import Band, Link, Module
from switch_configs.eos.answers import ask as eos
from switch_configs.eos.answers import modules as eos_modules
from switch_configs.nxos.answers import modules as nxos_modules
from switch_configs.sonic.answers import ask as sonic
from switch_configs.sonic.answers import modules as sonic_modules
from tests.validation import modules_shown, roce_site
from tests.validation.healthy import Healthy
from tests.validation.healthy.stage_15 import case
from tests.validation.modules_shown import Shown
from tests.validation.recorded import EVIDENCE, lab
from validation.host_state.versions_seen import versions_seen
from validation.judging.bisect import version_events
from validation.ladder import ladder
from validation.parse.nic import mlxlink
from validation.run import validate
from validation.stages.s15_optics import ask
from validation.stages.s15_optics.batch import Batch, batch_of, batches
from validation.stages.s15_optics.expect import ends, expectations, unasked
from validation.stages.s15_optics.judge import ends_fault, flap_fault, link_faults, module_faults
from validation.stages.s15_optics.seen import modules_seen
from validation.stages.s15_optics.terms import limits
from validation.verdict import Finding, Verdict

NIC = PortRef("node-p1-2", "rail0")
LEAF, SPINE = PortRef("leaf-p1-r0", "swp2"), PortRef("spine1", "Ethernet0")
WELL = Module(
    "EX2300A0001",
    "OSFP-400G-DR4",
    "EXAMPLE",
    copper=False,
    fixed=False,
    temperature_c=50,
    rx_dbm=(0.0, 0.1),
    tx_dbm=(1.0, 1.1),
    bias_ma=(90.0, 91.0),
)


def of(one: Healthy) -> list[Finding]:
    others = frozenset(ladder()) - {15}
    found = validate(one.plan, 15, one.store, None, one.configured, leave_out=others)
    return [finding for finding in found.findings if finding.verdict is not Verdict.PASS]


def at(place: PortRef, **changes: object):
    def change(here: PortRef, one: Shown) -> Shown:
        return replace(one, **changes) if here == place else one  # type: ignore[arg-type]

    return change


@pytest.mark.parametrize(
    ("place", "changes", "check", "said"),
    [
        (NIC, {"rx_dbm": -7.5}, "optic", "rx of lane 1 is -7.5 dBm, below -6"),
        (LEAF, {"rx_dbm": -40.0}, "optic", "rx of lane 1 is -40 dBm, below -6"),
        (SPINE, {"temperature_c": 74.0}, "optic", "temperature is 74 C, above 70"),
        (NIC, {"pre_fec": "3E-4"}, "ber", "before correction 3.0e-04"),
        (LEAF, {"pre_fec": "3E-5"}, "ber", "before correction 3.0e-05"),
        (SPINE, {"post_fec": "2E-9"}, "ber", "after correction 2.0e-09"),
        (NIC, {"downs": 17}, "flaps", "17 times in 45.3 h"),
    ],
)
def test_one_thing_wrong_fails_there_by_serial_and_nowhere_else(place, changes, check, said):
    (bad,) = of(case(at(place, **changes)))
    assert (bad.verdict, bad.check) == (Verdict.FAIL, check)
    assert said in bad.found
    assert bad.expectation == f"{check}:{place.device}:{place.port}"
    if check == "optic":
        assert bad.suspect == f"optic OSFP-400G-DR4 {bad.found.split()[1].rstrip(':')} in {place}"
    else:
        assert bad.suspect.startswith("cable ")
        assert str(place) in bad.suspect


def test_figures_are_of_the_module_so_that_one_exchanged_has_a_history_of_its_own():
    def figures(one: Healthy) -> dict[str, str]:
        others = frozenset(ladder()) - {15}
        found = validate(one.plan, 15, one.store, None, one.configured, leave_out=others)
        return {each.expectation: each.figure.terms for each in found.findings if each.figure}

    before, after = figures(case()), figures(case(at(NIC, serial="NEW1")))
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"optic:node-p1-2:rail0", "ber:node-p1-2:rail0"}
    assert {after[name] for name in changed} == {"OSFP-400G-DR4 NEW1"}
    assert all(one.startswith("OSFP-400G-DR4 EX2300A") for one in before.values())
    assert len(before) == 2 * len(ends(roce_site.plan(), roce_site.everything()))


def test_an_exchanged_module_is_a_change_between_two_runs():
    before, after = versions_seen(case().store), versions_seen(case(at(SPINE, serial="NEW1")).store)
    modules = {
        (device, what)
        for device, some in before.items()
        for what in some
        if what.startswith("module ")
    }
    assert len(modules) == len(ends(roce_site.plan(), roce_site.everything()))
    (event,) = version_events(2, before, after)
    was = before["spine1"]["module Ethernet0"]
    assert event.device == "spine1"
    assert event.what == f"spine1 module Ethernet0: {was} -> OSFP-400G-DR4 NEW1"


def test_every_reader_tells_the_modules_of_a_frame_and_nothing_of_one_that_is_broken():
    one = Shown("EX1")
    state, _, _ = modules_shown.sonic({"Ethernet0": one})
    dom, _ = modules_shown.eos("Ethernet1/1", one)
    told = {
        ask.mlxlink_line(roce_site.plan(), NIC): ("0000:1a:00.0", modules_shown.mlxlink(one)),
        ethtool_module.line("swp1"): ("swp1", modules_shown.ethtool(one)),
        sonic.MODULES: ("Ethernet0", state),
        eos.MODULES: ("Ethernet1/1", dom),
        nxos_modules.LINE: ("Ethernet1/1", modules_shown.nxos({"Ethernet1/1": one})),
    }
    for line, (port, text) in told.items():
        ((place, found),) = modules_seen(line, text)
        assert (place, found.serial) == (port, "EX1")
        assert list(modules_seen(line, text[:-90])) == []
        assert list(modules_seen(f"{line} ", text)) == []


def test_copper_has_no_light_and_passes_where_both_ends_are_of_one_cable():
    cable = roce_site.plan().cable_at[NIC]

    def dac(here: PortRef, one: Shown) -> Shown:
        side = {cable.a: 1, cable.b: 2}.get(here)
        copper = replace(
            one, kind="Passive copper cable", part="Q-3M", serial=f"S2200000321-{side}"
        )
        return copper if side else one

    assert of(case(dac)) == []


def test_ends_of_two_cables_and_of_two_kinds_are_told():
    cable = roce_site.plan().cable_at[NIC]

    def mixed(here: PortRef, one: Shown) -> Shown:
        copper = replace(one, kind="Passive copper cable", serial="S2200000321-1")
        return copper if here == NIC else one

    (bad,) = of(case(mixed))
    assert (bad.check, bad.suspect) == ("ends", f"cable {cable}")
    assert "copper" in bad.found
    copper = replace(WELL, copper=True, fixed=True, serial="S1-1")
    assert ends_fault(NIC, copper, LEAF, replace(copper, serial="S1-2")) == ""
    assert "two cables" in ends_fault(NIC, copper, LEAF, replace(copper, serial="S2-2"))
    assert "both ends" in ends_fault(NIC, WELL, LEAF, WELL)


@pytest.mark.parametrize("lot", ["Q7", ""])
def test_a_bad_batch_is_named_with_its_serial_numbers(lot):
    def poor(here: PortRef, one: Shown) -> Shown:
        dim = here.device.startswith("node")
        return replace(one, made=f"240601{lot}", rx_dbm=-8.0) if dim else one

    found = of(case(poor))
    assert len(found) == 4
    assert {one.suspect for one in found} == {f"optic batch EXAMPLE OSFP-400G-DR4 240601{lot}"}
    told = ", ".join(sorted({one.found.split()[1].rstrip(":") for one in found}))
    assert all(one.found.endswith(f"4 of 4 of its batch are bad: {told}") for one in found)


@pytest.mark.parametrize("made", ["", "000000", "241399", "A123"])
def test_without_a_date_code_no_batch_is_made_up_of_serial_numbers(made):
    def poor(here: PortRef, one: Shown) -> Shown:
        dim = here.device.startswith("node")
        serial = one.serial.replace("EX2300A", "QQ77B")
        return replace(one, serial=serial, made=made, rx_dbm=-8.0) if dim else one

    found = of(case(poor))
    assert len(found) == 4
    for one in found:
        serial = one.found.split()[1].rstrip(":")
        assert one.suspect == f"optic OSFP-400G-DR4 {serial} in {one.device}:rail0"


def test_few_or_the_only_batch_are_no_batch_to_blame():
    places = [PortRef(f"n{at}", "rail0") for at in range(6)]
    modules = {place: replace(WELL, serial=f"EX{at}") for at, place in enumerate(places)}
    mine, other = (Batch("EXAMPLE", WELL.part, made) for made in ("240510", "240511"))
    alone = dict.fromkeys(places, mine)
    assert batch_of(places[0], alone, modules, places[:4], limits()) is None
    there = PortRef("m", "rail0")
    two, modules = alone | {there: other}, modules | {there: replace(WELL, serial="ZZ")}
    assert batch_of(places[0], two, modules, places[:2], limits()) is None
    found = batch_of(places[0], two, modules, places[:3], limits())
    assert found == (mine, ("EX0", "EX1", "EX2"), 6)


def test_copper_and_what_is_not_told_are_of_no_batch_nor_what_two_cables_show():
    plan = roce_site.plan()
    cables = [one for one in plan.cables if one.plane == "compute"]
    well = replace(WELL, made="240510A1")
    shown = {one.a: replace(well, serial=f"EX{at}") for at, one in enumerate(cables)}
    whole = batches(plan, shown)
    assert set(whole) == set(shown)
    assert set(whole.values()) == {Batch("EXAMPLE", WELL.part, "240510A1")}
    first, second = cables[0], cables[1]
    for changes in ({"copper": True}, {"made": ""}, {"vendor": ""}, {"part": ""}):
        without = replace(shown[first.a], **changes)
        assert set(batches(plan, shown | {first.a: without})) == set(shown) - {first.a}
    twice = replace(shown[first.a], serial="EX1")
    assert set(batches(plan, shown | {first.a: twice})) == set(shown) - {first.a, second.a}
    both_ends = shown | {first.b: shown[first.a]}
    assert set(batches(plan, both_ends)) == set(shown) - {first.a}
    active = replace(shown[first.a], fixed=True)
    assert set(batches(plan, shown | {first.a: active, first.b: active})) == {*shown, first.b}


@pytest.mark.parametrize(
    ("read", "said", "made"),
    [
        (date_code.plain, "24051007", "24051007"),
        (date_code.plain, "240510A", "240510A"),
        (date_code.plain, "240510", "240510"),
        (date_code.plain, "200507  _", "200507"),
        (date_code.plain, "________", ""),
        (date_code.plain, "20240510", ""),
        (date_code.plain, "240532A1", ""),
        (date_code.plain, "24051", ""),
        (date_code.dashed, "2024-05-10 A1", "240510A1"),
        (date_code.dashed, "2022-05-28   ", "220528"),
        (date_code.dashed, "2020-21-02 17", ""),
        (date_code.dashed, "N/A", ""),
        (date_code.backwards, "A1_10_05_24", "240510A1"),
        (date_code.backwards, "10_05_24", "240510"),
        (date_code.backwards, "10_05", ""),
        (date_code.backwards, "N/A", ""),
    ],
)
def test_each_tool_tells_when_and_of_which_lot_or_not_at_all(read, said, made):
    assert read(said) == made


def test_one_module_is_of_one_batch_whichever_end_tells_it():
    texts = [
        EVIDENCE / one for one in ("mlxlink/dr4_lot_text.txt", "ethtool_module/dr4_cmis_lot.txt")
    ]
    by_nic = mlxlink.module(mlxlink.sections(texts[0].read_text(encoding="utf-8")))
    by_port = ethtool_module.module(texts[1].read_text(encoding="utf-8"))
    assert (by_nic.serial, by_nic.made) == (by_port.serial, by_port.made)
    place = roce_site.plan().cable_at[NIC].a
    one, other = (batches(roce_site.plan(), {place: module}) for module in (by_nic, by_port))
    assert one == other == {place: Batch("EXAMPLE", "OSFP-400G-DR4", "240510A1")}


def test_a_date_code_told_twice_is_of_two_answers():
    text = modules_shown.ethtool(Shown("EX1", made="240510A1"))
    row = next(one for one in text.splitlines() if "Date code" in one)
    with pytest.raises(Unreadable, match="Date code"):
        ethtool_module.module(text.replace(row, f"{row}\n{row.replace('A1', 'B2')}"))
    blank = ethtool_module.module(text.replace("240510A1", ""))
    assert (blank.made, blank.serial) == ("", "EX1")


def test_a_module_that_tells_no_limits_is_held_against_ours():
    bare = replace(WELL, rx_dbm=(-11.0, 0.0))
    assert list(module_faults(WELL, limits())) == []
    assert list(module_faults(bare, limits())) == ["rx of lane 1 is -11 dBm, below -10.3"]
    own = replace(bare, rx=Band(-14.0, 3.0))
    assert list(module_faults(own, limits())) == []


def test_what_is_not_measured_proves_nothing():
    for one in (replace(WELL, rx_dbm=()), replace(WELL, temperature_c=None)):
        with pytest.raises(Unreadable):
            list(module_faults(one, limits()))
    for link in (Link("400G", None, 0.0, 0, 1.0), Link("400G", 0.0, None, 0, 1.0)):
        with pytest.raises(Unreadable):
            list(link_faults(link, limits()))
    with pytest.raises(Unreadable):
        flap_fault(Link("400G", 0.0, 0.0, None, None), limits())


def test_flaps_are_judged_by_the_time_that_was_counted():
    assert flap_fault(Link("400G", 0.0, 0.0, 4, 60.0), limits()) == ""
    assert "5 times in 1.0 h" in flap_fault(Link("400G", 0.0, 0.0, 5, 60.0), limits())
    assert flap_fault(Link("400G", 0.0, 0.0, 5, 3 * 1440.0), limits()) == ""


def test_nothing_is_asked_where_no_nic_has_rdma():
    assert list(expectations(lab(), frozenset(lab().devices))) == []


def test_a_node_without_mlxlink_is_asked_for_its_modules_alone():
    plan = roce_site.plan()
    inbox = [
        replace(one, software=replace(one.software, nics=replace(one.software.nics, stack="inbox")))
        for one in plan.nodes
    ]
    found = expectations(replace(plan, nodes=tuple(inbox)), roce_site.everything())
    of_nodes = {one.check for one in found if one.device in plan.node}
    assert of_nodes <= {"optic", "ends"}


def test_a_switch_that_tells_no_error_ratios_is_asked_for_its_modules_alone_and_named():
    plan = roce_site.plan()
    for system, checks in (("nxos", {"optic", "ends"}), ("eos", {"ber", "optic", "ends"})):
        theirs = tuple(replace(one, dialect=system) for one in plan.switches)
        other = replace(plan, switches=theirs)
        found = expectations(other, roce_site.everything())
        assert {one.check for one in found if one.device in plan.switch} == checks
        told = [
            one
            for one in unasked(other)
            if one.startswith(f"reads no bit error ratios from {system}")
        ]
        assert len(told) == ("ber" not in checks)


def test_a_split_cage_tells_the_lanes_of_its_own_port():
    told = json.loads(modules_shown.nxos({"Ethernet1/9/2": Shown("EX1")}))
    table = told["TABLE_interface"]["ROW_interface"]["TABLE_lane"]
    table["ROW_lane"] = [
        one | {"lane_number": str(at)} for at, one in enumerate(table["ROW_lane"], 5)
    ]
    found = nxos_modules.module(json.dumps(told), "Ethernet1/9/2")
    assert len(found.rx_dbm) == 4
    whole = json.dumps(told).replace("Ethernet1/9/2", "Ethernet1/9")
    with pytest.raises(Unreadable, match="every lane"):
        nxos_modules.module(whole, "Ethernet1/9")
    table["ROW_lane"][1]["rx_pwr_warn_hi"] = "9.00"
    with pytest.raises(Unreadable, match="limits of every lane"):
        nxos_modules.module(json.dumps(told), "Ethernet1/9/2")


def test_soft_roce_has_no_modules():
    plan = roce_site.plan()
    slow = tuple(replace(one, rate_gbps=0.2) for one in plan.cables)
    assert list(expectations(replace(plan, cables=slow), roce_site.everything())) == []


def test_planes_without_rdma_are_not_asked_and_a_link_needs_both_ends():
    plan = open_site("pod-256")
    everything = frozenset(plan.node) | frozenset(plan.switch)
    found = ends(plan, everything)
    assert {cable.plane for _, cable in found} == {"compute", "storage"}
    assert ends(plan, frozenset(plan.node)) == ()
    ids = [one.id for one in expectations(plan, everything)]
    assert len(ids) == len(set(ids))


def test_the_tools_tell_the_same_module():
    one = Shown("EX2300A0417", made="240510A1")
    found = mlxlink.module(mlxlink.sections(modules_shown.mlxlink(one)))
    state, _, _ = modules_shown.sonic({"Ethernet0": one})
    dom, _ = modules_shown.eos("Ethernet1/1", one)
    others = (
        ethtool_module.module(modules_shown.ethtool(one)),
        sonic_modules.module(state, "Ethernet0"),
        eos_modules.module(dom, "Ethernet1/1"),
        nxos_modules.module(modules_shown.nxos({"Ethernet1/1": one}), "Ethernet1/1"),
    )
    for other in others:
        assert (other.serial, other.copper, other.fixed) == (found.serial, False, False)
        assert other.rx_dbm[0] == pytest.approx(found.rx_dbm[0], abs=0.01)
        assert other.rx == found.rx
    assert [other.made for other in (found, *others)] == [*["240510A1"] * 3, "", ""]


def test_a_copper_cable_is_told_by_both_tools():
    def told(name: str) -> str:
        return Path(EVIDENCE / name).read_text(encoding="utf-8")

    text = mlxlink.module(mlxlink.sections(told("mlxlink/dac_text.txt")))
    eeprom = ethtool_module.module(told("ethtool_module/dac_sff8636.txt"))
    for one in (text, eeprom):
        assert (one.copper, one.fixed) == (True, True)
        assert one.serial == "S2200000321-1"
        assert list(module_faults(one, limits())) == []
    optic = ethtool_module.module(told("ethtool_module/dr4_cmis.txt"))
    assert (optic.copper, optic.fixed, len(optic.rx_dbm)) == (False, False, 4)
    assert (optic.made, text.made, eeprom.made) == ("240510", "", "")
    assert (optic.rx, optic.bias) == (Band(-6.0, 4.0), Band(35.0, 130.0))


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text.replace('"code": 0', '"code": 1'),
        lambda text: text.replace('"State": "Active"', '"State": "Polling"'),
        lambda text: text.replace("-0.1,0.2", "-0.1,?"),
        lambda text: text.replace('"Raw Physical BER": "5E-10"', '"Raw Physical BER": "many"'),
        lambda text: text.replace('"Vendor Serial Number": "EX1"', '"Vendor Serial Number": "N/A"'),
    ],
)
def test_an_answer_that_is_none_is_refused(changed):
    text = modules_shown.mlxlink(Shown("EX1"))
    assert changed(text) != text
    with pytest.raises(Unreadable):
        both(changed(text))


def both(text: str) -> object:
    found = mlxlink.sections(text)
    return mlxlink.module(found), mlxlink.link(found)
