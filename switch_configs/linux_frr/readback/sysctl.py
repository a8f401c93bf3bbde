"""Reads the kernel settings of a switch (kernel documentation, networking/ip-sysctl)."""

from __future__ import annotations

import re

from switch_configs.readback.facts import Hazard, HazardKind

from .reading import LinuxReading

_LINE = re.compile(r"([a-z0-9._]+) *= *(\d+)")
_NEEDED: dict[str, tuple[str, str]] = {
    "net.ipv4.ip_forward": ("1", "IPv4 is not forwarded"),
    "net.ipv6.conf.all.forwarding": ("1", "IPv6 is not forwarded, nor are routers announced"),
    "net.ipv6.conf.default.forwarding": ("1", "new ports do not announce themselves as routers"),
    "net.ipv4.conf.all.rp_filter": ("0", "what is asymmetric may be dropped"),
    "net.ipv4.conf.default.rp_filter": ("0", "new ports may drop what is asymmetric"),
    "net.ipv4.fib_multipath_hash_policy": ("1", "IPv4 paths are chosen without ports"),
    "net.ipv6.fib_multipath_hash_policy": ("1", "IPv6 paths are chosen without ports"),
    "net.ipv6.conf.all.accept_dad": ("0", "link-local addresses come up late"),
    "net.ipv6.conf.default.accept_dad": ("0", "link-local addresses of new ports come up late"),
}


_PRIORITY = "net.ipv4.ip_forward_update_priority"
_OF_SWITCHED: dict[str, tuple[str, str]] = {
    "net.ipv4.ip_forward": ("0", "zones may reach each other over IPv4"),
    "net.ipv6.conf.all.forwarding": ("0", "zones may reach each other over IPv6"),
    "net.ipv6.conf.default.forwarding": ("0", "new ports may forward IPv6"),
}


def read(text: str, found: LinuxReading) -> None:
    """All settings that are known, for `judge`."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        match = _LINE.fullmatch(line.strip())
        if match and match[1] in {*_NEEDED, _PRIORITY} and match[1] not in values:
            values[match[1]] = match[2]
        else:
            found.unread.append(f"sysctl: {line.strip()}")
    found.settings = values


def judge(found: LinuxReading) -> None:
    """Each setting that this switch needs and does not have is a hazard."""
    if found.settings is None:
        return
    needed = dict(_OF_SWITCHED if found.management_ports else _NEEDED)
    if found.queues:
        needed[_PRIORITY] = ("0", "a routed packet gets its priority from its TOS, not our filters")
    for key, (wanted, otherwise) in needed.items():
        if found.settings.get(key) != wanted:
            kind: HazardKind = "lossless" if key == _PRIORITY else "other"
            words = f"{key} is {found.settings.get(key, 'not set')}: {otherwise}"
            found.hazards.append(Hazard(words, kind))
    for key in sorted(set(found.settings) - set(needed)):
        found.unread.append(f"sysctl: {key} = {found.settings[key]}")
