"""Configurations of systems that nobody here understands, by their first words."""

from __future__ import annotations

import re
from functools import cache

from switch_configs import dialects
from switch_configs.readback.spoken import spoken

_FIRST = 64 * 1024
_SYSTEMS = {
    "IOS-XR": r"!! IOS XR Configuration|!! Last configuration change.*\n(?:.*\n){0,3}hostname",
    "Junos": (
        r"## Last (?:commit|changed): "
        r"|version \d+\.\d+[RSXIB][\w.-]+;"
        r"|set version \d+\.\d+R"
        r"|set system host-name "
        r"|system \{\n {4}host-name "
    ),
    "VyOS or EdgeOS": (
        r"// vyos-config-version"
        r"|/\* Warning: Do not remove the following line"
        r"|set interfaces ethernet eth\d+ "
        r"|interfaces \{\n {4}(?:ethernet|loopback) "
    ),
    "Huawei VRP": r"!Software Version V\d+R\d+|sysname \S+\n(?:.*\n){0,40}#\n",
    "HPE Comware": r" ?version \d+\.\d+\.\d+, (?:Release|Feature|ESS|Alpha|Beta)",
    "Cisco IOS": (
        r"Current configuration : \d+ bytes"
        r"|service timestamps (?:debug|log) "
        r"|! Last configuration change at "
        r"|boot-start-marker"
    ),
    "Cisco ASA": r"ASA Version \d|: Serial Number: \S+\n: Hardware:",
    "ArubaOS-CX": r"!Version ArubaOS-CX",
    "Aruba or ProCurve": r"; \S+ Configuration Editor; Created on release",
    "Dell OS10": r"! Version 10\.\d+\.\d+|os10(?: |$)",
    "Nokia SR OS": r"# TiMOS-|configure \{\n {4}(?:card|system|port|log) ",
    "Nokia SR Linux": (
        r'"srl_nokia-'
        r"|set / (?:interface|network-instance|system) "
        r"|interface ethernet-\d+/\d+ \{"
    ),
    "FortiOS": r"#config-version=\w",
    "PAN-OS": r'<config version="[\d.]+"',
    "RouterOS": r"# .* by RouterOS \d",
    "ExtremeXOS": r"# Module devmgr configuration",
    "Onyx": r"## (?:Running database|Generated at)|## Onyx|no cli default prefix-modes enable",
    "OpenConfig": r'"openconfig-[\w-]+:',
}


@cache
def _all() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Also languages of systems whose other one is read."""
    own = (one for name in dialects() for one in spoken(name).whole.not_read.items())
    return tuple(
        (name, re.compile(rf"(?m)^[ \t]*(?:{words})")) for name, words in (*own, *_SYSTEMS.items())
    )


def other_system(text: str) -> str:
    """Whose configuration a text is that none of ours is; "" where nobody knows."""
    first = text.lstrip()[:_FIRST]
    return next((name for name, rule in _all() if rule.search(first)), "")
