"""Stage 10: every device of the lab with its planned addresses, as `ip` tells them."""

from __future__ import annotations

import json

from inventory import open_site
from validation.evidence import ask
from validation.expect import expectations
from validation.ladder import ladder
from validation.stages.s10_oob.expect import AnswersExpected

from . import Healthy, answered


def healthy() -> Healthy:
    """All devices, the OOB server among them: it gives the leases."""
    plan = open_site("lab")
    devices = frozenset(plan.devices)
    due = expectations(plan, devices, 10, frozenset(ladder()) - {10})
    said = {
        one.device: {ask.ADDRESSES: json.dumps([*map(_port, one.addresses)])}
        for one in due
        if isinstance(one, AnswersExpected)
    }
    return Healthy(10, plan, devices, answered(plan, said))


def _port(held: tuple[str, str]) -> dict[str, object]:
    """An entry of `ip -j -4 address show`."""
    port, (address, _, bits) = held[0], held[1].partition("/")
    info = {"family": "inet", "local": address, "prefixlen": int(bits), "scope": "global"}
    return {"ifname": port, "flags": ["UP", "LOWER_UP"], "addr_info": [info]}
