"""Configurations of systems that nobody here understands, by their first words."""

from __future__ import annotations

import re

_FIRST = 64 * 1024
_SYSTEMS = (
    ("IOS-XR", r"!! IOS XR Configuration|!! Last configuration change.*\n(?:.*\n){0,3}hostname"),
    ("Junos", r"## Last (?:commit|changed): |version \d+\.\d+[RSXIB][\w.-]+;|set version \d+\.\d+R"
     r"|set system host-name |system \{\n {4}host-name "),
    ("VyOS or EdgeOS", r"// vyos-config-version|/\* Warning: Do not remove the following line"
     r"|set interfaces ethernet eth\d+ |interfaces \{\n {4}(?:ethernet|loopback) "),
    ("Huawei VRP", r"!Software Version V\d+R\d+|sysname \S+\n(?:.*\n){0,40}#\n(?:.*\n)*undo "),
    ("HPE Comware", r" ?version \d+\.\d+\.\d+, (?:Release|Feature|ESS|Alpha|Beta)"),
    ("Cisco IOS", r"Current configuration : \d+ bytes|service timestamps (?:debug|log) "
     r"|! Last configuration change at |boot-start-marker"),
    ("Cisco ASA", r"ASA Version \d|: Serial Number: \S+\n: Hardware:"),
    ("ArubaOS-CX", r"!Version ArubaOS-CX"),
    ("Aruba or ProCurve", r"; \S+ Configuration Editor; Created on release"),
    ("Dell OS10", r"! Version 10\.\d+\.\d+|os10(?: |$)"),
    ("Nokia SR OS", r"# TiMOS-|configure \{\n {4}(?:card|system|port|log) "),
    ("Nokia SR Linux", r'"srl_nokia-|set / (?:interface|network-instance|system) '
     r"|interface ethernet-\d+/\d+ \{"),
    ("FortiOS", r"#config-version=\w"),
    ("PAN-OS", r"<config version=\"[\d.]+\""),
    ("RouterOS", r"# .* by RouterOS \d"),
    ("ExtremeXOS", r"# Module devmgr configuration"),
    ("Onyx", r"## (?:Running database|Generated at)|## Onyx|no cli default prefix-modes enable"),
    ("OpenConfig", r'"openconfig-[\w-]+:'),
)  # fmt: skip
_ALL = tuple((name, re.compile(rf"(?m)^\s*(?:{words})")) for name, words in _SYSTEMS)


def other_system(text: str) -> str:
    """Whose configuration a text is that none of ours is; "" where nobody knows."""
    first = text[:_FIRST]
    return next((name for name, rule in _ALL if rule.search(first)), "")
