"""Healthy outputs of links, optics and switches with their readers, as stages use them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from switch_configs.answers.linux import chrony, ethtool_module, ntpq
from switch_configs.answers.module_form import Link, Module
from switch_configs.answers.said import Said
from switch_configs.cumulus.answers import phy as nvue_phy
from switch_configs.eos.answers import clocks as eos_clocks
from switch_configs.eos.answers import modules as eos_modules
from switch_configs.nxos.answers import modules as nxos_modules
from switch_configs.sonic.answers import modules as sonic_modules
from validation.parse.nic import dcb, ethtool, mlnx_qos, mlxlink, mlxreg, rdma_sysfs
from validation.stages.s15_optics.judge import flap_fault, link_faults, module_faults
from validation.stages.s15_optics.terms import limits

from . import clock_says, host_machine, modules_shown
from .cuts import Case, carried, counters, lossless, switch_routing, switch_state
from .modules_shown import Shown

_EVIDENCE = Path(__file__).parents[1] / "evidence"
_ONE = Shown("EX2300A0417")


@dataclass(frozen=True)
class Reading:
    """`read` raises Unreadable where a stage would be inconclusive; `numbers`: at least so many."""

    name: str
    read: Callable[[str], object]
    text: str
    numbers: int


def recorded(name: str) -> str:
    return (_EVIDENCE / name).read_text(encoding="utf-8")


def rows(text: str) -> str:
    """JSON with a field a line."""
    return json.dumps(json.loads(text), indent=1) + "\n"


def _mlxlink(text: str) -> object:
    told = mlxlink.sections(text)
    found = mlxlink.module(told), mlxlink.link(told)
    list(module_faults(found[0], limits()))
    list(link_faults(found[1], limits()))
    flap_fault(found[1], limits())
    return found


def _module(read: Callable[[str], Module]) -> Callable[[str], object]:
    def judged(text: str) -> object:
        found = read(text)
        list(module_faults(found, limits()))
        return found

    return judged


def _link(read: Callable[[str], Link]) -> Callable[[str], object]:
    def judged(text: str) -> object:
        found = read(text)
        list(link_faults(found, limits()))
        return found

    return judged


_STATE, _RATES, _NAMES = map(rows, modules_shown.sonic({"Ethernet0": _ONE}))
_DOM, _PHY = map(rows, modules_shown.eos("Ethernet1/1", _ONE))
_NEXUS = rows(modules_shown.nxos({"Ethernet1/1": _ONE}))
_ETHTOOL = _module(ethtool_module.module)
OPTICS = (
    Reading("mlxlink-json", _mlxlink, modules_shown.mlxlink(_ONE), 20),
    Reading("mlxlink-dac", _mlxlink, recorded("mlxlink/dac_text.txt"), 3),
    Reading("mlxlink-dr4", _mlxlink, recorded("mlxlink/dr4_lot_text.txt"), 20),
    Reading("ethtool-m-cmis", _ETHTOOL, recorded("ethtool_module/dr4_cmis.txt"), 6),
    Reading("ethtool-m-sfp28", _ETHTOOL, recorded("ethtool_module/sr_sfp28.txt"), 3),
    Reading("ethtool-m-dac", _ETHTOOL, recorded("ethtool_module/dac_sff8636.txt"), 1),
    Reading("nvue-phy-detail", _link(nvue_phy.link), modules_shown.nvue(_ONE), 3),
    Reading("sonic-modules", _module(partial(sonic_modules.module, port="Ethernet0")), _STATE, 20),
    Reading(
        "sonic-rates",
        _link(partial(sonic_modules.link, names=_NAMES, port="Ethernet0")),
        _RATES,
        2,
    ),
    Reading("eos-modules", _module(partial(eos_modules.module, port="Ethernet1/1")), _DOM, 5),
    Reading("eos-phys", _link(partial(eos_modules.link, port="Ethernet1/1")), _PHY, 2),
    Reading("nxos-modules", _module(partial(nxos_modules.module, port="Ethernet1/1")), _NEXUS, 16),
)


def _dcb(part: str) -> Callable[[str], object]:
    told = {one: recorded(f"dcb/{one}.json") for one in ("pfc", "ets", "app_old", "buffer")}

    def read(text: str) -> object:
        asked = {**told, part: text}
        pfc, ets, app, buffer = (asked[one] for one in told)
        return dcb.port_qos(pfc, ets, app, buffer, '{"host":true}')

    return read


def _taken(case: Case, text: str) -> object:
    return case.takes(case.read(text))


QOS = (
    Reading("mlnx_qos", mlnx_qos.port_qos, host_machine.mlnx_qos(), 30),
    Reading("mlnx_qos-no-buffers", mlnx_qos.port_qos, recorded("mlnx_qos/no_buffers.txt"), 15),
    Reading("mlnx_qos-lldpad", mlnx_qos.port_qos, recorded("mlnx_qos/no_dscp_lldpad.txt"), 9),
    Reading("dcb-pfc", _dcb("pfc"), rows(recorded("dcb/pfc.json")), 0),
    Reading("dcb-ets", _dcb("ets"), rows(recorded("dcb/ets.json")), 8),
    Reading("dcb-app", _dcb("app_old"), rows(recorded("dcb/app_old.json")), 64),
    Reading("dcb-buffer", _dcb("buffer"), rows(recorded("dcb/buffer.json")), 16),
)
_SERVER = clock_says.Asked("10.88.0.1", ahead_s=0.000125)
CLOCKS = (
    Reading("chrony", chrony.tracking, clock_says.chrony([_SERVER])["tracking"][1], 3),
    Reading("ntpq", ntpq.peers, clock_says.ntpq([_SERVER]), 1),
    Reading(
        "eos-clocks",
        lambda text: eos_clocks.read(Said("show", 0, text)),
        clock_says.eos([_SERVER]),
        1,
    ),
)
# Of the cases that are cut elsewhere: those with numbers. Maps of SAI are long, and read alike; of
# its ports an attribute that was never set is not there (lossless/sonic.py).
_CUT = re.compile(
    r".*(carried|counters|lossless-profiles|lossless-groups|pfc|wires|bfd|bgp).*"
    r"|(eos|nxos)-ports|sections"
)
OTHERS = (
    Reading("ethtool-g", ethtool.rings, recorded("ethtool/rings.txt"), 4),
    Reading("gids", rdma_sysfs.gids, host_machine.answers()["gids"][1], 0),
    Reading("mlxreg", mlxreg.fields_of, "name | 0x00000001\nother_name | 0x00000000\n", 0),
    *(
        Reading(one.name, partial(_taken, one), one.text, 0)
        for module in (carried, counters, lossless, switch_routing, switch_state)
        for one in module.CASES
        if _CUT.fullmatch(one.name)
    ),
)
CASES = (*OPTICS, *QOS, *CLOCKS, *OTHERS)
