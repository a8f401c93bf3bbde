"""Stage 15: modules and links of a fabric of 400G, all well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inventory.plan import Plan, PortRef
from switch_configs.answers.linux import ethtool_module
from switch_configs.cumulus.answers import ask as cumulus
from switch_configs.sonic.answers import ask as sonic
from validation.stages.s15_optics import ask
from validation.stages.s15_optics.expect import ends

from .. import modules_shown, roce_site
from ..modules_shown import Shown
from . import Healthy, answered

Change = Callable[[PortRef, Shown], Shown]


def healthy() -> Healthy:
    """Every NIC and every port that RDMA passes shows a module of its own."""
    return case()


def case(change: Change = lambda _, one: one, plan: Plan | None = None) -> Healthy:
    """The same, with what each port shows passed by `change` first; of another plan, if given."""
    plan, said = plan or roce_site.plan(), dict[str, dict[str, str]]()
    everything = frozenset(plan.devices)
    spines: dict[str, dict[str, Shown]] = {}
    for at, (here, _) in enumerate(ends(plan, everything)):
        one = change(here, Shown(f"EX2300A{at:04d}"))
        texts = said.setdefault(here.device, {})
        if here.device in plan.node:
            texts[ask.mlxlink_line(plan, here)] = modules_shown.mlxlink(one)
        elif plan.switch[here.device].dialect == "cumulus":
            texts[ethtool_module.line(here.port)] = modules_shown.ethtool(one)
            texts[cumulus.phy(here.port)] = modules_shown.nvue(one)
        else:
            spines.setdefault(here.device, {})[here.port] = one
    for device, ports in spines.items():
        lines = (sonic.MODULES, sonic.RATES, sonic.NAMES)
        texts = said.setdefault(device, {})
        texts.update(zip(lines, modules_shown.sonic(ports), strict=True))
    return Healthy(15, plan, everything, answered(plan, said))


def exchanged(one: Shown, **changes: object) -> Shown:
    """The same module, otherwise."""
    return replace(one, **changes)  # type: ignore[arg-type]
