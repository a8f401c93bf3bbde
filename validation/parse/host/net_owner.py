"""Which program sets up a port: systemd-networkd, NetworkManager, ifupdown, or two of them at once.

`networkctl list --no-legend`: IDX LINK TYPE OPERATIONAL SETUP (networkctl(1)); `nmcli -t -f
DEVICE,STATE,CONNECTION device`: colon-separated, a colon in a value is escaped (nmcli(1));
`ifquery --list -a`: the names that /etc/network/interfaces has, one a line (ifquery(8)).
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable, full_lines


def networkd(text: str) -> dict[str, str]:
    """Port to systemd-networkd's word on its setup: configured, unmanaged, failed ..."""
    found: dict[str, str] = {}
    for line in full_lines(text, "networkctl"):
        parts = line.split()
        if len(parts) != 5 or not parts[0].isdigit():
            raise Unreadable(f"networkctl: {line[:80]!r}")
        found[parts[1]] = parts[4]
    return found


def network_manager(text: str) -> dict[str, str]:
    """Port to NetworkManager's state of it: connected, unmanaged, disconnected ..."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        parts = re.split(r"(?<!\\):", line)
        if len(parts) != 3:
            raise Unreadable(f"nmcli: {line[:80]!r}")
        found[parts[0].replace("\\:", ":")] = parts[1]
    return found


def ifupdown(text: str) -> frozenset[str]:
    """The ports that /etc/network/interfaces sets up."""
    # The probe ends the last line of an answer, also of an empty one.
    return frozenset() if text == "\n" else frozenset(map(str.strip, full_lines(text, "ifquery")))
