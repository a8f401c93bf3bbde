"""Stage 10: every device of the lab with its planned addresses, and the time in every zone."""

from __future__ import annotations

import json
from dataclasses import replace

from inventory import open_site
from inventory.plan import SiteTime
from switch_configs.answers.linux import ntp
from validation.evidence import ask
from validation.expect import expectations
from validation.ladder import ladder
from validation.manifest import ask_node
from validation.stages.s10_oob.expect import (
    AnswersExpected,
    ClockFollowsExpected,
    TimeServedExpected,
)

from .. import clock_says
from . import Healthy, answered

SOURCES = ("192.0.2.5", "time.example.org")
# chrony 4.3 on a server that follows a source, and its answer to a question of `ntp.question`.
TRACKING = "C0000205,192.0.2.5,3,1795796811.06,-0.000003,0,0,0,0,0,0,0,64.2,Normal\n"
DATE = "1795797900\n"
TIME = """\
asks
 24 0a 30 e7 00 00 00 00 00 00 00 00 7f 7f 01 01
 ee b4 2d ba 48 0b 0c 7c 30 30 30 30 30 30 30 30
 ee b4 2d bb 8a 34 0c cd ee b4 2d bb 8d 7c 97 1a
"""


def healthy() -> Healthy:
    """All devices, the OOB server among them: it gives the leases, and the time."""
    lab = open_site("lab")
    plan = replace(lab, oob=replace(lab.oob, time=SiteTime(SOURCES, "set")))
    devices = frozenset(plan.devices)
    said: dict[str, dict[str, str]] = {
        plan.oob.name: {ask_node.TRACKING: TRACKING, ask_node.DATE: DATE}
    }
    for one in expectations(plan, devices, 10, frozenset(ladder()) - {10}):
        mine = said.setdefault(one.device, {})
        if isinstance(one, AnswersExpected):
            mine[ask.ADDRESSES] = json.dumps([*map(_port, one.addresses)])
        elif isinstance(one, TimeServedExpected):
            mine[ntp.question(one.server)] = TIME
        elif isinstance(one, ClockFollowsExpected):
            mine |= clock_says.healthy(plan, one.device)
    return Healthy(10, plan, devices, answered(plan, said), _spares)


def _spares(command: str, expectation: str) -> bool:
    """Addresses, the time of each zone and its source are told by an answer each."""
    if expectation.startswith("answers:"):
        return command != ask.ADDRESSES
    if expectation.startswith("switch_clock:"):
        return "measured:" not in command
    if expectation.startswith("time_source:"):
        return command not in (ask_node.TRACKING, ask_node.DATE)
    server = {"hostmgmt": "10.88.1.1", "netmgmt": "10.88.0.1"}[expectation.rpartition(":")[2]]
    return f"/{server}/" not in command


def _port(held: tuple[str, str]) -> dict[str, object]:
    """An entry of `ip -j -4 address show`."""
    port, (address, _, bits) = held[0], held[1].partition("/")
    info = {"family": "inet", "local": address, "prefixlen": int(bits), "scope": "global"}
    return {"ifname": port, "flags": ["UP", "LOWER_UP"], "addr_info": [info]}
