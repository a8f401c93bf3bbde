"""Drift: where a device is not what its manifest says, thing by thing, role by role. Pure.

What could not be read is `Unknown`, and never counts as planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from validation.evidence.lookup import Book
from validation.evidence.trust import MissingEvidence
from validation.parse.host.node_state import FoundFile, FoundPackage, files, packages, strays

from . import node_state
from .differences import UNREAD, Answer, Drift, Note, Pairs, Read, Unknown, each
from .drift_running import of_kernel, of_networks, of_sshd, of_units
from .node_state import FILES, KERNEL, NETWORKS, PACKAGES, SSHD, STRAYS, UNITS
from .owned import LARGEST_BYTES, Manifest, OwnedFile, OwnedFolder, OwnedPackage


def from_book(book: Book, device: str) -> Read:
    """A reader of one device's evidence."""

    def read(line: str) -> Answer:
        frame = book.read(device, line)
        return Answer(frame.exit_status, frame.payload, frame.errors)

    return read


@dataclass(frozen=True)
class Compared:
    """One device against its manifest; all sorted. Notes say what is true and no drift."""

    drifts: tuple[Drift, ...]
    unknowns: tuple[Unknown, ...]
    notes: tuple[Note, ...] = ()


def compare(manifest: Manifest, read: Read) -> Compared:
    """Everything on one device that is not as planned, or not known."""
    found: list[Drift | Unknown | Note] = []
    for line in node_state.lines(manifest):
        judge, kinds = _JUDGES[line]
        try:
            found += judge(manifest, _ended(line, read(line)))
        except (MissingEvidence, Unreadable) as why:
            for kind in kinds:
                found += _nothing_known(manifest, kind, str(why))
    drifts = {one for one in found if isinstance(one, Drift)}
    unknowns = {one for one in found if isinstance(one, Unknown)}
    notes = {one for one in found if isinstance(one, Note)}
    return Compared(tuple(sorted(drifts)), tuple(sorted(unknowns)), tuple(sorted(notes)))


def _ended(line: str, answer: Answer) -> Answer:
    """An answer whose probe came to its end; of another, nothing is believed."""
    if answer.status != 0 and answer.status not in node_state.MEANT.get(line, ()):
        said = " ".join(answer.errors.split())[:160] or "nothing"
        raise Unreadable(f"`{line}` ended with status {answer.status} and said: {said}")
    return answer


# What a kind of thing is called in the manifest.
_FIELDS = {
    "file": "files",
    "folder": "folders",
    "package": "packages",
    "unit": "units",
    "sysctl": "sysctls",
    "kernel arguments": "arguments",
    "sshd option": "options",
    "stray": "strays",
    "port": "ports",
}


def _nothing_known(manifest: Manifest, kind: str, why: str) -> Iterator[Unknown]:
    for role in sorted({one.role for one in getattr(manifest, _FIELDS[kind])}):
        yield Unknown(manifest.device, role, kind, "", why)


def _files(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    told = files(answer.text)
    for file in manifest.files:
        yield from each(manifest, file.role, "file", file.path, told, _as_file(file))
    for folder in manifest.folders:
        yield from each(manifest, folder.role, "folder", folder.path, told, _as_folder(folder))


def _as_file(wanted: OwnedFile) -> Callable[[FoundFile | None], Pairs]:
    def pairs(found: FoundFile | None) -> Pairs:
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


def _as_folder(wanted: OwnedFolder) -> Callable[[FoundFile | None], Pairs]:
    def pairs(found: FoundFile | None) -> Pairs:
        if found is None or found.kind != "directory":
            yield "a folder", "none" if found is None else f"a {found.kind}"
            return
        yield from _permissions(wanted, found)

    return pairs


def _permissions(wanted: OwnedFile | OwnedFolder, found: FoundFile) -> Pairs:
    if int(wanted.mode, 8) != found.mode:
        yield f"mode {wanted.mode}", f"mode {found.mode:04o}"
    if (wanted.owner, wanted.group) != (found.owner, found.group):
        yield f"owner {wanted.owner}:{wanted.group}", f"owner {found.owner}:{found.group}"


def _strays(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    told = strays(answer.payload)
    for folder in told.unread:
        for role in node_state.watchers(manifest, folder):
            yield Unknown(manifest.device, role, "stray", folder, UNREAD)
    for path in told.paths:
        role = node_state.watcher(manifest, path)
        yield Drift(manifest.device, role, "stray", path, "no file that nobody owns", "one")


def _packages(manifest: Manifest, answer: Answer) -> Iterator[Drift | Unknown]:
    names = [package.name for package in manifest.packages]
    told = packages(answer.text, answer.status, names)
    for one in manifest.packages:
        yield from each(manifest, one.role, "package", one.name, told, _as_package(one))


def _as_package(wanted: OwnedPackage) -> Callable[[FoundPackage | None], Pairs]:
    def pairs(found: FoundPackage | None) -> Pairs:
        if found is None or not found.is_installed:
            yield wanted.version or "installed", "not installed"
            return
        if wanted.version and wanted.version != found.version:
            yield wanted.version, found.version
        # A package of any version is the host's to hold, where nobody asks for it.
        if wanted.hold != found.is_held and (wanted.version or wanted.hold):
            words = ("not on hold", "on hold")
            yield words[wanted.hold], words[found.is_held]

    return pairs


_Judge = Callable[[Manifest, Answer], Iterable[Drift | Unknown | Note]]
_JUDGES: Mapping[str, tuple[_Judge, tuple[str, ...]]] = {
    FILES: (_files, ("file", "folder")),
    STRAYS: (_strays, ("stray",)),
    PACKAGES: (_packages, ("package",)),
    UNITS: (of_units, ("unit",)),
    KERNEL: (of_kernel, ("sysctl", "kernel arguments")),
    NETWORKS: (of_networks, ("stray", "port")),
    SSHD: (of_sshd, ("sshd option",)),
}
