"""The kernels that the operating systems of nodes come with, and what they cannot do yet."""

from __future__ import annotations

Version = tuple[int, int]

# packages.debian.org (linux-image-amd64), packages.ubuntu.com (linux-image-generic, the first
# kernel of the release), and Red Hat Enterprise Linux 9's release notes. Red Hat brings later
# features back without a word in this number, so of its kernels only what its guides describe is
# taken for granted.
KERNELS: dict[str, Version] = {
    "almalinux-9": (5, 14),
    "debian-12": (6, 1),
    "rhel-9": (5, 14),
    "rocky-9": (5, 14),
    "ubuntu-22.04": (5, 15),
    "ubuntu-24.04": (6, 8),
}

# `hugepages=0:8,1:8`: commit b5389086ad7b, merged for 5.16.
PAGES_BY_NODE: Version = (5, 16)

# amd_pstate=: passive and disable in kernel-parameters.txt of 6.1, active since 6.3 (commit
# ffa5096a7c33), guided since 6.4 (commit 2dd6d0ebf740).
AMD_PSTATE: dict[str, Version] = {
    "active": (6, 3),
    "disable": (6, 1),
    "guided": (6, 4),
    "passive": (6, 1),
}
# /sys/devices/system/cpu/amd_pstate/status: commit abd61c08ef34, in the kernel of 6.3.
AMD_PSTATE_STATUS: Version = (6, 3)


def is_at_least(os: str, version: Version) -> bool:
    """Whether the kernel of an OS is this old or newer; no for an OS that nobody knows."""
    return KERNELS.get(os, (0, 0)) >= version


def named(os: str) -> str:
    """The kernel of an OS as a sentence names it: `ubuntu-22.04, Linux 5.15`."""
    major, minor = KERNELS.get(os, (0, 0))
    return f"{os}, Linux {major}.{minor}"
