"""Which path on a switch a file of a folder or an archive stands for, and what is no text of one.

A system that writes a bundle of itself says its layout (`switch_configs.bundles`). Of Cumulus's
cl-support and of sosreports only this is used: that `etc/` is copied under one folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import TypeVar

from switch_configs import bundles

AnyText = TypeVar("AnyText", bound=str)

STARTUP_YAML = "/etc/nvue.d/startup.yaml"
FRR = "/etc/frr/frr.conf"
_ISOLATION = "/etc/cumulus/acl/policy.d/60_railbed_isolation.rules"
_RUNNING = ("/running-config", "/mnt/flash/startup-config")
_LINUX = {
    FRR, "/etc/frr/daemons", "/etc/lldpd.d/railbed.conf", "/etc/network/interfaces",
    "/etc/nftables.conf", "/etc/railbed/queues.tc", "/etc/rsyslog.d/50-railbed.conf",
    "/etc/sysctl.d/90-railbed.conf", "/etc/systemd/system/railbed-queues.service",
    "/etc/systemd/timesyncd.conf.d/railbed.conf",
}  # fmt: skip
_OF_SWITCHES = {STARTUP_YAML, _ISOLATION, *_RUNNING, *_LINUX}
_OF_HOSTS = re.compile(
    r"/etc/(hostname|os-release|(default|modprobe\.d|modules-load\.d|sysctl\.d|netplan|network"
    r"|systemd|udev|iproute2|NetworkManager|mellanox|infiniband|rdma|lldpd|lldpd\.d|frr|security"
    r"|infiniband-diags|railbed|nccl[^/]*|ucx)/.*|sysctl\.conf|nccl\.conf|lldpd\.conf)"
    r"|/(run|lib|usr/lib)/netplan/.*"
    r"|/sos_commands/(networking|infiniband|kernel|pci|ethernet)/.*"
)
_HOST_FILE_BYTES = 2**20
# What one reader takes beside the first of these that is there.
_OWN: tuple[tuple[str, set[str]], ...] = (
    (STARTUP_YAML, {STARTUP_YAML, _ISOLATION}),
    *((one, {one}) for one in _RUNNING),
    (FRR, _LINUX),
)
# Folders that the root of a system has, or the root of a bundle that a system wrote.
_OF_A_ROOT = {
    "boot", "dump", "etc", "flash", "lib", "mnt", "opt", "proc", "pstore", "run", "sos_commands",
    "sos_logs", "Support", "sys", "usr", "var",
}  # fmt: skip
_FOLDERS = ("cl[_-]support", "sosreport-")
# Names that a switch's own files keep in a folder of a store, without the folders above them.
_BY_NAME = {
    "frr.conf": FRR, "startup.yaml": STARTUP_YAML,
    "startup-config": "/mnt/flash/startup-config", "running-config": "/running-config",
    "interfaces": "/etc/network/interfaces", "daemons": "/etc/frr/daemons",
    "nftables.conf": "/etc/nftables.conf", "queues.tc": "/etc/railbed/queues.tc",
}  # fmt: skip

_NO_FOLDERS = re.compile(r"(^|/)(\.[^/]+|CVS|__MACOSX|__pycache__|node_modules)/")
_NO_FILE = re.compile(
    r"(^|/)(\.[^/]*|readme[^/]*|license[^/]*|changelog[^/]*|router\.db|thumbs\.db|makefile"
    r"|[^/]*\.(md|rst|csv|tsv|png|jpe?g|gif|svg|ico|pdf|xlsx?|docx?|pptx?|odt|ods|html?|css|js|py"
    r"|pyc|pl|rb|go|java|so|exe|dll|deb|rpm|swi|swix|iso|img|pcap|pcapng|sqlite3?|lock|pem|crt|cer"
    r"|sig|asc|md5|sha\d+|drawio|vsdx?|ttf|woff2?|mp4|eml|msg))",
    re.IGNORECASE,
)
_ARCHIVE = re.compile(r"\.(tar|tgz|tbz2?|txz|gz|bz2|xz|zip)$", re.IGNORECASE)


@cache
def _in_bundles() -> frozenset[str]:
    """Paths of files that a switch's system, or its bundle, has."""
    own = (path for one in bundles() for path in one.files)
    instead = (path for one in bundles() for _, others in one.instead for path in others)
    return frozenset((*own, *instead))


@cache
def _bundle() -> re.Pattern[str]:
    folders = "|".join((*(re.escape(one.folder) for one in bundles()), *_FOLDERS))
    return re.compile(rf"(?:{folders})(?!.*\.(?:t?gz|txz|tar|xz|bz2|zip)$)")


@cache
def _by_name() -> Mapping[str, str]:
    return {PurePosixPath(one.files[0]).name: one.files[0] for one in bundles()} | _BY_NAME


def is_none_by_name(name: str) -> bool:
    """Whether nobody would look for a configuration in a file of this path."""
    return bool(_NO_FOLDERS.search(name) or _NO_FILE.fullmatch(name))


def kind_of(name: str) -> str:
    """How such a file is counted: `.csv`, or what it is called."""
    hidden = _NO_FOLDERS.search(name)
    found = PurePosixPath(name)
    return hidden[0].strip("/") if hidden else found.suffix.lower() or found.name


def rooted(name: str) -> tuple[str, str] | None:
    """The folder that is a system's root, and the path in it; None where the path says of none."""
    parts = name.split("/")
    folders = list(enumerate(parts[:-1]))
    bundle = next((at + 1 for at, part in folders if _bundle().match(part)), None)
    at = bundle or next((at for at, part in folders if part in _OF_A_ROOT), None)
    return None if at is None else ("/".join(parts[:at]), "/" + "/".join(parts[at:]))


def is_wanted(place: str, size_bytes: int) -> bool:
    """Whether a file of a system may say something to an audit."""
    return (
        place in _OF_SWITCHES
        or place in _in_bundles()
        or (size_bytes <= _HOST_FILE_BYTES and bool(_OF_HOSTS.fullmatch(place)))
    )


def is_archive_by_name(name: str) -> bool:
    """Whether a name is that of an archive."""
    return bool(_ARCHIVE.search(name))


def named_place(name: str) -> str:
    """Where a file of this name lies on a switch; "" where a name does not say it."""
    return _by_name().get(name.rpartition("/")[2], "")


def of_one_system(texts: Mapping[str, AnyText]) -> dict[str, AnyText]:
    """The files of one root that one reader takes: a switch's own alone, a host's as they are."""
    for bundle in bundles():
        if bundle.files[0] in texts:
            others = dict(bundle.instead)
            lies = {
                path: next((one for one in (path, *others.get(path, ())) if one in texts), "")
                for path in bundle.files
            }
            return {path: texts[where] for path, where in lies.items() if where}
    own = next((own for first, own in _OWN if first in texts), set(texts))
    return {place: text for place, text in texts.items() if place in own}
