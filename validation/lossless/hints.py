"""What to type on a switch, in its own words, for each thing that is found wrong. Data.

Commands: sonic-utilities, doc/Command-Reference.md (PFC, QoS, buffers); Cisco Nexus 9000 QoS guide,
Configuring Priority Flow Control.
"""

from __future__ import annotations

from .expect import PfcExpected

_HINTS = {
    ("nxos", "pfc"): "`show policy-map system type network-qos` must have `pause pfc-cos`, and "
    "`interface {port}` the line `priority-flow-control mode on`",
    ("sonic", "pfc"): "`show pfc priority {port}`; each is set by "
    "`config interface pfc priority {port} PRIORITY on|off`",
    ("sonic", "trust"): "`sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|{port}'` must name a "
    "`dscp_to_tc_map`, and no other map of markings",
    ("sonic", "dscps"): "`sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|{port}'`, and the maps that "
    "it names",
    ("sonic", "queues"): "`sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|{port}'`: its "
    "`tc_to_queue_map` and `pfc_to_queue_map` must meet in one queue",
    ("sonic", "rooms"): "`show buffer information`; headroom follows from the port's "
    "speed, MTU and length in CABLE_LENGTH, and `{port}` needs all three",
}


def hint(dialect: str, one: PfcExpected, what: str) -> str:
    """Where to look on this system for one kind of difference."""
    return _HINTS.get((dialect, what), "").format(port=one.port)
