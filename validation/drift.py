"""Drift: where a device is not what its manifest says, thing by thing, role by role. Pure.

What could not be read is `Unknown`, and never counts as planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from . import node_state
from .book import Book
from .node_state import FILES, KERNEL, PACKAGES, STRAYS, UNITS
from .owned import (
    LARGEST_BYTES,
    Manifest,
    OwnedFile,
    OwnedFolder,
    OwnedPackage,
    OwnedUnit,
)
from .parse.fields import Unreadable
from .parse.node_state import (
    FoundFile,
    FoundPackage,
    FoundUnit,
    Told,
    files,
    kernel,
    packages,
    strays,
    units,
)
from .trust import MissingEvidence

T = TypeVar("T")
_NOT_TOLD = "the device did not speak of it"
_FOR_PEOPLE = frozenset({"stray", "kernel argument"})


@dataclass(frozen=True, slots=True, order=True)
class Drift:
    """One thing that is not as planned; `wanted` and `found` are words.

    `kind` is file, folder, package, unit, sysctl, kernel argument or stray.
    """

    device: str
    role: str
    kind: str
    what: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what}: found {self.found}, wanted {self.wanted}"

    @property
    def is_mended_by_role(self) -> bool:
        """Whether running the role helps.

        Nobody's file is not its to remove, and a kernel argument waits for a reboot.
        """
        return self.kind not in _FOR_PEOPLE


@dataclass(frozen=True, slots=True, order=True)
class Unknown:
    """Things of one kind (or one thing) of a role that could not be read."""

    device: str
    role: str
    kind: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{' '.join(part for part in (self.kind, self.what) if part)}: {self.why}"


class Answer(NamedTuple):
    """What a device said to one question."""

    status: int
    payload: bytes
    errors: str

    @property
    def text(self) -> str:
        """The payload as text; what is none can be no answer of ours, and is shown as is."""
        return self.payload.decode("utf-8", "backslashreplace")


# Gives the answer to a line of `node_state`; raises MissingEvidence where there is none.
Read = Callable[[str], Answer]


def from_book(book: Book, device: str) -> Read:
    """A reader of one device's evidence."""

    def read(line: str) -> Answer:
        frame = book.read(device, line)
        return Answer(frame.exit_status, frame.payload, frame.errors)

    return read


@dataclass(frozen=True)
class Compared:
    """One device against its manifest; both sorted."""

    drifts: tuple[Drift, ...]
    unknowns: tuple[Unknown, ...]


def compare(manifest: Manifest, read: Read) -> Compared:
    """Everything on one device that is not as planned, or not known."""
    found: list[Drift | Unknown] = []
    for line in node_state.lines(manifest):
        judge, kinds = _JUDGES[line]
        try:
            found += judge(manifest, read(line))
        except (MissingEvidence, Unreadable) as why:
            for kind in kinds:
                found += _nothing_known(manifest, kind, str(why))
    drifts = {one for one in found if isinstance(one, Drift)}
    unknowns = {one for one in found if isinstance(one, Unknown)}
    return Compared(tuple(sorted(drifts)), tuple(sorted(unknowns)))


# What a kind of thing is called in the manifest.
_FIELDS = {
    "file": "files",
    "folder": "folders",
    "package": "packages",
    "unit": "units",
    "sysctl": "sysctls",
    "kernel argument": "arguments",
    "stray": "strays",
}


def _nothing_known(manifest: Manifest, kind: str, why: str) -> Iterator[Unknown]:
    for role in sorted({one.role for one in getattr(manifest, _FIELDS[kind])}):
        yield Unknown(manifest.device, role, kind, "", why)


