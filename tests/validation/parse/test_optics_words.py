"""What tools print of optics, in their own words: colours, one lane, no light, lanes not there."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import nan
from typing import Any

import pytest

from inventory.plan import PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.linux import ethtool_module
from switch_configs.answers.module_form import Band, Module
from switch_configs.sonic.answers import modules as sonic_modules
from tests.validation import modules_shown
from tests.validation.healthy.stage_15 import case
from tests.validation.modules_shown import Shown
from tests.validation.recorded import EVIDENCE
from validation.ladder import ladder
from validation.parse.nic import mlxlink
from validation.run import validate
from validation.stages.s15_optics.judge import module_faults
from validation.stages.s15_optics.terms import limits
from validation.verdict import Verdict


def both(text: str) -> object:
    found = mlxlink.sections(text)
    return mlxlink.module(found), mlxlink.link(found)


def test_colours_of_a_terminal_are_no_part_of_mlxlink():
    plain = (EVIDENCE / "mlxlink/dr4_lot_text.txt").read_text(encoding="utf-8")
    shown = re.sub(r"(?m)^(State .*: )(.*)$", "\\1\x1b[32m\\2\x1b[0m", plain)
    shown = re.sub(r"(?m)^([A-Z].* : )(.*)$", "\\1\x1b[0m\\2\x1b[0m", shown)
    shown = re.sub(r"(?m)^(.* Info)$", "\x1b[1;34m\\1\x1b[0m", shown)
    assert shown.count("\x1b[") > 60
    assert both(shown) == both(plain)


def sfp28(old: str = "", new: str = "") -> Module:
    text = (EVIDENCE / "ethtool_module/sr_sfp28.txt").read_text(encoding="utf-8")
    assert old in text
    return ethtool_module.module(text.replace(old, new))


def test_an_sfp28_tells_its_one_lane_in_words_of_its_own():
    one = sfp28()
    assert (one.rx_dbm, one.tx_dbm, one.bias_ma) == ((-0.34,), (-0.6,), (7.25,))
    assert (one.copper, one.fixed, one.rx, one.made) == (
        False,
        False,
        Band(-10.3, 2.4),
        "230714",
    )
    assert list(module_faults(one, limits())) == []
    average, oma = "Receiver signal average optical power", "Receiver signal OMA                  "
    assert sfp28(average, oma).rx_dbm == (-0.34,)
    assert sfp28(average, average.replace("signal", "Signal")).rx_dbm == (-0.34,)


def test_no_light_is_a_measurement_and_a_fault():
    dark = sfp28("0.9240 mW / -0.34 dBm", "0.0000 mW / -inf dBm")
    assert list(module_faults(dark, limits())) == ["rx is -40 dBm, below -10.3"]
    text = modules_shown.mlxlink(Shown("EX1")).replace('"-0.1,0.2', '"-inf,0.2')
    assert "rx of lane 1 is -40 dBm, below -6" in list(
        module_faults(mlxlink.module(mlxlink.sections(text)), limits())
    )
    state, _, _ = modules_shown.sonic({"Ethernet0": Shown("EX1")})
    found = sonic_modules.module(state.replace('"-0.1"', '"-inf"'), "Ethernet0")
    assert list(module_faults(found, limits())) == ["rx of lane 1 is -40 dBm, below -6"]


def test_both_halves_of_a_figure_agree():
    for old, new in (
        ("0.9240 mW / -0.34 dBm", "0.9240 mW / -4.34 dBm"),
        ("0.9240 mW / -0.34 dBm", "0.0000 mW / -0.34 dBm"),
        ("0.9240 mW / -0.34 dBm", "0.9240 mW / -inf dBm"),
        ("41.05 degrees C", "4.05 degrees C"),
    ):
        with pytest.raises(Unreadable, match="contradicts"):
            sfp28(old, new)


def lanes_of_eight(dark: dict[str, str], lanes: range) -> Module:
    """The DR4 as ethtool prints it from a map of eight lanes, with some of them dark."""
    text = (EVIDENCE / "ethtool_module/dr4_cmis.txt").read_text(encoding="utf-8")
    shown = []
    for line in text.splitlines():
        shown.append(line)
        if "(Channel 4)" in line:
            shown += [line.replace("(Channel 4)", f"(Channel {lane})") for lane in range(5, 9)]
    made = []
    for line in shown:
        name, sign, _ = line.partition(" : ")
        lane = re.search(r"Channel (\d)", name)
        value = next((said for what, said in dark.items() if what in name), None)
        is_dark = lane and int(lane[1]) in lanes and value
        made.append(f"{name}{sign}{value}" if is_dark else line)
    return ethtool_module.module("\n".join(made) + "\n")


NO_POWER = "0.0000 mW / -inf dBm"


def test_lanes_that_a_module_has_not_are_no_faults_and_one_that_it_lost_is():
    """cmis.c prints eight lanes whatever the module; 400G-DR4 has four."""
    off = {"Transmit": NO_POWER, "Rcvr": NO_POWER, "tx bias": "0.000 mA"}
    four = lanes_of_eight(off, range(5, 9))
    assert (len(four.rx_dbm), len(four.bias_ma)) == (4, 4)
    assert list(module_faults(four, limits())) == []
    assert len(lanes_of_eight({}, range(0)).rx_dbm) == 8
    for dark, lanes in (
        ({"Rcvr": NO_POWER}, range(5, 9)),
        ({"Transmit": NO_POWER, "tx bias": "0.000 mA"}, range(5, 9)),
        (off, range(8, 9)),
        (off, range(1, 5)),
        (off, range(1, 9)),
    ):
        module = lanes_of_eight(dark, lanes)
        assert len(module.rx_dbm) == 8
        assert f"of lane {lanes[0]} is" in next(iter(module_faults(module, limits())))


def test_a_lane_keeps_its_number_or_the_module_is_unreadable():
    text = (EVIDENCE / "ethtool_module/dr4_cmis.txt").read_text(encoding="utf-8")
    for lane in range(1, 5):
        every = re.sub(rf"(?m)^.*\(Channel {lane}\).*\n", "", text)
        assert every.count("Channel") == 9
        with pytest.raises(Unreadable, match="lane"):
            ethtool_module.module(every)
    state, _, _ = modules_shown.sonic({"Ethernet0": Shown("EX1")})
    for old, new in (
        ('"0.1"', '"N/A"'),
        ('"rx2power"', '"rx9power"'),
        ('"tx4bias"', '"none"'),
        ('"-0.1"', '"nan"'),
        ('"51.0"', '"-1000"'),
        ('"92.0"', '""'),
    ):
        assert old in state
        with pytest.raises(Unreadable):
            sonic_modules.module(state.replace(old, new, 1), "Ethernet0")


def test_lanes_that_sonic_says_are_not_there_are_none_of_the_module():
    state, _, _ = modules_shown.sonic({"Ethernet0": Shown("EX1")})
    more = {
        f"{way}{lane}{what}": "N/A"
        for lane in range(5, 9)
        for way, what in (("rx", "power"), ("tx", "power"), ("tx", "bias"))
    }
    told = json.loads(state)
    told["TRANSCEIVER_DOM_SENSOR|Ethernet0"]["value"].update(more)
    found = sonic_modules.module(json.dumps(told), "Ethernet0")
    assert found == sonic_modules.module(state, "Ethernet0")


@pytest.mark.parametrize("said", ["nan", "-1", "", "1e309", "1,5", "2"])
def test_a_ratio_that_is_none_proves_nothing(said):
    for name in ("FEC_PRE_BER", "FEC_POST_BER"):
        _, rates, names = modules_shown.sonic({"Ethernet0": Shown("EX1")})
        told = json.loads(rates)
        told[next(iter(told))]["value"][name] = said
        with pytest.raises(Unreadable):
            sonic_modules.link(json.dumps(told), names, "Ethernet0")


def test_limits_of_bias_without_a_bias_prove_nothing():
    with pytest.raises(Unreadable, match="current"):
        list(module_faults(replace(sfp28(), bias_ma=()), limits()))


def test_a_blank_table_of_limits_is_none():
    """Modules without limits show `[0..0]`: ours are taken."""
    text = re.sub(r"\[[-0-9.]+\.\.[-0-9.]+\]", "[0..0]", modules_shown.mlxlink(Shown("EX1")))
    found = mlxlink.module(mlxlink.sections(text))
    assert (found.rx, found.temperature) == (Band(), Band())
    assert list(module_faults(found, limits())) == []


def test_colder_than_any_room_is_a_fault_of_a_module_without_limits_of_its_own():
    cold = replace(sfp28(), temperature=Band(), temperature_c=-1.0)
    assert list(module_faults(cold, limits())) == ["temperature is -1 C, below 0"]


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"rx_dbm": nan}, "optic"),
        ({"rx_dbm": -1000.0}, "optic"),
        ({"temperature_c": nan}, "optic"),
        ({"pre_fec": "nan"}, "ber"),
        ({"post_fec": "-1"}, "ber"),
        ({"pre_fec": "1e309"}, "ber"),
    ],
)
@pytest.mark.parametrize(
    "place",
    [PortRef("node-p1-2", "rail0"), PortRef("leaf-p1-r0", "swp2"), PortRef("spine1", "Ethernet0")],
)
def test_what_is_no_measurement_never_passes(place: PortRef, changes: dict[str, Any], check: str):
    """Of a NIC, of Cumulus and of SONiC: stage 15 is not sure of that port, and of it alone."""

    def change(here: PortRef, one: Shown) -> Shown:
        return replace(one, **changes) if here == place else one

    found = case(change)
    others = frozenset(ladder()) - {15}
    judged = validate(found.plan, 15, found.store, None, found.configured, leave_out=others)
    name = f"{check}:{place.device}:{place.port}"
    (mine,) = (one for one in judged.findings if one.expectation == name)
    assert mine.verdict is Verdict.INCONCLUSIVE
