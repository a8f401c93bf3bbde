"""What the state probe prints of the kernel, of sshd and of systemd-networkd's files."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase

from inventory.reading.fields import Unreadable, full_lines
from switch_configs.shown.unread import unread

from .node_state import Told

# What sshd says of a configuration that it will not have, before fatal() ends it (OpenSSH,
# servconf.c and sshd.c). A deprecated or unsupported option alone is a warning.
_REFUSES = re.compile(
    r"/.+ line \d+: (?!(Deprecated|Unsupported) option ).+"
    r"|AuthenticationMethods cannot be satisfied .+"
    r"|Authorized(Keys|Principals)Command set without .+"
)
_LONGEST = 200
_NETWORK = re.compile(r"\.network(\.d/[^/]+\.conf)?$")


@dataclass(frozen=True)
class FoundKernel:
    """Parameters by name, and the words of the kernel's command line in their order.

    `running` are those of the kernel that runs, `staged` by file those of the next boot,
    `asked` all that the role has asked for since the boot.
    """

    parameters: Told[str]
    running: str
    staged: dict[str, str]
    asked: tuple[str, ...]


def kernel(text: str, paths: dict[str, str]) -> FoundKernel:
    """The frame of kernel parameters; `paths` maps the path that was read to its name."""
    told: Told[str] = Told({}, {})
    words: dict[str, str] = {}
    staged: dict[str, str] = {}
    for line in text.splitlines():
        path, _, value = line.partition(":")
        kind, _, rest = line.partition(" ")
        if kind in ("cmdline", "asked"):
            words[kind] = " ".join(rest.split())
        elif kind == "staged":
            name, _, found = rest.partition("|")
            staged[name] = " ".join(found.split())
        elif path in paths:
            known = told.found.get(paths[path])
            told.found[paths[path]] = " ".join([*([known] if known else []), *value.split()])
        elif kind == "failed" and path.removeprefix("failed ") in paths:
            told.found[paths[path.removeprefix("failed ")]] = None
        else:
            raise Unreadable(f"the state probe printed a line of another kind: {unread(line)}")
    if words.keys() != {"cmdline", "asked"}:
        raise Unreadable("the kernel's command line is missing")
    return FoundKernel(told, words["cmdline"], staged, tuple(words["asked"].split()))


def sshd_options(text: str, names: Collection[str]) -> dict[str, str]:
    """The options of these names that `sshd -T` printed."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if name not in names:
            raise Unreadable(f"sshd -T printed a line of another kind: {unread(line)}")
        found[name] = value
    return found


def sshd_refusal(errors: str) -> str:
    """Why sshd refuses its configuration: the first line in which it says so; else empty."""
    lines = (line.strip() for line in errors.splitlines())
    return next((line[:_LONGEST] for line in lines if _REFUSES.fullmatch(line)), "")


@dataclass
class Network:
    """What a file of systemd-networkd matches (systemd.network(5), [Match])."""

    names: list[str]
    macs: list[str]

    def may_match(self, port: str, mac: str) -> bool:
        """Whether it may be meant for a port; what else it asks for is not looked at."""
        if self.names and not self._names_it(port):
            return False
        return not (self.macs and mac) or mac.lower() in (one.lower() for one in self.macs)

    def _names_it(self, port: str) -> bool:
        is_but = self.names[0].startswith("!")
        globs = [self.names[0].removeprefix("!"), *self.names[1:]]
        return any(fnmatchcase(port, glob) for glob in globs) != is_but


@dataclass(frozen=True)
class FoundNetworks:
    """Files of systemd-networkd by path, MAC addresses by port, what a package owns.

    `naming` are the files of other tools that have a port's name in them, by port; `unread` the
    files and folders of any tool that the device could not read.
    """

    files: dict[str, Network]
    macs: dict[str, str]
    packaged: frozenset[str]
    naming: dict[str, list[str]]
    unread: tuple[str, ...]


def networks(text: str) -> FoundNetworks:
    """The frame of the network tools' files; the last line counts those before it."""
    *lines, end = full_lines(text, "the state probe") or [""]
    if end != f"end {len(lines)}":
        raise Unreadable("the list of systemd-networkd's files is not whole")
    files: dict[str, Network] = {}
    macs: dict[str, str] = {}
    packaged: set[str] = set()
    naming: dict[str, list[str]] = {}
    unreadable: list[str] = []
    last: Network | None = None
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "network" and _NETWORK.search(rest):
            last = files[rest] = Network([], [])
        elif kind == "Name" and last:
            last.names += rest.split()
        elif kind == "MAC" and last:
            last.macs += rest.split()
        elif kind == "port":
            port, _, mac = rest.partition(" ")
            macs[port] = mac
        elif kind == "unread":
            unreadable.append(rest)
        elif kind == "packaged":
            packaged.add(rest)
        elif kind == "names":
            port, _, path = rest.partition(" ")
            naming.setdefault(port, []).append(path)
        else:
            raise Unreadable(f"the state probe printed a line of another kind: {unread(line)}")
    return FoundNetworks(files, macs, frozenset(packaged), naming, tuple(unreadable))
