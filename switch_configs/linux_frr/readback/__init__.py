"""Files of a switch -> SwitchFacts. Shares nothing with the templates or their view.

Reads foreign configurations too: what it does not understand it lists, line by line.
"""

from __future__ import annotations

from collections.abc import Callable

from switch_configs.intent import Rendered
from switch_configs.readback.facts import ServiceFacts, SwitchFacts, hazards_of

from . import daemons, frr, interfaces, lldpd, nftables, queues, services, sysctl
from .across import across
from .forms import FORMS
from .reading import LinuxReading

_READERS: dict[str, Callable[[str, LinuxReading], None]] = {
    "/etc/frr/daemons": daemons.read,
    "/etc/frr/frr.conf": frr.read,
    "/etc/lldpd.d/railbed.conf": lldpd.read,
    "/etc/network/interfaces": interfaces.read,
    "/etc/nftables.conf": nftables.read,
    "/etc/railbed/queues.tc": queues.read,
    "/etc/rsyslog.d/50-railbed.conf": services.read_rsyslog,
    "/etc/sysctl.d/90-railbed.conf": sysctl.read,
    "/etc/systemd/system/railbed-queues.service": queues.read_unit,
    "/etc/systemd/timesyncd.conf.d/railbed.conf": services.read_timesyncd,
}


def readback(rendered: Rendered) -> SwitchFacts:
    """What the files say together; a file that is not there says nothing. Never raises."""
    found = LinuxReading()
    for file in rendered.files:
        if file.path in _READERS:
            _READERS[file.path](file.text, found)
        else:
            found.unread.append(f"{file.path}: no reader")
    found.paths = frozenset(file.path for file in rendered.files)
    across(found)
    return SwitchFacts(
        hostname=found.hostname,
        release=found.release,
        asn=found.asn,
        router_id=found.router_id,
        ports=tuple(sorted(found.ports, key=lambda one: one.name)),
        sessions=tuple(sorted(found.sessions, key=lambda one: (one.vrf, one.key))),
        policies=tuple(sorted(found.policies, key=lambda one: one.name)),
        originates=tuple(sorted(found.originates)),
        discards=tuple(sorted(found.discards)),
        ecmp_width=found.ecmp_width,
        ebgp_requires_policy=found.ebgp_requires_policy,
        isolated_ports=tuple(sorted(found.isolated_ports)),
        lldp_hold_s=found.lldp_hold_s,
        hazards=hazards_of(sorted(found.hazards)),
        unread=tuple(map(FORMS.read, found.unread)),
        drained=found.drained,
        tables=found.tables,
        vlans=tuple(sorted(found.vlans, key=lambda one: one.id)),
        bonds=tuple(sorted(found.bonds, key=lambda one: one.number)),
        services=ServiceFacts(ntp=found.ntp, syslog=found.syslog),
    )
