"""Reads a file of lldpcli(8) commands."""

from __future__ import annotations

from .reading import LinuxReading


def read(text: str, found: LinuxReading) -> None:
    """Name, ports, the kind of port name announced and for how long it is believed."""
    interval_s = hold = None
    by_name = False
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match line.split():
            case ["configure", "system", "hostname", name]:
                found.lldp_name = name
            case ["configure", "system", "interface", "pattern", patterns]:
                found.lldp_patterns = tuple(patterns.split(","))
            case ["configure", "system", "description", '"linux_frr', release] if release.endswith(
                '"'
            ):
                found.lldp_release = release[:-1]
            case ["configure", "lldp", "portidsubtype", "ifname"]:
                by_name = True
            case ["configure", "lldp", "tx-interval", seconds] if seconds.isdecimal():
                interval_s = int(seconds)
            case ["configure", "lldp", "tx-hold", times] if times.isdecimal():
                hold = int(times)
            case _:
                found.unread.append(f"lldpd: {line.strip()}")
    if interval_s and hold:
        found.lldp_hold_s = interval_s * hold
    if not by_name:
        found.hazards.append("LLDP announces ports by MAC, not by name")
    if found.lldp_patterns is None:
        found.hazards.append("LLDP may speak on the management port and not on all data ports")
    if not found.lldp_name:
        found.hazards.append("LLDP announces a name that the resolver gives, or none")
