"""Reads /etc/frr/frr.conf by the reader that all systems with FRR share."""

from __future__ import annotations

from switch_configs.frr import Reading
from switch_configs.frr import read as read_conf

from .reading import LinuxReading

_KERNEL_NEXTHOPS = "no zebra nexthop kernel enable"
_READING = Reading(
    system={
        "log syslog informational": "FRR does not log to syslog at level informational",
        "service integrated-vtysh-config": (
            "frr.conf is not the one file: no integrated-vtysh-config"
        ),
        _KERNEL_NEXTHOPS: (
            "kernel nexthop objects are on: FRR 8.4 may keep stale routes after a link flap"
        ),
    }
)
_NEWER = Reading(
    system={line: "" if line == _KERNEL_NEXTHOPS else why for line, why in _READING.system.items()}
)


def read(text: str, found: LinuxReading) -> None:
    """Everything neutral in it; lines that are not understood go to `unread`."""
    facts = read_conf(text, _READING)
    if not (facts.release or "8.").startswith("8."):
        facts = read_conf(text, _NEWER)
    found.hostname, found.release = facts.hostname, facts.release
    found.asn, found.router_id = facts.asn, facts.router_id
    found.sessions += facts.sessions
    found.policies += facts.policies
    found.originates += facts.originates
    found.discards += facts.discards
    found.ecmp_width = facts.ecmp_width
    found.ebgp_requires_policy = facts.ebgp_requires_policy
    found.drained, found.tables = facts.drained, facts.tables
    found.hazards += facts.hazards
    found.unread += [f"frr: {line}" for line in facts.unread]
