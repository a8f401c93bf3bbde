"""/etc/frr/frr.conf of this dialect: what Debian's FRR needs beside the plan."""

from __future__ import annotations

from dataclasses import replace

from switch_configs.frr import SECTIONS, Printing, frr_conf
from switch_configs.intent import SwitchIntent

_SYSTEM = (
    "log syslog informational",
    "! Without this, FRR 8.4 keeps stale kernel routes after a link flap.",
    "no zebra nexthop kernel enable",
    "service integrated-vtysh-config",
)
_PREFIX = "frr_"

RAW_SECTIONS = tuple(f"{_PREFIX}{one}" for one in SECTIONS)
"""The sections of frr.conf, as a site names them when it adds raw lines."""


def text(intent: SwitchIntent) -> str:
    """The whole file; `DialectError` for what FRR cannot do."""
    raw = [
        replace(stanza, section=stanza.section.removeprefix(_PREFIX))
        for stanza in intent.switch.raw
        if stanza.section in RAW_SECTIONS
    ]
    # Debian builds FRR with --enable-multipath=256 (debian/rules).
    printing = Printing(release=intent.switch.release, system=_SYSTEM, paths_built=256)
    return frr_conf(intent, printing, raw)