def _files(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    told = files(answer.text)
    for file in manifest.files:
        yield from _each(manifest, file.role, "file", file.path, told, _as_file(file))
    for folder in manifest.folders:
        yield from _each(manifest, folder.role, "folder", folder.path, told, _as_folder(folder))


# Wanted and found, for each way in which a thing differs.
_Pairs = Iterator[tuple[str, str]]


def _each(
    manifest: Manifest,
    role: str,
    kind: str,
    what: str,
    told: Told[T],
    pairs: Callable[[T | None], _Pairs],
) -> Iterator[Drift | Unknown]:
    if what not in told.found:
        why = told.unread.get(what, _NOT_TOLD)
        yield Unknown(manifest.device, role, kind, what, why)
        return
    try:
        for wanted, found in pairs(told.found[what]):
            yield Drift(manifest.device, role, kind, what, wanted, found)
    except Unreadable as why:
        yield Unknown(manifest.device, role, kind, what, str(why))


def _as_file(wanted: OwnedFile) -> Callable[[FoundFile | None], _Pairs]:
    def pairs(found: FoundFile | None) -> _Pairs:
        if found is None or not found.kind.startswith("regular"):
            yield "a regular file", "none" if found is None else f"a {found.kind}"
            return
        yield from _permissions(wanted, found)
        if found.size_bytes > LARGEST_BYTES:
            yield f"content {wanted.sha256[:12]}", f"{found.size_bytes} bytes"
        elif not found.sha256:
            raise Unreadable("its content could not be read")
        elif found.sha256 != wanted.sha256:
            yield f"content {wanted.sha256[:12]}", f"content {found.sha256[:12]}"

    return pairs


def _as_folder(wanted: OwnedFolder) -> Callable[[FoundFile | None], _Pairs]:
    def pairs(found: FoundFile | None) -> _Pairs:
        if found is None or found.kind != "directory":
            yield "a folder", "none" if found is None else f"a {found.kind}"
            return
        yield from _permissions(wanted, found)

    return pairs


def _permissions(wanted: OwnedFile | OwnedFolder, found: FoundFile) -> _Pairs:
    if int(wanted.mode, 8) != found.mode:
        yield f"mode {wanted.mode}", f"mode {found.mode:04o}"
    if (wanted.owner, wanted.group) != (found.owner, found.group):
        yield f"owner {wanted.owner}:{wanted.group}", f"owner {found.owner}:{found.group}"


def _strays(manifest: Manifest, answer: Answer) -> Iterator[Drift]:
    for path in strays(answer.payload):
        role = node_state.watcher(manifest, path)
        yield Drift(manifest.device, role, "stray", path, "no file that nobody owns", "one")


def _packages(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    names = [one.name for one in manifest.packages]
    told = packages(answer.text, answer.status, names)
    for one in manifest.packages:
        yield from _each(manifest, one.role, "package", one.name, told, _as_package(one))


def _as_package(wanted: OwnedPackage) -> Callable[[FoundPackage | None], _Pairs]:
    def pairs(found: FoundPackage | None) -> _Pairs:
        if found is None or not found.is_installed:
            yield wanted.version or "installed", "not installed"
            return
        if wanted.version and wanted.version != found.version:
            yield wanted.version, found.version
        if wanted.hold != found.is_held:
            words = ("not on hold", "on hold")
            yield words[wanted.hold], words[found.is_held]

    return pairs


def _units(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    if answer.status != 0:
        said = " ".join(answer.errors.split()) or "nothing"
        raise Unreadable(f"systemctl ended with status {answer.status} and said: {said}")
    told: Told[FoundUnit] = Told(dict(units(answer.text)), {})
    for one in manifest.units:
        yield from _each(manifest, one.role, "unit", one.name, told, _as_unit(one))


def _as_unit(wanted: OwnedUnit) -> Callable[[FoundUnit | None], _Pairs]:
    def pairs(found: FoundUnit | None) -> _Pairs:
        if found is None or (found.load == "not-found" and (wanted.enabled or wanted.active)):
            yield "a unit", "none"
            return
        if wanted.enabled is not None and wanted.enabled != (found.enabled == "enabled"):
            yield ("disabled", "enabled")[wanted.enabled], found.enabled or "no such setting"
        # A unit that reloads is running; a failed one is not.
        is_active = found.active in ("active", "reloading")
        if wanted.active is not None and wanted.active != is_active:
            yield ("inactive", "active")[wanted.active], found.active
        if found.is_outdated:
            yield "loaded as on disk", "the files on disk changed since (daemon-reload)"

    return pairs


def _kernel(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    found = kernel(answer.text, node_state.parameter_paths(manifest))
    for one in manifest.sysctls:
        differs = _as_value(one.value)
        yield from _each(manifest, one.role, "sysctl", one.name, found.parameters, differs)
    for word in manifest.arguments:
        if word.text not in found.arguments:
            what = ("in the running kernel's command line", "not there: it waits for a reboot")
            yield Drift(manifest.device, word.role, "kernel argument", word.text, *what)


def _as_value(wanted: str) -> Callable[[str | None], _Pairs]:
    def pairs(found: str | None) -> _Pairs:
        if found != wanted:
            yield wanted, "no such parameter" if found is None else found

    return pairs


_Judge = Callable[[Manifest, Answer], Iterable[Drift | Unknown]]
_JUDGES: Mapping[str, tuple[_Judge, tuple[str, ...]]] = {
    FILES: (_files, ("file", "folder")),
    STRAYS: (_strays, ("stray",)),
    PACKAGES: (_packages, ("package",)),
    UNITS: (_units, ("unit",)),
    KERNEL: (_kernel, ("sysctl", "kernel argument")),
}
