"""What only several files together show."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase

from . import sysctl
from .found import Found


def across(found: Found) -> None:
    """Put the parts together, and say as hazards what does not fit."""
    _names(found)
    _lists(found)
    _queues(found)
    _untrusted(found)
    sysctl.judge(found)
    _announced(found)
    if found.management_ports:
        _switched_only(found)


def _names(found: Found) -> None:
    if found.lldp_name and found.hostname and found.lldp_name != found.hostname:
        found.hazards.append(f"LLDP announces the name {found.lldp_name}, not {found.hostname}")
    if found.hostname is None and found.management_ports:
        found.hostname, found.release = found.lldp_name, found.lldp_release


def _lists(found: Found) -> None:
    by_port = {f"vlan{one.id}": one for one in found.vlans}
    found.hazards += [
        f"the access list of {port} is for no VLAN here"
        for port in found.access
        if port not in by_port
    ]
    found.vlans = [replace(one, acl=found.access.get(port, ())) for port, one in by_port.items()]


def _queues(found: Found) -> None:
    known = {one.name for one in found.ports}
    strays = sorted(set(found.queues) - known)
    found.hazards += [f"classes for {name}, which is not described" for name in strays]
    found.ports = [replace(one, qos=found.queues.get(one.name)) for one in found.ports]
    if found.queues and not found.has_queues_unit:
        found.hazards.append("classes are not loaded at start: their unit is not there")


def _untrusted(found: Found) -> None:
    """In a VLAN of another table are users; what DSCP they say may not be believed."""
    theirs = {one.id for one in found.vlans if one.vrf}
    ports = {
        f"bond{one.bond}" if one.bond is not None else one.name
        for one in found.ports
        if theirs & set(one.vlans)
    }
    found.hazards += [f"the DSCPs of {one} are believed" for one in sorted(ports - found.untrusted)]
    found.hazards += [
        f"the DSCPs of {one} are cleared, and it has no users"
        for one in sorted(found.untrusted - ports)
    ]


def _announced(found: Found) -> None:
    if found.lldp_patterns is None:
        return
    physical = [one.name for one in found.ports if one.name != "lo" and "." not in one.name]
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


def _switched_only(found: Found) -> None:
    if not found.forwards_nothing:
        found.hazards.append("zones may reach each other: forwarding is not dropped")
    for port in found.management_ports:
        if port not in found.let_in:
            found.hazards.append(f"port {port} is not let in before anything is dropped")
