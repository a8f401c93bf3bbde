"""What CONFIG_DB asks of the Linux under it: read by this parser alone.

Defaults are SONiC's: a port of PORT is down and has 9100 bytes (sonic-swss, portmgr.h); LLDP speaks
every 30 s and holds 120 (docker-lldp); all is forwarded. IPv6 without an address is spoken where
`ipv6_use_link_local_only` says so: without it there, neighbours by link-local addresses are not
programmed (sonic-swss, neighsync.cpp). The management port has a table of its own with
MGMT_VRF_CONFIG. What Linux under it cannot do (queues, PFC, buffers, lists), and what nobody has
written here yet (VLANs, bonds, routing tables), stays rows.
"""

from __future__ import annotations

import json
from typing import Any

from ..wanted import LOOPBACK, Port, Wanted

MANAGEMENT, TABLE = "eth0", "mgmt"
_MTU_BYTES, _MANAGEMENT_MTU_BYTES = 9100, 1500
_LLDP_S = (30, 120)
Tables = dict[str, Any]


def wanted(text: str) -> Wanted:
    """What these tables ask for."""
    said: Tables = json.loads(text or "{}")
    box = said.get("DEVICE_METADATA", {}).get("localhost", {})
    apart = said.get("MGMT_VRF_CONFIG", {}).get("vrf_global", {}).get("mgmtVrfEnabled") == "true"
    table = TABLE if apart else ""
    management = Port(
        MANAGEMENT, True, _MANAGEMENT_MTU_BYTES, _address(said, "MGMT_INTERFACE", MANAGEMENT),
        vrf=table,
    )  # fmt: skip
    loopback = Port(LOOPBACK, True, 65536, _address(said, "LOOPBACK_INTERFACE", "Loopback0"))
    ports = [management, loopback, *(_port(said, one) for one in said.get("PORT", {}))]
    gateways = [row["gwaddr"] for row in said.get("MGMT_INTERFACE", {}).values() if "gwaddr" in row]
    return Wanted(
        hostname=box.get("hostname", "sonic"),
        ports={one.name: one for one in ports},
        routes={table: dict.fromkeys(["0.0.0.0/0"][: len(gateways)], "".join(gateways[:1]))},
        forwards={4: True, 6: True},
        lldp=_LLDP_S,
        ssh={"", TABLE},
        users={},
        time={said.get("NTP", {}).get("global", {}).get("vrf", ""): [*said.get("NTP_SERVER", {})]},
        unsaid_is_up=False,
    )


def _port(said: Tables, name: str) -> Port:
    row = said["PORT"][name]
    way = said.get("INTERFACE", {}).get(name, {})
    return Port(
        name,
        row.get("admin_status") == "up",
        int(row.get("mtu", _MTU_BYTES)),
        _address(said, "INTERFACE", name),
        has_ipv6=way.get("ipv6_use_link_local_only") == "enable",
    )


def _address(said: Tables, table: str, port: str) -> str:
    """Its first IPv4 address."""
    held = (key.partition("|") for key in said.get(table, {}))
    return next((at for name, _, at in held if name == port and at and ":" not in at), "")
