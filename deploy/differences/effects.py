"""What a change does to traffic and jobs, and why, in one phrase. Pure.

Of a file it is what reads it that decides: sources are the manual pages of what reads it
(modprobe.d(5), modules-load.d(5), systemd.network(5), systemd.link(5), sysctl.d(5), limits.conf(5),
sshd_config(5)), and the handlers of the roles, which say what starts again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from switch_configs.intent import Impact
from validation.manifest.differences import Drift


class Effect(NamedTuple):
    """An impact, and why."""

    impact: Impact
    reason: str


_JOBS = "jobs read it when they start"
_BOOT = "the kernel command line is read at boot"
_ITS_DAEMON = "its daemon reads it as it starts"
_PORTS = "the port is configured again; a new MTU takes its link down and up"
# roles/oob_server changes these with a way back.
_COMES_BACK = "goes back by itself unless SSH confirms it anew"
# The first that fits.
_FILES: tuple[tuple[str, Impact, str], ...] = (
    (r"/etc/modprobe\.d/.+", "driver reload", "options are read when the module loads"),
    (r"/etc/modules-load\.d/.+", "reboot", "modules named there are loaded at boot"),
    (r"/etc/(default/grub|kernel/cmdline)\.d/.+", "reboot", _BOOT),
    (r"/etc/default/railbed-nic-firmware", "reboot", "NICs read firmware settings at a reset"),
    (r"/etc/systemd/network/.+\.link", "reboot", "a NIC gets its name when it appears"),
    (r"/etc/udev/.+persistent-naming.+", "driver reload", "RDMA devices get names as they appear"),
    (r"/etc/udev/.+", "runtime", "udev reads it at a device's next event"),
    (
        r"/etc/systemd/network/(50-railbed-(br|ports)-.+|50-railbed-(trunk|vlan-).*|.+\.d/50-railbed\.conf)",
        "link flap",
        f"bridges, VLANs made anew; {_COMES_BACK}",
    ),
    (r"/etc/(systemd/network|netplan|network/interfaces\.d)/.+", "link flap", _PORTS),
    (r"/etc/NetworkManager/system-connections/.+", "link flap", _PORTS),
    (r"/etc/(systemd/networkd|NetworkManager/conf).+", "daemon restart", _ITS_DAEMON),
    (r"/etc/sysctl\.d/.+", "runtime", "sysctl gives it to the kernel at once"),
    (r"/etc/security/limits\.d/.+", "none", "read at a login; what runs keeps its limits"),
    (r"/etc/systemd/system\.conf\.d/.+", "runtime", "systemd reads its settings again"),
    (r"/etc/ssh/.+", "daemon restart", "sshd reads it as it starts; sessions stay"),
    (r"/etc/chrony.*", "daemon restart", "chronyd reads it as it starts"),
    (r"/etc/lldpd\.d/.+", "daemon restart", "lldpd reads it as it starts; nothing forwards by it"),
    (r"/etc/(apt|yum\.repos\.d|pki)/.+", "none", "read when packages are installed"),
    (r"/etc/(hosts|railbed/oob/hosts)", "runtime", "names are looked up in it from now on"),
    (r"/etc/hostname", "runtime", "the name is taken at once"),
    (r"/etc/(containerd|docker)/.+", "daemon restart", _ITS_DAEMON),
    (r"/etc/railbed/oob/(dnsmasq\.conf|dhcp-hosts)", "daemon restart", "dnsmasq reads it"),
    (r"/etc/railbed/oob/firewall\.nft", "runtime", f"nft replaces all rules; {_COMES_BACK}"),
    (r"/etc/railbed/packages/.+", "daemon restart", "nginx reads it as it starts"),
    (r"/etc/(nccl\.conf|cufile\.json|cufile-.+|ucx/.+)", "none", _JOBS),
    (r"/etc/railbed/nccl-.+|/usr/local/lib/railbed/nccl/.+", "none", _JOBS),
    (r"/etc/systemd/system/.+", "daemon restart", "the service starts again with it"),
    (r"/etc/(default/railbed-.+|railbed/.+)", "runtime", "its service reads it again"),
    (r"/usr/local/(sbin|lib)/.+", "runtime", "its service runs it again"),
    (r"/var/lib/railbed-.+\.applied", "runtime", "the services of the role run again"),
)
_PACKAGES: dict[str, Effect] = {
    "nvidia_driver": Effect("driver reload", "the loaded module stays until it is loaded again"),
    "ofed": Effect("driver reload", "the loaded module stays until it is loaded again"),
    "gds": Effect("driver reload", "the loaded module stays until it is loaded again"),
    "container_runtime": Effect("daemon restart", "the package starts its daemon again"),
    "nccl": Effect("none", "jobs load the library when they start"),
}
_A_PACKAGE = Effect("runtime", "the package's files are replaced; what runs keeps the old ones")
_NOT_KNOWN = Effect("reboot", "nobody said what reads it, so the worst is told")
_ACCESS = Effect("none", "who may read and write it changes, not what it says")
_OPTIONS = re.compile(r"[-+ ]*options (\S+)")
_SWITCHES: dict[Impact, str] = {
    "none": "nothing that forwards reads it",
    "runtime": "the running system takes it over",
    "daemon restart": "its daemon reads it as it starts",
    "link flap": "the port goes down and comes up with it",
    "driver reload": "the driver reads it when it loads",
    "reload": "the system reads it when it loads its configuration anew",
    "reboot": "the system reads it at boot",
}
OF_NOBODY = Effect("none", "no role and no push takes it away: a person does")


def of_file(path: str, lines: Iterable[str] = ()) -> Effect:
    """Of a file's text; the worst for a file that nobody described. `lines` name modules."""
    fits = (Effect(word, why) for rule, word, why in _FILES if re.fullmatch(rule, path))
    found = next(fits, _NOT_KNOWN)
    modules = sorted({match[1] for line in lines if (match := _OPTIONS.match(line))})
    if not path.startswith("/etc/modprobe.d/") or not modules:
        return found
    return Effect(found.impact, f"options of {', '.join(modules)} are read when the module loads")


