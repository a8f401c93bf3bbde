"""Reads drop-ins of systemd-timesyncd (timesyncd.conf(5)) and rsyslog (its omfwd module)."""

from __future__ import annotations

import re
from ipaddress import ip_address

from .reading import LinuxReading

_FORWARD = re.compile(
    r'\*\.\* action\(type="omfwd" target="([0-9a-f.:]+)" port="514" protocol="udp"\)'
)


def read_timesyncd(text: str, found: LinuxReading) -> None:
    """The time servers, in order; those that Debian would add are a hazard."""
    section = fallback = None
    for raw in text.splitlines():
        line = raw.strip()
        key, equals, value = line.partition("=")
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = line
            known = line == "[Time]"
        elif section == "[Time]" and equals and key == "NTP" and _are_addresses(value.split()):
            found.ntp = tuple(value.split())
            known = True
        else:
            known = section == "[Time]" and key == "FallbackNTP" and bool(equals) and not value
            fallback = "" if known else fallback
        if not known:
            found.unread.append(f"timesyncd: {line}")
    if fallback is None:
        found.hazards.append("Debian's own time servers are asked when ours do not answer")


def read_rsyslog(text: str, found: LinuxReading) -> None:
    """The servers that all messages go to, in order."""
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        match = _FORWARD.fullmatch(line)
        if match and _are_addresses([match[1]]):
            found.syslog = (*found.syslog, match[1])
        else:
            found.unread.append(f"rsyslog: {line}")


def _are_addresses(words: list[str]) -> bool:
    try:
        return bool(words) and all(str(ip_address(word)) == word for word in words)
    except ValueError:
        return False
