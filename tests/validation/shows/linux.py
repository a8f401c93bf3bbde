"""What a node prints: lldpcli and iproute2, as far as stages 10, 20 and 40"""

from __future__ import annotations

import json

from .state import Device

LLDP = "lldpcli -f json0 show neighbors"
LINKS = "ip -j link show"
ADDRESSES = "ip -j -4 address show"


def says(here: Device) -> dict[str, str]:
    """The answers by line."""
    interfaces = [
        {
            "name": name,
            "chassis": [{"name": [{"value": system}]}],
            "port": [{"id": [{"type": "ifname", "value": at}]}],
        }
        for name, port in here.ports.items()
        for system, at in port.heard
    ]
    links = [
        {
            "ifname": name,
            "mtu": port.mtu,
            "flags": ["UP", "LOWER_UP"] if port.up else ["UP"] if port.admin_up else [],
        }
        for name, port in here.ports.items()
    ]
    return {
        LLDP: json.dumps({"lldp": [{"interface": interfaces}]}),
        LINKS: json.dumps(links),
        ADDRESSES: json.dumps([_held(*here.management)]),
    }


def _held(port: str, address: str) -> dict[str, object]:
    local, _, bits = address.partition("/")
    return {"ifname": port, "addr_info": [{"local": local, "prefixlen": int(bits)}]}
