"""Reads /etc/frr/daemons: shell assignments (FRR manual, "Daemons Configuration File")."""

from __future__ import annotations

import re

from switch_configs.readback.facts import Hazard

from .reading import LinuxReading

_LINE = re.compile(r"([a-z0-9_]+)=(.*)")
_NEEDED = {
    "bgpd": "bgpd does not run: there is no BGP",
    "bfdd": Hazard("bfdd does not run: BFD stays down, whatever frr.conf says", "routing-beside"),
    "vtysh_enable": Hazard(
        "vtysh_enable is not yes: frr.conf is not loaded at start", "routing-beside"
    ),
}
_OTHERS = frozenset(
    f"{name}d"
    for name in (
        *("ospf", "ospf6", "rip", "ripng", "isis", "fabric", "eigrp", "babel"),
        *("pim", "pim6", "ldp", "nhrp", "pbr", "path", "vrrp", "sharp"),
    )
)
# Telnet consoles on loopback only; zebra with the netlink buffer of FRR's own package.
_OPTIONS = {
    "zebra_options": '"-A 127.0.0.1 -s 90000000"',
    "bgpd_options": '"-A 127.0.0.1"',
    "staticd_options": '"-A 127.0.0.1"',
    "bfdd_options": '"-A 127.0.0.1"',
}


def read(text: str, found: LinuxReading) -> None:
    """Which daemons run; one that is needed and does not is a hazard."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match and _known(match[1], match[2]):
            values[match[1]] = match[2]
        else:
            found.unread.append(f"daemons: {line}")
    found.hazards += [why for name, why in _NEEDED.items() if values.get(name) != "yes"]
    running = sorted(name for name in _OTHERS if values.get(name) == "yes")
    found.hazards += [f"{name} runs and nothing configures it" for name in running]
    loose = sorted(name for name in _OPTIONS if values.get(name) != _OPTIONS[name])
    found.hazards += [f"{name} is not set: its package may open a console" for name in loose]
    found.unread += [f"daemons: {name} is not mentioned" for name in sorted(_OTHERS - set(values))]


def _known(name: str, value: str) -> bool:
    if name in _OPTIONS:
        return value == _OPTIONS[name]
    return (name in _NEEDED or name in _OTHERS) and value in ("yes", "no")
