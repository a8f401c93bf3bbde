"""The files that this dialect owns on a switch, whole, and what a change of each does."""

from __future__ import annotations

from switch_configs.intent import ConfigFile, Impact

DAEMONS = "/etc/frr/daemons"
FRR = "/etc/frr/frr.conf"
INTERFACES = "/etc/network/interfaces"
LLDPD = "/etc/lldpd.d/railbed.conf"
NFTABLES = "/etc/nftables.conf"
QUEUES = "/etc/railbed/queues.tc"
QUEUES_UNIT = "/etc/systemd/system/railbed-queues.service"
RSYSLOG = "/etc/rsyslog.d/50-railbed.conf"
SYSCTL = "/etc/sysctl.d/90-railbed.conf"
TIMESYNCD = "/etc/systemd/timesyncd.conf.d/railbed.conf"

PENDING = "/var/lib/railbed/pending"
"""Is there while a change is not confirmed; never rendered, so it always shows as a difference."""

_FRR_OWNED = ("frr", "frr", "0640")
_ROOT_OWNED = ("root", "root", "0644")

# An MTU change restarts the port on much real hardware, so interfaces are "link flap".
_OWNED: dict[str, tuple[tuple[str, str, str], Impact]] = {
    DAEMONS: (_FRR_OWNED, "daemon restart"),
    FRR: (_FRR_OWNED, "runtime"),
    INTERFACES: (_ROOT_OWNED, "link flap"),
    LLDPD: (_ROOT_OWNED, "none"),
    NFTABLES: (_ROOT_OWNED, "runtime"),
    QUEUES: (_ROOT_OWNED, "runtime"),
    QUEUES_UNIT: (_ROOT_OWNED, "none"),
    RSYSLOG: (_ROOT_OWNED, "none"),
    SYSCTL: (_ROOT_OWNED, "runtime"),
    TIMESYNCD: (_ROOT_OWNED, "none"),
}

OWNED = tuple(sorted(_OWNED))


# ifupdown2 writes these while a port is up: ifalias, the address, and rules of a bridge port.
_LIVE: dict[str, Impact] = {
    "#": "none",
    "alias": "none",
    "address": "runtime",
    "gateway": "runtime",
    "post-up": "runtime",
    "bridge-access": "runtime",
    "bridge-pvid": "runtime",
    "bridge-vids": "runtime",
    "bridge-ports": "runtime",
}


def impact_of(path: str, where: tuple[str, ...] = ()) -> Impact:
    """What changing this place of a file does to traffic; "none" for a path that is not ours.

    `where` are the lines that it stands in, outermost first; () is the whole file.
    """
    whole: Impact = _OWNED[path][1] if path in _OWNED else "none"
    if path != INTERFACES or not where:
        return whole
    words = where[-1].split()
    return _LIVE.get(words[0], whole) if words else "none"


def owned_file(path: str, text: str) -> ConfigFile:
    """The file as it must lie on the device."""
    (owner, group, mode), impact = _OWNED[path]
    return ConfigFile(path, text, owner, group, mode, impact)
