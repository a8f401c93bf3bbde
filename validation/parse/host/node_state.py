"""What the state probe prints: files, strays, packages, units, kernel parameters.

The tools are GNU coreutils and findutils, dpkg-query(1) or rpm(8), and systemctl(1); the lines are
those that validation/manifest/node_state.py makes them print. A thing that the device said is not
there is None. One that it could not look at stands in `unread`, and one that it did not
speak of is in neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import COUNTER_MOST, Whole
from switch_configs.shown.unread import unread

T = TypeVar("T")
_STAT = re.compile(r"stat (\S+) (\S+) (\S+) (\S+) (/[^|]+)\|(.+)")
_MODE = Whole("mode", "bits", 0, 0o7777, base=8)
_SIZE = Whole("size", "bytes", 0, COUNTER_MOST)
_DIGEST = re.compile(r"([0-9a-f]{64})  (/.+)")
_FAILED = re.compile(r"failed (/[^|]+)\|(.*)")
# strerror(3) of ENOENT and ENOTDIR: the only errors that say that a file is not there.
_ABSENT = ("No such file or directory", "Not a directory")
_PROPERTY = re.compile(r"([A-Za-z]+)=(.*)")
# The frame ends with 1 where no package of some name is known, with 2 where the tool failed.
_UNKNOWN_PACKAGE = 1
_UNREAD = b"unread "


@dataclass(frozen=True)
class Told(Generic[T]):
    """What a device said of things by name, and of which it could not, with the reason."""

    found: dict[str, T | None]
    unread: dict[str, str]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as lstat(2) shows it; `sha256` is empty where it was not hashed."""

    kind: str
    owner: str
    group: str
    mode: int
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FoundPackage:
    """A package in dpkg's or rpm's list; `is_installed` is whether it is there whole."""

    version: str
    is_installed: bool
    is_held: bool


@dataclass(frozen=True, slots=True)
class FoundUnit:
    """A unit as systemd has it, read from `files`; `is_outdated`: those on disk are newer."""

    load: str
    active: str
    enabled: str
    is_outdated: bool
    files: tuple[str, ...]


def files(text: str) -> Told[FoundFile]:
    """The frame of files and folders."""
    digests = {match[2]: match[1] for match in map(_DIGEST.fullmatch, text.splitlines()) if match}
    told: Told[FoundFile] = Told({}, {})
    for line in text.splitlines():
        if one := _STAT.fullmatch(line):
            mode, owner, group, size, path, kind = one.groups()
            digest = digests.get(path, "")
            told.found[path] = FoundFile(
                kind, owner, group, _MODE.read(mode), _SIZE.read(size), digest
            )
        elif one := _FAILED.fullmatch(line):
            _put_failed(told, one[1], one[2])
        elif not _DIGEST.fullmatch(line):
            raise Unreadable(f"the state probe printed a line of another kind: {unread(line)}")
    return told


def _put_failed(told: Told[FoundFile], path: str, why: str) -> None:
    if why.endswith(_ABSENT):
        told.found[path] = None
    else:
        told.unread[path] = why or "stat(1) gave no reason"


@dataclass(frozen=True, slots=True)
class FoundStrays:
    """Files that nobody owns, and folders whose files the device could not tell; sorted."""

    paths: tuple[str, ...]
    unread: tuple[str, ...]


def strays(payload: bytes) -> FoundStrays:
    """The frame of strays: those that no package owns.

    Paths, each ended by NUL, those that could not be read after a word that says so; after an
    empty one, those that packages own, one a line.
    """
    head, end, owned = payload.partition(b"\0\0")
    if not end:
        raise Unreadable("the list of strays has no end")
    told = {one for one in head.split(b"\0") if one}
    unread = {one for one in told if one.startswith(_UNREAD)}
    packaged = {line.lstrip(b"\0") for line in owned.split(b"\n")}
    return FoundStrays(
        _texts(told - unread - packaged), _texts(one.removeprefix(_UNREAD) for one in unread)
    )


def _texts(names: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(sorted(name.decode("utf-8", "backslashreplace") for name in names))


def packages(text: str, status: int, names: Iterable[str]) -> Told[FoundPackage]:
    """The frame of packages, asked for by `names`."""
    if status not in (0, _UNKNOWN_PACKAGE):
        raise Unreadable(f"the list of packages ended with status {status}")
    found: dict[str, FoundPackage | None] = dict.fromkeys(names) if status else {}
    for line in text.splitlines():
        parts = line.split("\t")
        if len(parts) != 5 or parts[0] != "package":
            raise Unreadable(f"the list of packages has a line of another kind: {unread(line)}")
        _, name, version, want, state = parts
        one = FoundPackage(version, state == "installed", want == "hold")
        # Of several architectures, the installed one.
        if found.get(name) is None or one.is_installed:
            found[name] = one
    return Told(found, {})


def units(text: str) -> dict[str, FoundUnit]:
    """The frame of units, by every name that each has."""
    found: dict[str, FoundUnit] = {}
    for block in text.strip().split("\n\n"):
        pairs = list(_properties(block))
        values = dict(pairs)
        if len(values) != len(pairs):
            raise Unreadable("systemctl show repeats a property")
        try:
            one = FoundUnit(
                values["LoadState"],
                values["ActiveState"],
                values["UnitFileState"],
                values["NeedDaemonReload"] == "yes",
                (*values["FragmentPath"].split(), *values["DropInPaths"].split()),
            )
            if values["UnitFileState"] and not values["FragmentPath"]:
                # Only of a unit with a file systemd tells that state (src/core/unit.c).
                raise Unreadable(f"systemctl show gave no file of {values['Names'][:60]}")
            found |= dict.fromkeys(values["Names"].split(), one)
        except KeyError as missing:
            raise Unreadable(f"systemctl show gave no {missing.args[0]}") from None
    return found


def _properties(block: str) -> Iterator[tuple[str, str]]:
    for line in block.splitlines():
        one = _PROPERTY.fullmatch(line)
        if one is None:
            raise Unreadable(f"systemctl show printed a line of another kind: {unread(line)}")
        yield one[1], one[2]
