"""A small full-lossless site of each switch system, and what its switches answer about PFC."""

from __future__ import annotations

import json
from collections.abc import Mapping

from inventory.plan import Plan
from switch_configs import dialect, render
from switch_configs.nxos.answers import ANSWERS as NXOS
from switch_configs.qos import port_qos
from switch_configs.sonic.answers import lossless as sonic
from tests.switch_configs.sites import small
from validation.evidence import ask as stage_ask

from . import lossless_says as says
from . import running_says
from .healthy import Healthy, answered
from .lossless_says import WELL, Told


def carrying(plan: Plan, device: str) -> list[str]:
    """The ports of a switch that carry the lossless class."""
    switch = plan.switch[device]
    return [one.name for one in switch.ports if port_qos(switch, plan.lossless, one)]


def said(system: str, ports: Mapping[str, Told]) -> dict[str, str]:
    """What a switch answers to each line that is asked of it."""
    if system == "nxos":
        assert NXOS.lossless is not None
        return dict.fromkeys(NXOS.lossless.lines, says.nxos(ports))
    texts = says.sonic(ports)
    return {line: texts[name] for name, line in sonic.LINES.items()}


def healthy(system: str) -> Healthy:
    """Stage 40 of a leaf and a spine alone: MTU, the running configuration, PFC as it runs."""
    plan, told = small(system), dict[str, dict[str, str]]()
    for device in sorted(running_says.SWITCHES):
        made = render(plan, device)
        told[device] = said(system, dict.fromkeys(carrying(plan, device), WELL))
        told[device][dialect(system).state_command()] = running_says.says(made)
        told[device][stage_ask.LINKS] = _links(plan, device)
    return Healthy(40, plan, running_says.SWITCHES, answered(plan, told))


def _links(plan: Plan, device: str) -> str:
    """`ip -j link show` of a switch whose ports are Linux's."""
    flags = ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"]
    ports = plan.switch[device].ports
    return json.dumps([{"ifname": o.name, "mtu": o.ip_mtu_bytes, "flags": flags} for o in ports])
