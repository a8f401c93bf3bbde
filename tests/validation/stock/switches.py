"""What healthy switches answer: addresses, neighbours, routes, modules, configurations, PFC."""

from __future__ import annotations

import json

from inventory.plan import Plan
from switch_configs import dialect, render
from switch_configs.answers import answers
from switch_configs.answers.linux import ethtool_module
from switch_configs.cumulus.answers import ask as cumulus
from switch_configs.eos.answers import ask as eos
from switch_configs.nxos.answers import modules as nxos
from switch_configs.sonic.answers import ask as sonic
from validation.stages.s10_oob.expect import AnswersExpected, expectations
from validation.stages.s15_optics.expect import ends
from validation.stages.s25_switch_state import ask as ask_25
from validation.stages.s25_switch_state.expect import (
    BfdExpected,
    FilesExpected,
    FiltersExpected,
    FrrExpected,
    ServicesExpected,
    SettingsExpected,
)
from validation.stages.s25_switch_state.expect import expectations as expectations_25

from .. import clock_says, lossless_site, modules_shown, running_says
from ..healthy import stage_25
from ..lossless_says import WELL
from ..modules_shown import Shown
from ..shows import eos as eos_shows
from ..shows import frr as frr_shows
from ..shows import linux as linux_shows
from ..shows import nxos as nxos_shows
from ..shows.state import Device
from ..shows.state import healthy as all_well
from .said import Said

_SHOWS = {"eos": eos_shows.says, "nxos": nxos_shows.says}


def addresses(plan: Plan) -> Said:
    """Every device's addresses in the OOB plane."""
    due = expectations(plan, frozenset(plan.devices))
    return {one.device: _held(plan, one) for one in due if isinstance(one, AnswersExpected)}


def _held(plan: Plan, one: AnswersExpected) -> dict[str, str]:
    """A switch has one such port; the OOB server one in each zone."""
    switch = plan.any_switch.get(one.device)
    if switch and switch.dialect in _SHOWS:
        device = Device(one.device, loopback="192.0.2.1", management=one.addresses[0])
        return _SHOWS[switch.dialect](device)
    held = [(port, *address.split("/")) for port, address in one.addresses]
    told = [{"ifname": port, "addr_info": [_inet(local, int(bits))]} for port, local, bits in held]
    return {linux_shows.ADDRESSES: json.dumps(told)}


def _inet(local: str, bits: int) -> dict[str, object]:
    return {"family": "inet", "local": local, "prefixlen": bits, "scope": "global"}


def clocks(plan: Plan) -> Said:
    """Every clock follows the first planned server."""
    every = plan.any_switch if plan.switch_services.ntp else ()
    return {name: clock_says.healthy(plan, name) for name in every}


def fabric(plan: Plan) -> Said:
    """Neighbours, sessions, routes and ports of a fabric that is all well."""
    state = all_well(plan)
    return {
        name: _SHOWS.get(plan.switch[name].dialect, frr_shows.says)(one)
        if name in plan.switch
        else linux_shows.says(one)
        for name, one in state.items()
    }


def modules(plan: Plan) -> Said:
    """A module in every port of a switch that RDMA passes."""
    shown: dict[str, dict[str, Shown]] = {}
    for at, (here, _) in enumerate(ends(plan, frozenset(plan.devices))):
        if here.device in plan.switch:
            shown.setdefault(here.device, {})[here.port] = Shown(f"EX2300A{at:04d}")
    return {name: _MODULES[plan.switch[name].dialect](ports) for name, ports in shown.items()}


def _cumulus_modules(ports: dict[str, Shown]) -> dict[str, str]:
    said = {ethtool_module.line(port): modules_shown.ethtool(one) for port, one in ports.items()}
    return said | {cumulus.phy(port): modules_shown.nvue(one) for port, one in ports.items()}


def _sonic_modules(ports: dict[str, Shown]) -> dict[str, str]:
    lines = (sonic.MODULES, sonic.RATES, sonic.NAMES)
    return dict(zip(lines, modules_shown.sonic(ports), strict=True))


def _eos_modules(ports: dict[str, Shown]) -> dict[str, str]:
    """One document for all ports, as `show` prints it without a port."""
    both = [[json.loads(text) for text in modules_shown.eos(*one)] for one in ports.items()]
    return {
        line: json.dumps({key: {k: v for pair in both for k, v in pair[at][key].items()}})
        for at, (line, key) in enumerate(
            ((eos.MODULES, "interfaces"), (eos.PHYS, "interfacePhyStatuses"))
        )
    }


def _nxos_modules(ports: dict[str, Shown]) -> dict[str, str]:
    return {nxos.LINE: modules_shown.nxos(ports)}


def _linux_modules(ports: dict[str, Shown]) -> dict[str, str]:
    return {ethtool_module.line(port): modules_shown.ethtool(one) for port, one in ports.items()}


_MODULES = {
    "cumulus": _cumulus_modules,
    "eos": _eos_modules,
    "linux_frr": _linux_modules,
    "nxos": _nxos_modules,
    "sonic": _sonic_modules,
}


def running(plan: Plan) -> Said:
    """Every switch runs what is rendered."""
    found: Said = {}
    for name, switch in plan.any_switch.items():
        line = dialect(switch.dialect).state_command()
        if line:
            found[name] = {line: running_says.says(render(plan, name))}
    return found


def paused(plan: Plan) -> Said:
    """What the ports of the lossless class pause, where a system is asked for it."""
    return {
        name: lossless_site.said(
            switch.dialect, dict.fromkeys(lossless_site.carrying(plan, name), WELL)
        )
        for name, switch in plan.switch.items()
        if answers(switch.dialect).lossless and lossless_site.carrying(plan, name)
    }


def linux(plan: Plan) -> Said:
    """Switches of Linux and FRR hold and run what is rendered."""
    everything, found = frozenset(plan.devices), Said()
    for one in expectations_25(plan, everything):
        known = answers(plan.any_switch[one.device].dialect).files
        if known is None:
            continue
        mine = found.setdefault(one.device, {})
        match one:
            case FilesExpected():
                mine[ask_25.files_line(known)] = stage_25.files(plan, one.device)
            case FrrExpected():
                mine[ask_25.frr_line(known)] = "end\n"
            case SettingsExpected():
                values = "".join(f"{key} = {value}\n" for key, value in one.values)
                mine[ask_25.settings_line(key for key, _ in one.values)] = f"{values}end\n"
            case FiltersExpected():
                mine[ask_25.FILTERS] = mine[ask_25.filters_line(known)] = stage_25.RULES
            case ServicesExpected():
                mine[ask_25.FAILED] = "end\n"
            case BfdExpected():
                mine[ask_25.BFD] = stage_25.bfd(plan, one.device, among=everything)
    return found
