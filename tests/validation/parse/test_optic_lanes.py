"""Lanes of a module that are lost: it says how many it has, or the rate of its port does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from inventory.reading.fields import Unreadable
from switch_configs.answers.linux import ethtool_module
from switch_configs.answers.media_lanes import Media, media
from switch_configs.answers.module_form import Module
from switch_configs.eos.answers import modules as eos_modules
from switch_configs.nxos.answers import modules as nxos_modules
from switch_configs.sonic.answers import modules as sonic_modules
from tests.validation import modules_shown
from tests.validation.modules_shown import Shown
from tests.validation.recorded import EVIDENCE
from validation.parse.nic import mlxlink
from validation.stages.s15_optics.judge import module_faults, whole_for
from validation.stages.s15_optics.terms import limits

ONE = Shown("EX1")
UNNAMED = Shown("EX1", part="MMA4Z00-NS400")
DARK = {"power": "-inf", "bias": "0.0"}
_MEASURED = r"(rx|tx)(\d)(power|bias)"
Read = Callable[[str], Module]
Lose = Callable[[str, int], str]


def _mlxlink(text: str) -> Module:
    return mlxlink.module(mlxlink.sections(text))


def _first(text: str, left: int) -> str:
    """mlxlink: so many figures of each list."""
    told = json.loads(text)
    fields = told["result"]["output"]["Module Info"]
    for name, said in fields.items():
        figures, bracket, rest = said.partition(" [")
        if "," in figures:
            fields[name] = ",".join(figures.split(",")[:left]) + bracket + rest
    return json.dumps(told)


def _channels(text: str, left: int) -> str:
    """EOS: so many channels."""
    told = json.loads(text)
    for part in told["interfaces"]["Ethernet1/1"]["parameters"].values():
        channels = part["channels"]
        part["channels"] = {at: one for at, one in channels.items() if at == "-" or int(at) <= left}
    return json.dumps(told)


def _table(text: str, left: int) -> str:
    """NX-OS: so many rows; a lone one is no list."""
    told = json.loads(text)
    table = told["TABLE_interface"]["ROW_interface"]["TABLE_lane"]
    table["ROW_lane"] = table["ROW_lane"][:left] if left > 1 else table["ROW_lane"][0]
    return json.dumps(told)


def _rows(text: str, left: int) -> str:
    """ethtool: the rows of the others are not there."""
    return re.sub(rf"(?m)^.*\(Channel [{left + 1}-9]\).*\n", "", text)


def _sensor(text: str, left: int, said: dict[str, str] | None) -> str:
    """SONiC: the others say this, or nothing."""
    told = json.loads(text)
    held = told["TRANSCEIVER_DOM_SENSOR|Ethernet0"]["value"]
    for match in filter(None, [re.fullmatch(_MEASURED, name) for name in list(held)]):
        if int(match[2]) > left:
            del held[match[0]]
            held |= {match[0]: said[match[3]]} if said else {}
    return json.dumps(told)


def _dark(text: str, left: int) -> str:
    """ethtool: the others have neither current nor light."""
    text = re.sub(rf"(?m)(bias.*\(Channel [{left + 1}-9]\).*: ).*", r"\1 0.000 mA", text)
    return re.sub(
        rf"(?m)(power.*\(Channel [{left + 1}-9]\).*: ).*", r"\1 0.0000 mW / -inf dBm", text
    )


LOST: dict[str, tuple[Callable[[Shown], str], Read, Lose]] = {
    "ethtool rows": (modules_shown.ethtool, ethtool_module.module, _rows),
    "ethtool dark": (modules_shown.ethtool, ethtool_module.module, _dark),
    "mlxlink": (modules_shown.mlxlink, _mlxlink, _first),
    "eos": (
        lambda one: modules_shown.eos("Ethernet1/1", one)[0],
        partial(eos_modules.module, port="Ethernet1/1"),
        _channels,
    ),
    "nxos": (
        lambda one: modules_shown.nxos({"Ethernet1/1": one}),
        partial(nxos_modules.module, port="Ethernet1/1"),
        _table,
    ),
    **{
        f"sonic {name}": (
            lambda one: modules_shown.sonic({"Ethernet0": one})[0],
            partial(sonic_modules.module, port="Ethernet0"),
            partial(_sensor, said=said),
        )
        for name, said in (
            ("rows", None),
            ("N/A", dict.fromkeys(DARK, "N/A")),
            ("dark", DARK),
        )
    },
}


def faults(read: Read, text: str, rate_gbps: float = 400) -> list[str]:
    """As stage 15 judges it."""
    found = read(text)
    whole_for(found, rate_gbps)
    return list(module_faults(found, limits()))


@pytest.mark.parametrize("left", [1, 2, 3])
@pytest.mark.parametrize("one", [ONE, UNNAMED], ids=["named", "unnamed"])
@pytest.mark.parametrize("how", LOST)
def test_no_lane_of_four_is_lost_in_silence(how: str, one: Shown, left: int):
    """In all three figures, by whatever reader, whether or not its name counts the lanes."""
    show, read, lose = LOST[how]
    assert faults(read, show(one)) == []
    with suppress(Unreadable):
        assert faults(read, lose(show(one), left))


@pytest.mark.parametrize("form", ["0x18 (QSFP-DD Double Density)", "0x19 (OSFP 8X)"])
def test_a_map_of_eight_lanes_tells_of_eight(form: str):
    text = modules_shown.ethtool(ONE).replace("0x1e (QSFP+ or later with CMIS)", form)
    with pytest.raises(Unreadable, match="4 lanes"):
        ethtool_module.module(text)
    more = re.sub(
        r"(?m)^(.*)\(Channel (\d)\)(.*)\n",
        lambda at: f"{at[0]}{at[1]}(Channel {int(at[2]) + 4}){at[3]}\n",
        text,
    )
    assert len(ethtool_module.module(more).rx_dbm) == 8
    assert len(ethtool_module.module(_dark(more, 4)).rx_dbm) == 4
    assert "of lane 3 is" in faults(ethtool_module.module, _dark(more, 2))[0]


def test_sonic_counts_lanes_that_no_name_counts():
    state = json.loads(modules_shown.sonic({"Ethernet0": UNNAMED})[0])
    told = state["TRANSCEIVER_INFO|Ethernet0"]["value"]
    told["application_advertisement"] = "{1: {'host_lane_count': 8, 'media_lane_count': 8}}"
    with pytest.raises(Unreadable, match="4 of the module's 8 lanes"):
        sonic_modules.module(json.dumps(state), "Ethernet0")


def test_a_port_that_has_a_part_of_a_module_has_a_part_of_its_lanes():
    show, read, lose = LOST["eos"]
    assert faults(read, lose(show(ONE), 2), rate_gbps=200) == []
    with pytest.raises(Unreadable, match="1 of 2 lanes"):
        faults(read, lose(show(ONE), 1), rate_gbps=200)


def test_one_lane_is_whole_where_it_is_all_that_there_is():
    sfp28 = (EVIDENCE / "ethtool_module/sr_sfp28.txt").read_text()
    assert faults(ethtool_module.module, sfp28, rate_gbps=25) == []


@pytest.mark.parametrize(
    ("form", "name", "found"),
    [
        ("OSFP", "400GBASE-DR4 (Clause 124)", Media(4, 400)),
        ("QSFP-DD Double Density 8X", "QDD-400G-SR8-S", Media(8, 400)),
        ("OSFP", "800G-2xDR4", Media(8, 800)),
        ("", "800GBASE-2FR4", Media(8, 800)),
        ("0x11 (QSFP28)", "100G Ethernet: 100G Base-SR4 or 25GBase-SR", Media(4, 100)),
        ("0x03 (SFP)", "100G Ethernet: 100G Base-SR4 or 25GBase-SR", Media(1, 100)),
        ("QSFP28", "100G-CWDM4", Media(4, 100)),
        ("QSFP28", "QSFP28-100G-DR1", Media(1, 100)),
        ("OSFP", "OSFP-400G-XDR4", Media(4, 400)),
        ("QSFP-DD", "QDD-400G-ZR-S", Media(1)),
        ("OSFP", "MMA4Z00-NS400", None),
        ("QSFP28", "100GBASE-DR", None),
        ("SFP28", "25GBASE-SR", None),
    ],
)
def test_names_count_lanes(form: str, name: str, found: Media | None):
    assert media(form, [name]) == found
