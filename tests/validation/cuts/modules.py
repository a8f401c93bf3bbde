"""Modules and error ratios: mlxlink in both forms, ethtool -m, SONiC, EOS, NX-OS."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from switch_configs.answers.linux import ethtool_module
from switch_configs.cumulus.answers import phy as nvue_phy
from switch_configs.eos.answers import modules as eos_modules
from switch_configs.nxos.answers import modules as nxos_modules
from switch_configs.sonic.answers import modules as sonic_modules
from validation.parse.nic import mlxlink

from .. import modules_shown
from ..modules_shown import Shown
from . import Case

_HERE = Path(__file__).parents[2] / "evidence"
_ONE = Shown("EX2300A0417")
_STATE, _RATES, _NAMES = modules_shown.sonic({"Ethernet0": _ONE})
_DOM, _PHY = modules_shown.eos("Ethernet1/1", _ONE)
_NEXUS = modules_shown.nxos({"Ethernet1/1": _ONE})


def _mlxlink(text: str) -> object:
    found = mlxlink.sections(text)
    return mlxlink.module(found), mlxlink.link(found)


def _told(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


CASES = (
    Case("mlxlink-json", _mlxlink, modules_shown.mlxlink(_ONE)),
    Case("mlxlink-text-dac", _mlxlink, _told("mlxlink/dac_text.txt")),
    Case("mlxlink-text-lot", _mlxlink, _told("mlxlink/dr4_lot_text.txt")),
    Case("ethtool-m-lot", ethtool_module.module, _told("ethtool_module/dr4_cmis_lot.txt")),
    Case("ethtool-m-cmis", ethtool_module.module, _told("ethtool_module/dr4_cmis.txt")),
    Case("ethtool-m-dac", ethtool_module.module, _told("ethtool_module/dac_sff8636.txt")),
    Case("nvue-phy-detail", nvue_phy.link, modules_shown.nvue(_ONE)),
    Case("sonic-modules", partial(sonic_modules.module, port="Ethernet0"), _STATE),
    Case("sonic-rates", partial(sonic_modules.link, names=_NAMES, port="Ethernet0"), _RATES),
    Case("eos-modules", partial(eos_modules.module, port="Ethernet1/1"), _DOM),
    Case("eos-phys", partial(eos_modules.link, port="Ethernet1/1"), _PHY),
    Case("nxos-modules", partial(nxos_modules.module, port="Ethernet1/1"), _NEXUS),
)