def of_switch(impact: Impact) -> Effect:
    """Of a switch's section, of which the dialect says the impact."""
    return Effect(impact, _SWITCHES[impact])


def of_drift(drift: Drift, lines: Iterable[str] = ()) -> Effect:
    """Of one thing of a server; KeyError for a kind that no role owns."""
    if drift.kind in ("file", "folder") and drift.wanted.startswith(("mode ", "owner ")):
        return _ACCESS
    if drift.kind == "file":
        return of_file(drift.what, lines)
    if drift.kind == "package":
        is_mark = drift.wanted in ("on hold", "not on hold")
        mark = Effect("none", "a mark of apt's; the package stays")
        return mark if is_mark else _PACKAGES.get(drift.role, _A_PACKAGE)
    if drift.kind == "unit":
        return _UNITS.get(drift.wanted, _A_UNIT)
    return _KINDS[drift.kind]


_A_UNIT = Effect("daemon restart", "the unit is installed, and starts")
_UNITS: dict[str, Effect] = {
    "enabled": Effect("none", "counts from the next boot on"),
    "disabled": Effect("none", "counts from the next boot on"),
    "masked": Effect("none", "nobody can start it from now on"),
    "active": Effect("runtime", "the service is started"),
    "inactive": Effect("runtime", "the service is stopped"),
    "loaded as on disk": Effect("daemon restart", "systemd reads the unit again, and it starts"),
}
_KINDS: dict[str, Effect] = {
    "folder": Effect("none", "a folder is made"),
    "sysctl": Effect("runtime", "the kernel takes it at once"),
    "kernel arguments": Effect("reboot", _BOOT),
    "sshd option": Effect(
        "none", "new connections get what sshd says; another file's word, no role's"
    ),
    "stray": OF_NOBODY,
}
