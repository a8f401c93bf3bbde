"""Files that win over those of the roles, written out one by one, as an attacker of drift would.

From the manual pages of apt.conf(5), apt_preferences(5), sshd_config(5), systemd.unit(5),
systemd.network(5) and udev(7), not from the code that looks for them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Override:
    """A file and its text; `thing` is what drift must name, the path where it is empty."""

    path: str
    text: str
    role: str
    thing: str = ""


# A text that is a whole unit has its lines divided by "|".
_UNIT = "[Service]|ExecStart=|ExecStart=/bin/sleep infinity"
_MORE = "[Service]|Nice=5"
_CHRONY = "chrony.service"
_WAIT = "[Service]|ExecStart=/bin/true"

ON_NODE = (
    Override("/etc/apt/apt.conf", 'Acquire::AllowInsecureRepositories "true";', "os_base"),
    Override("/etc/apt/preferences", "Package: *|Pin: release *|Pin-Priority: 2000", "os_base"),
    Override(
        "/etc/ssh/sshd_config.d/00-aaa.conf",
        "PasswordAuthentication yes",
        "os_base",
        "passwordauthentication",
    ),
    Override("/etc/systemd/network/10-mine.network", "[Match]|Name=rail0", "roce_nic"),
    Override("/run/systemd/network/00-all.network", "[Match]|Name=*", "roce_nic"),
    Override("/run/systemd/network/05-kind.network", "[Match]|Type=ether", "roce_nic"),
    Override("/run/systemd/network/50-railbed-rail1.network.d/x.conf", "[Link]", "roce_nic"),
    Override(f"/etc/systemd/system/{_CHRONY}", _UNIT, "os_base"),
    Override(f"/etc/systemd/system.control/{_CHRONY}.d/x.conf", _MORE, "os_base"),
    Override(f"/run/systemd/system/{_CHRONY}.d/x.conf", _MORE, "os_base"),
    Override("/run/systemd/system.control/railbed-ofed.service", _UNIT, "ofed"),
    Override("/run/systemd/system.control/railbed-roce-nic.service", _UNIT, "roce_nic"),
    Override("/etc/systemd/system/railbed-.service.d/x.conf", _MORE, ""),
    Override("/run/systemd/system/service.d/x.conf", _MORE, ""),
    Override("/run/systemd/system.conf.d/x.conf", "[Manager]", "os_base"),
    Override("/run/sysctl.d/99-x.conf", "net.ipv4.tcp_mtu_probing = 0", ""),
    Override("/run/udev/rules.d/99-x.rules", 'SUBSYSTEM=="infiniband"', "roce_nic"),
)
ON_OOB = (
    Override("/run/systemd/network/10-x.network", "[Match]|Name=nm*", "oob_server"),
    Override("/etc/systemd/system/systemd-networkd.service", _WAIT, "oob_server"),
    Override("/etc/systemd/system.control/railbed-dnsmasq.service.d/x.conf", _MORE, "oob_server"),
)


def put(one: Override) -> tuple[str, str]:
    """The shell's words that put it in place, and those that take it away again."""
    folder = one.path.rpartition("/")[0]
    lines = " ".join(f"'{line}'" for line in one.text.split("|"))
    do = f"mkdir -p {folder}; printf '%s\\n' {lines} >{one.path}"
    # /run/systemd/system must stay: by it programs know that systemd runs (sd_booted(3)).
    drop = f"; rmdir {folder} 2>/dev/null || true" if folder.endswith(".d") else ""
    return do, f"rm {one.path}{drop}"
