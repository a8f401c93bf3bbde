"""What a change of a stanza does to traffic, by what it is.

Cisco Nexus 9000 NX-OS QoS guide 10.5(x), queuing and scheduling: changes of queuing are
disruptive, all ports of the kind lose traffic for a moment. TCAM regions, and hash and buffer
profiles of hardware, wait for a reload (Security guide, "Configuring TCAM Region Sizes").
"""

from __future__ import annotations

import re

from switch_configs.intent import Impact

_HARMLESS = (
    "aaa", "hostname", "lldp", "logging", "ntp", "snmp-server", "switchname", "tacacs-server",
    "version",
)  # fmt: skip
_FLAPS = ("interface", "policy-map type network-qos", "policy-map type queuing", "system", "vpc")
# Lines that go away or come: sessions and what lives on them start anew.
_SESSION = re.compile(r"(no )?(neighbor|router bgp|remote-as|inherit peer|template peer)\b.*")
_QUIET = re.compile(r"(no )?description\b.*")


def of_stanza(top: str) -> Impact:
    """The worst that a change of a top-level line, or of anything below it, can do."""
    word = top.removeprefix("no ")
    if word.startswith("hardware "):
        return "reload"
    if word.startswith("feature "):
        return "daemon restart" if top.startswith("no ") else "runtime"
    if word.startswith("router bgp"):
        return "daemon restart"
    if word.startswith(_FLAPS):
        return "link flap"
    return "none" if word.split(" ")[0] in _HARMLESS else "runtime"


def of_change(top: str, below: tuple[str, ...]) -> Impact:
    """As `of_stanza`, where it is known which lines below it come or go.

    Each of `below` is a line with `no ` in front where it goes away; none where only their
    order differs.
    """
    word = top.removeprefix("no ")
    if below and word.startswith("interface") and all(map(_QUIET.fullmatch, below)):
        return "none"
    if below and word.startswith("router bgp"):
        return "daemon restart" if any(map(_SESSION.fullmatch, below)) else "runtime"
    return of_stanza(top)
