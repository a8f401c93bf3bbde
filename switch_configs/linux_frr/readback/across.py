"""What only several files together show."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase

from . import queues, sysctl
from .reading import LinuxReading


def across(found: LinuxReading) -> None:
    """Put the parts together, and say as hazards what does not fit."""
    _missing(found)
    _names(found)
    _lists(found)
    _queues(found)
    _untrusted(found)
    sysctl.judge(found)
    _announced(found)
    _logins(found)
    if found.management_ports:
        _switched_only(found)
    else:
        _routed(found)


_NEEDS = {
    "/etc/network/interfaces": (
        "/etc/sysctl.d/90-railbed.conf",
        "the kernel's settings are Debian's: it forwards nothing, or what it should not",
    ),
    "/etc/frr/frr.conf": (
        "/etc/frr/daemons",
        "FRR starts the daemons of its package: no bgpd and no bfdd",
    ),
}


def _missing(found: LinuxReading) -> None:
    """Of a whole switch; a single file may be read alone."""
    if "/etc/network/interfaces" not in found.paths:
        return
    found.hazards += [
        f"{needed} is not there: {why}"
        for path, (needed, why) in _NEEDS.items()
        if path in found.paths and needed not in found.paths
    ]


def _names(found: LinuxReading) -> None:
    if found.lldp_name and found.hostname and found.lldp_name != found.hostname:
        found.hazards.append(f"LLDP announces the name {found.lldp_name}, not {found.hostname}")
    if found.hostname is None and found.management_ports:
        found.hostname, found.release = found.lldp_name, found.lldp_release


def _lists(found: LinuxReading) -> None:
    by_port = {f"vlan{vlan.id}": vlan for vlan in found.vlans}
    found.hazards += [
        f"the access list of {port} is for no VLAN here"
        for port in found.access
        if port not in by_port
    ]
    found.vlans = [replace(one, acl=found.access.get(port, ())) for port, one in by_port.items()]


def _queues(found: LinuxReading) -> None:
    known = {port.name for port in found.ports}
    strays = sorted(set(found.queues) - known)
    found.hazards += [f"classes for {name}, which is not described" for name in strays]
    queues.frames_fit(found)
    found.ports = [replace(port, qos=found.queues.get(port.name)) for port in found.ports]
    if found.queues and not found.has_queues_unit:
        found.hazards.append("classes are not loaded at start: their unit is not there")


def _untrusted(found: LinuxReading) -> None:
    """In a VLAN of another table are users; what DSCP they say may not be believed."""
    theirs = {vlan.id for vlan in found.vlans if vlan.vrf}
    ports = {
        f"bond{port.bond}" if port.bond is not None else port.name
        for port in found.ports
        if theirs & set(port.vlans)
    }
    for port in sorted(ports - found.untrusted):
        found.broken(f"the DSCPs of {port} are believed")
    for one in sorted(found.untrusted - ports):
        found.broken(f"the DSCPs of {one} are cleared, and it has no users")


def _announced(found: LinuxReading) -> None:
    if found.lldp_patterns is None:
        return
    physical = [port.name for port in found.ports if port.name != "lo" and "." not in port.name]
    silent = [
        name
        for name in physical
        if not any(fnmatchcase(name, pattern) for pattern in found.lldp_patterns)
    ]
    idle = [
        pattern
        for pattern in found.lldp_patterns
        if physical and not any(fnmatchcase(name, pattern) for name in physical)
    ]
    if silent or idle:
        found.hazards.append("LLDP may speak on the management port and not on all data ports")


def _logins(found: LinuxReading) -> None:
    """The loopback and the management ports are let in whole, and no other."""
    ours = {"lo", *found.isolated_ports, *found.management_ports}
    found.hazards += [f"logins are accepted on port {one}" for one in sorted(found.let_in - ours)]
    if found.let_in and "lo" not in found.let_in:
        found.hazards.append("the switch drops its own logins: lo is not let in")


def _routed(found: LinuxReading) -> None:
    if "forward" in found.stopped:
        found.hazards.append("nothing is forwarded between data ports")
    if "input" in found.stopped:
        found.hazards.append("BGP and BFD of the data ports are dropped")


def _switched_only(found: LinuxReading) -> None:
    if not found.forwards_nothing:
        found.hazards.append("zones may reach each other: forwarding is not dropped")
    for port in found.management_ports:
        if port not in found.let_in:
            found.hazards.append(f"port {port} is not let in before anything is dropped")
