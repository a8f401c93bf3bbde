"""The kernel as it runs: its arguments, huge pages, CPU states and modules.

Sources: kernel-parameters.txt, hugetlbpage.rst, cpuidle.rst of the kernel; modinfo(8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import COUNTER_MOST, Whole

_POOL = re.compile(r"/sys/devices/system/node/node(\w+)/hugepages/hugepages-(\w+)kB/nr_hugepages")
_COUNTED = re.compile(r"^\s*(\S*) (?:governor (\S+)|idle (.+) (\S*) (\S*))$")
_NODE = Whole("NUMA node", "1", 0, 1023)  # MAX_NUMNODES
_PAGE = Whole("size of a huge page", "KiB", 16, 16 << 20)
_PAGES = Whole("huge pages", "1", 0, COUNTER_MOST)
_CPUS = Whole("CPUs", "1", 1, 8192)  # NR_CPUS
_EXIT = Whole("exit latency", "us", 0, (1 << 32) - 1)
_DISABLED = Whole("disable", "1", 0, 1)


@dataclass(frozen=True, slots=True, order=True)
class IdleState:
    """One idle state of so many CPUs: its exit latency, and whether it may be entered."""

    name: str
    exit_us: int
    allowed: bool
    cpus: int


@dataclass(frozen=True, slots=True)
class Cpus:
    """Governors with the number of CPUs that have them, and idle states; both sorted."""

    governors: tuple[tuple[str, int], ...]
    idle: tuple[IdleState, ...]


@dataclass(frozen=True, slots=True)
class Module:
    """A kernel module as loaded and as installed; empty is what modinfo or sysfs does not tell."""

    name: str
    is_loaded: bool
    version: str
    srcversion: str
    installed_version: str
    installed_srcversion: str
    path: str

    @property
    def is_stale(self) -> bool | None:
        """Whether another build is loaded than installed; None where neither number is told.

        A module of OFED has a version, the kernel's own may have none: that differs, too.
        """
        if not self.is_loaded:
            return False
        told = (self.version, self.installed_version, self.srcversion, self.installed_srcversion)
        if not any(told) or not self.path:
            return None
        sources = self.srcversion and self.installed_srcversion
        other_source = bool(sources) and self.srcversion != self.installed_srcversion
        return self.version != self.installed_version or other_source


def arguments(text: str) -> tuple[str, ...]:
    """The words of /proc/cmdline, in their order; a text in double quotes is one word."""
    words = re.findall(r'(?:"[^"]*"|[^\s"])+', text)
    if not words:
        raise Unreadable("/proc/cmdline is empty")
    return tuple(words)


def hugepages(files: Mapping[str, str | None]) -> dict[tuple[int, int], int]:
    """(NUMA node, size in KiB) to pages; Unreadable where the kernel shows no pool."""
    found: dict[tuple[int, int], int] = {}
    for path, text in files.items():
        if one := _POOL.fullmatch(path):
            found[_NODE.read(one[1]), _PAGE.read(one[2])] = _PAGES.read(text or "")
    sizes = {size for _, size in found}
    if not found or len(found) != len({node for node, _ in found}) * len(sizes):
        raise Unreadable("the pools of huge pages are not all told")
    return found


def chosen(text: str | None, what: str) -> str:
    """The word in brackets: `always [madvise] never`."""
    found = re.findall(r"\[(\w+)\]", text or "")
    if len(found) != 1:
        raise Unreadable(f"{what} says {text!r}")
    return str(found[0])


def cpus(text: str) -> Cpus:
    """Counted lines `N governor NAME` and `N idle NAME EXIT_US DISABLED` (by `uniq -c`)."""
    governors, idle = dict[str, int](), []
    for line in text.splitlines():
        one = _COUNTED.match(line)
        if not one:
            raise Unreadable(f"the states of CPUs hold {line[:80]!r}")
        count = _CPUS.read(one[1])
        if one[2]:
            governors[one[2]] = count
        else:
            allowed = _DISABLED.read(one[5]) == 0
            idle.append(IdleState(one[3], _EXIT.read(one[4]), allowed, count))
    return Cpus(tuple(sorted(governors.items())), tuple(sorted(idle)))


def modules(text: str) -> dict[str, Module]:
    """Lines `NAME|loaded|VERSION|SRCVERSION|` of sysfs and `VERSION|SRCVERSION|PATH` of modinfo."""
    found: dict[str, Module] = {}
    for line in text.splitlines():
        parts = line.split("|")
        if len(parts) != 7 or parts[1] not in ("loaded", "absent") or parts[0] in found:
            raise Unreadable(f"the modules hold {line[:80]!r}")
        found[parts[0]] = Module(parts[0], parts[1] == "loaded", *parts[2:])
    return found
