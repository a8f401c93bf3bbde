"""Stage 25: switches that hold and run what is rendered, in the words of their tools."""

from __future__ import annotations

import hashlib
import json

from inventory import open_site
from inventory.plan import Plan, PortRef
from switch_configs import render
from switch_configs.linux_frr.files import NFTABLES, OWNED, SYSCTL
from validation.locating.locate import other_end
from validation.stages.s25_switch_state import ask
from validation.stages.s25_switch_state.expect import SettingsExpected, expectations

from . import Healthy, answered

SWITCHES = frozenset({"leaf-p1-r0", "spine1", "spine2"})
RULES = "table inet railbed {\n\tchain input {\n\t\ttcp dport 22 drop\n\t}\n}\n"


def healthy() -> Healthy:
    """A leaf and its spines."""
    plan = open_site("lab")
    said = {name: switch_says(plan, name) for name in sorted(SWITCHES)}
    return Healthy(25, plan, SWITCHES, answered(plan, said))


def switch_says(plan: Plan, name: str) -> dict[str, str]:
    """All that stage 25 asks a switch."""
    wanted = next(
        one
        for one in expectations(plan, SWITCHES)
        if isinstance(one, SettingsExpected) and one.device == name
    )
    values = "".join(f"{key} = {value}\n" for key, value in wanted.values)
    known = ask.files_of(plan, name)
    return {
        ask.files_line(known): files(plan, name),
        ask.frr_line(known): "end\n",
        ask.settings_line(key for key, _ in wanted.values): f"{values}end\n",
        ask.FILTERS: RULES,
        ask.filters_line(known): RULES,
        ask.FAILED: "end\n",
        ask.BFD: bfd(plan, name),
    }


def files(plan: Plan, name: str) -> str:
    """As stat(1) and sha256sum(1) say it: modes without a leading zero."""
    held = {one.path: one for one in render(plan, name).files}
    assert {NFTABLES, SYSCTL} <= set(held)
    lines = [
        f"{path} {held[path].mode.lstrip('0')} {held[path].owner}:{held[path].group} "
        f"{hashlib.sha256(held[path].text.encode()).hexdigest()}"
        if path in held
        else f"{path} -"
        for path in OWNED
    ]
    return "".join(f"{line}\n" for line in [*lines, "end"])


def bfd(plan: Plan, name: str, status: str = "up", among: frozenset[str] = SWITCHES) -> str:
    """The keys that FRR 8.4 prints, of the sessions whose other end is there."""
    timers = plan.switch[name].timers
    peers = [
        {
            "multihop": False,
            "peer": "fe80::1",
            "interface": one.key,
            "status": status,
            "transmit-interval": timers.bfd_interval_ms,
            "detect-multiplier": timers.bfd_multiplier,
            "remote-transmit-interval": timers.bfd_interval_ms,
            "remote-detect-multiplier": timers.bfd_multiplier,
        }
        for one in plan.switch[name].sessions
        if other_end(plan, PortRef(name, one.port)).device in among
    ]
    return json.dumps(peers)
