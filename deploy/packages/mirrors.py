"""Which repositories are asked for the packages of an OS, whatever this machine itself runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from deploy.lab.machines.sources import Sources as HostSources
from deploy.lab.machines.sources import apt_options, host_sources
from inventory import site_folder
from inventory.software.sources import Sources, sources

from .keys_run import keyring

_ARCH = {"aarch64": "arm64", "x86_64": "amd64"}


@dataclass(frozen=True, slots=True)
class Target:
    """For which nodes packages are: the site that says where they come from, OS, suite, arch."""

    site: str
    os: str
    suite: str
    arch: str

    @property
    def label(self) -> str:
        """OS and architecture, as locks are named."""
        return f"{self.os}-{self.arch}"


@dataclass(frozen=True, slots=True)
class Mirrors:
    """One-line sources (sources.list(5)), each with its keys, and how apt reaches them."""

    lines: tuple[str, ...]
    apt_options: str
    said: str


def _own(target: Target) -> HostSources | None:
    """This machine's own sources, where they are of the release and the architecture, or none.

    Mirrors have the architectures that they like: Ubuntu's are two archives.
    """
    if _ARCH.get(os.uname().machine) != target.arch:
        return None
    try:
        host = host_sources()
    except RailbedError:
        return None
    return host if host.suite == target.suite else None


def open_mirrors(target: Target, folder: Path) -> Mirrors:
    """What apt is to ask: the site's repositories, else this machine's own, else the archive's.

    This machine's are asked where it runs the release itself, because they may be nearer. Keys
    are written into `folder`. Raises RailbedError where nobody knows any, or a key is not found.
    """
    if not sources(site_folder(target.site), target.os, target.arch).is_of_site:
        host = _own(target)
        if host is not None:
            return Mirrors(host.lines, host.apt_options, f"this machine's mirrors of {host.suite}")
    found = named_sources(target)
    folder.mkdir(parents=True, exist_ok=True)
    return Mirrors(tuple(_lines(found, target.arch, folder)), apt_options(), urls(found))


def named_sources(target: Target) -> Sources:
    """The repositories that the site, or the project, names; RailbedError for none."""
    found = sources(site_folder(target.site), target.os, target.arch)
    if not found.repositories:
        raise RailbedError(
            f"nobody says where packages of {target.label} come from",
            "name repositories in SITE/versions/sources.yml, in the form of "
            "inventory/versions/sources.yml",
        )
    return found


def urls(found: Sources) -> str:
    """Whom these sources name, in words."""
    return ", ".join(sorted({one.url for one in found.repositories}))


def _lines(found: Sources, arch: str, folder: Path) -> list[str]:
    lines = []
    for one in found.repositories:
        options = f"[arch={arch} signed-by={keyring(one, found.folder, folder)}]"
        lines += [
            " ".join(["deb", options, one.url, suite, *one.components]) for suite in one.suites
        ]
    return lines
