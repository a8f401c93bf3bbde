"""The words of NVUE that changed between releases, in one table.

Sources: NVIDIA Cumulus Linux user guides, "What's New": 5.10 (auto-save state), 5.11
(`system snmp-server`), 5.12 (TACACS+ servers by name), 5.13 (`system syslog`, `system
gnmi-server`), 5.15 ("New and Changed NVUE Commands": `state enabled` for `enable on`, `ipv4` for
`ip`, `system ntp`, `system lldp`, BFD profiles).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .tree import Tree

RELEASES = (
    "5.9.0", "5.10.0", "5.10.1", "5.11.0", "5.12.0", "5.13.0", "5.14.0", "5.15.0", "5.16.0",
    "5.16.1", "5.16.2", "5.16.3",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """What one release calls things; a path is the keys from the root of the tree.

    `by_priority` says that TACACS+ servers are keyed by their priority, `logins_listed` that what
    is asked first is one list, `bfd_profiles` that BFD timers are in a profile and not at each
    neighbour.
    """

    on: str
    off: str
    enable: Tree
    auto_save_off: Tree
    ipv4: str
    vrf_in_ip: bool
    vrr_state: str
    ntp: tuple[str, ...]
    syslog: tuple[str, ...]
    snmp: tuple[str, ...]
    snmp_enable: Tree
    lldp: tuple[str, ...]
    gnmi: tuple[str, ...] | None
    by_priority: bool
    logins_listed: bool
    bfd_profiles: bool


@cache
def words(release: str) -> Words:
    """The words of one of RELEASES."""
    number = int(release.split(".")[1])
    new = number >= 15
    return Words(
        on="enabled" if new else "on",
        off="disabled" if new else "off",
        enable={"state": "enabled"} if new else {"enable": "on"},
        auto_save_off={"state": "disabled"} if number >= 10 else {"enable": "off"},
        ipv4="ipv4" if new else "ip",
        vrf_in_ip=not new,
        vrr_state="vrr-state" if new else "state",
        ntp=("system", "ntp") if new else ("service", "ntp", "mgmt"),
        syslog=("system", "syslog") if number >= 13 else ("service", "syslog", "mgmt"),
        snmp=("system" if number >= 11 else "service", "snmp-server"),
        snmp_enable={"state": "enabled"} if number >= 11 else {"enable": "on"},
        lldp=("system" if new else "service", "lldp"),
        gnmi=("system", "gnmi-server") if number >= 13 else None,
        by_priority=number < 12,
        logins_listed=new,
        bfd_profiles=new,
    )
