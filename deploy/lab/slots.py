"""Which /30 of 100.64.0.0/16 a lab's access link takes, so that labs do not clash."""

from __future__ import annotations

import json
from ipaddress import IPv4Network, ip_network

from deploy.errors import RailbedError

from .command import run
from .paths import RUNTIME

LOCK = RUNTIME / "slots.lock"


def free_slot() -> int:
    """The lowest slot that no lab and no route of this host uses; call it under LOCK."""
    # Nothing else of it is read: another clone's labs may be described otherwise than ours.
    taken = {json.loads(path.read_text())["slot"] for path in RUNTIME.glob("*/lab.json")}
    routes = _routes()
    for slot in range(256):
        ours = ip_network(f"100.64.{slot}.0/30")
        if slot not in taken and not any(ours.overlaps(route) for route in routes):
            return slot
    raise RailbedError("no slot is free for another lab", hint="`railbed lab down --name NAME`")


def _routes() -> list[IPv4Network]:
    """The host's own networks; the default route is no claim on an address."""
    found = json.loads(run(["ip", "-json", "-4", "route", "show"]))
    return [IPv4Network(one["dst"]) for one in found if one["dst"] != "default"]
