"""/proc/driver/nvidia: the kernel module that is loaded, and the options that it runs with.

Forms: `NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build ...` and
`NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.135  ...`; options are `Name: value`, texts in
quotes (github.com/NVIDIA/open-gpu-kernel-modules, kernel-open/nvidia/nv-procfs.c).
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable

_VERSION = re.compile(
    r"^NVRM version: NVIDIA UNIX (?:(Open) Kernel Module for \S+|\S+ Kernel Module)"
    r"\s+(\d[\d.]*\d)\s",
    re.MULTILINE,
)
_OPTION = re.compile(r'^(\w+): (?:"(.*)"|(-?\w+))$')


def module(text: str | None) -> tuple[str, bool]:
    """Version of the loaded module, and whether it is the open one."""
    found = _VERSION.search(text or "")
    if not found:
        raise Unreadable("/proc/driver/nvidia/version names no version")
    return found[2], found[1] == "Open"


def options(text: str | None) -> dict[str, str]:
    """The options by name, without NVreg_; Unreadable for a line that is none."""
    found: dict[str, str] = {}
    for line in (text or "").splitlines():
        one = _OPTION.match(line.strip())
        if not one or one[1] in found:
            raise Unreadable(f"/proc/driver/nvidia/params: {line[:80]!r}")
        found[one[1]] = one[2] if one[2] is not None else one[3]
    if not found:
        raise Unreadable("/proc/driver/nvidia/params is empty")
    return found


def registry_dwords(value: str) -> dict[str, str]:
    """The option RegistryDwords, `A=1;B=2;`, by name."""
    pairs = [one.strip().partition("=") for one in value.split(";") if one.strip()]
    if any(not sign for _, sign, _ in pairs) or len({name for name, _, _ in pairs}) != len(pairs):
        raise Unreadable(f"RegistryDwords is {value!r}")
    return {name: word for name, _, word in pairs}
