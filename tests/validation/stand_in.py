"""A system that lies in a folder, and the real state probe run on it by a real shell."""

from __future__ import annotations

import getpass
import grp
import hashlib
import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from validation.evidence.gather import parts, script
from validation.manifest import node_state
from validation.manifest.differences import Answer
from validation.manifest.drift import Compared, compare
from validation.manifest.owned import (
    Manifest,
    OwnedArguments,
    OwnedFile,
    OwnedFolder,
    OwnedOption,
    OwnedPackage,
    OwnedSysctl,
    OwnedUnit,
    Watched,
)

OWNER, GROUP = getpass.getuser(), grp.getgrgid(os.getegid()).gr_name
CONF = "a = 1\n"
# Two sizes of pages: which number belongs to which, the order says.
ARGUMENTS = "iommu=pt hugepagesz=2M hugepages=16 hugepagesz=1G hugepages=8"
STAGED = "/etc/kernel/cmdline.d/ours.conf"
DROP_IN = "[Service]\nRestart=always\n"
# dpkg's list of packages: deb822 stanzas (dpkg-query(1), FILES; deb-status fields in dpkg(1)).
STATUS = """\
Package: chrony
Status: install ok installed
Maintainer: nobody
Architecture: amd64
Version: 4.3-2+deb12u1
Description: time

Package: rdma-core
Status: hold ok installed
Maintainer: nobody
Architecture: amd64
Version: 44.0-2
Description: verbs
"""
# Captured: `systemctl show` of systemd 252 as the probe asks it, for a unit that runs, one
# that is disabled and one that does not exist.
UNITS = """\
Names=systemd-networkd.service dbus-org.freedesktop.network1.service
LoadState=loaded
ActiveState=active
UnitFileState=enabled
NeedDaemonReload=no
FragmentPath=/lib/systemd/system/systemd-networkd.service
DropInPaths=/usr/lib/systemd/system/service.d/10-of-a-package.conf

Names=systemd-networkd-wait-online.service
LoadState=loaded
ActiveState=inactive
UnitFileState=disabled
NeedDaemonReload=no
FragmentPath=/lib/systemd/system/systemd-networkd-wait-online.service
DropInPaths=
"""

# What `sshd -T` of OpenSSH 9.2 prints of the option.
SSHD = "permitrootlogin without-password\n"
NETWORK = "[Match]\nName=rail0 rail1\n\n[Network]\nDHCP=no\n"
RAIL = "/etc/systemd/network/50-ours.network"

MANIFEST = Manifest(
    "node-p1-1",
    ("os", "rails"),
    files=(
        OwnedFile(
            RAIL, "rails", hashlib.sha256(NETWORK.encode()).hexdigest(), OWNER, GROUP, "0644"
        ),
        OwnedFile(
            "/etc/sysctl.d/60-ours.conf",
            "rails",
            hashlib.sha256(CONF.encode()).hexdigest(),
            OWNER,
            GROUP,
            "0644",
        ),
        OwnedFile(
            "/etc/systemd/system/chrony.service.d/ours.conf",
            "os",
            hashlib.sha256(DROP_IN.encode()).hexdigest(),
            OWNER,
            GROUP,
            "0640",
        ),
    ),
    folders=(OwnedFolder("/etc/sysctl.d", "rails", OWNER, GROUP, "0755"),),
    packages=(
        OwnedPackage("chrony", "os", "4.3-2+deb12u1", hold=False),
        OwnedPackage("rdma-core", "os", "", hold=True),
    ),
    units=(
        OwnedUnit("systemd-networkd-wait-online.service", "rails", enabled=False, active=None),
        OwnedUnit("systemd-networkd.service", "rails", enabled=True, active=True),
    ),
    sysctls=(
        OwnedSysctl("net.ipv4.conf.rail0.arp_ignore", "rails", "1"),
        OwnedSysctl("net.ipv4.tcp_rmem", "os", "4096 131072 6291456"),
    ),
    arguments=(OwnedArguments(ARGUMENTS, "os", STAGED),),
    options=(OwnedOption("permitrootlogin", "os", "without-password"),),
    strays=(
        Watched("/etc/sysctl.d/*", "rails"),
        Watched("/etc/systemd/system/chrony.service.d/*", "os"),
    ),
)


def healthy(root: Path) -> Path:
    """A system that is as MANIFEST says; what a package owns beside it is nobody's business."""
    put(root, "/etc/sysctl.d/60-ours.conf", CONF, 0o644)
    put(root, "/etc/systemd/system/chrony.service.d/ours.conf", DROP_IN, 0o640)
    put(root, "/var/lib/dpkg/status", STATUS)
    put(root, "/var/lib/dpkg/info/format", "1\n")
    put(root, "/var/lib/dpkg/info/chrony.list", "/.\n/etc\n")
    put(root, "/var/lib/dpkg/info/rdma-core.list", "/.\n")
    put(root, "/proc/sys/net/ipv4/conf/rail0/arp_ignore", "1\n")
    put(root, "/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n")
    put(root, "/proc/cmdline", f"quiet {ARGUMENTS} panic=1\n")
    put(root, STAGED, f"# ours\n{ARGUMENTS}\n")
    put(root, "/run/railbed/kernel-arguments", f"{ARGUMENTS}\n")
    put(root, RAIL, NETWORK)
    put(root, "/sys/class/net/rail0/address", "02:00:00:00:00:01\n")
    put(root, "/sys/class/net/rail1/address", "02:00:00:00:00:02\n")
    (root / "etc/sysctl.d").chmod(0o755)
    return root


def put(root: Path, path: str, text: str, mode: int = 0o644) -> Path:
    """A file of the system."""
    place = root / path.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(mode)
    return place


def probed(
    root: Path, manifest: Manifest = MANIFEST, shell: Sequence[str] = ("sh", "-s")
) -> dict[str, Answer]:
    """What the whole script of a trip brings back, the folder's name taken out.

    systemd and sshd lie in no folder: their frames are the captured ones.
    """
    elsewhere = {node_state.UNITS: UNITS, node_state.SSHD: SSHD}
    lines = [line for line in node_state.lines(manifest) if line not in elsewhere]
    asks = [node_state.ask(manifest, line, str(root)) for line in lines]
    text = script(asks, "lo", "feedbeef")
    done = subprocess.run(shell, input=text.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answers, wrong = parts(done.stdout, "feedbeef")
    assert not wrong
    told = {
        line: Answer(one.status, one.out.replace(str(root).encode(), b""), one.errors)
        for line, one in zip(lines, answers[1:], strict=True)
    }
    return told | {line: Answer(0, text.encode(), "") for line, text in elsewhere.items()}


def drifted(root: Path, **other: object) -> Compared:
    """The folder's system against MANIFEST, with other fields of it where given."""
    manifest = replace(MANIFEST, **other)  # type: ignore[arg-type]
    return compare(manifest, probed(root, manifest).__getitem__)
