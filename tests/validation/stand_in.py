"""A system that lies in a folder, and the real state probe run on it by a real shell."""

from __future__ import annotations

import getpass
import grp
import hashlib
import os
import subprocess
from dataclasses import replace
from pathlib import Path

from validation import node_state
from validation.drift import Answer, Compared, compare
from validation.gather import parts, script
from validation.owned import (
    Manifest,
    OwnedArgument,
    OwnedFile,
    OwnedFolder,
    OwnedPackage,
    OwnedSysctl,
    OwnedUnit,
    Watched,
)

OWNER, GROUP = getpass.getuser(), grp.getgrgid(os.getegid()).gr_name
CONF = "a = 1\n"
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

Names=systemd-networkd-wait-online.service
LoadState=loaded
ActiveState=inactive
UnitFileState=disabled
NeedDaemonReload=no
"""

MANIFEST = Manifest(
    "node-p1-1",
    ("os", "rails"),
    files=(
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
    arguments=(OwnedArgument("iommu=pt", "os"),),
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
    put(root, "/proc/cmdline", "quiet iommu=pt panic=1\n")
    (root / "etc/sysctl.d").chmod(0o755)
    return root


def put(root: Path, path: str, text: str, mode: int = 0o644) -> Path:
    """A file of the system."""
    place = root / path.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(mode)
    return place


def probed(root: Path, manifest: Manifest = MANIFEST) -> dict[str, Answer]:
    """What the whole script of a trip brings back, the folder's name taken out.

    systemd lies in no folder: its frame is the captured one.
    """
    lines = [line for line in node_state.lines(manifest) if line != node_state.UNITS]
    asks = [node_state.ask(manifest, line, str(root)) for line in lines]
    text = script(asks, "lo", "feedbeef")
    done = subprocess.run(["sh", "-s"], input=text.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answers, wrong = parts(done.stdout, "feedbeef")
    assert not wrong
    told = {
        line: Answer(one.status, one.out.replace(str(root).encode(), b""), one.errors)
        for line, one in zip(lines, answers[1:], strict=True)
    }
    return told | {node_state.UNITS: Answer(0, UNITS.encode(), "")}


def drifted(root: Path, **other: object) -> Compared:
    """The folder's system against MANIFEST, with other fields of it where given."""
    manifest = replace(MANIFEST, **other)  # type: ignore[arg-type]
    return compare(manifest, probed(root, manifest).__getitem__)
