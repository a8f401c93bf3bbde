"""The texts of each device in a PATH, and what is to be told of the rest. Nothing is written."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from deploy.errors import RailbedError
from switch_configs import places_of
from validation.audit.box import NotRead, Text

from . import dated
from .limits import MIB, NESTED_BYTES, TooMuchError
from .reader import Reader
from .store import Store
from .whole import doubts

_KINDS = (
    (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"), (stat.S_ISCHR, "a device"),
)  # fmt: skip
STDIN = Path("-")


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a PATH holds: texts by device and path, and files of which nothing is known.

    `notes` is what people should know and what makes nothing less sure. `older` names the backups
    that are not the newest, by device, newest first: `gathered` reads each of them as a PATH.
    """

    texts: Mapping[str, Mapping[str, str]]
    refused: tuple[NotRead, ...]
    notes: tuple[str, ...]
    older: Mapping[str, tuple[str, ...]]


def sources(path: Path) -> tuple[Mapping[str, Mapping[str, str]], tuple[NotRead, ...]]:
    """The texts of each device, and the files of which nothing is known; as `gathered`."""
    found = gathered(path)
    return found.texts, found.refused


def gathered(path: Path) -> Gathered:
    """All that is in a file, folder, archive or (`-`) on standard input.

    RailbedError where there is no such path, or it cannot be opened.
    """
    reader = Reader()
    top = "stdin" if path == STDIN else path.resolve().name or str(path)
    try:
        if path == STDIN:
            _from_pipe(reader, top, sys.stdin.buffer)
        elif path.is_dir():
            _folder(reader, path)
        elif path.is_fifo():
            with path.open("rb") as pipe:
                _from_pipe(reader, top, pipe)
        elif path.exists():
            _only(reader, top, path)
        else:
            raise RailbedError(f"{path}: there is no such file or folder", hint="a configuration")
    except TooMuchError as error:
        reader.store.refuse(top, str(error))
    except OSError as error:
        raise RailbedError(f"{path}: cannot be read: {error.strerror}") from None
    return _told(reader.store, top)


def _only(reader: Reader, name: str, path: Path) -> None:
    """The one file that somebody asked for is read whatever it is called."""
    reader.store.wants(name)
    why = _no_file(path.stat())
    if why:
        reader.store.refuse(name, why)
        return
    with path.open("rb") as held:
        reader.stream(name, held, path.stat().st_size)


def _from_pipe(reader: Reader, name: str, pipe: BinaryIO) -> None:
    data = pipe.read(NESTED_BYTES + 1)
    if len(data) > NESTED_BYTES:
        reader.store.refuse(name, f"over {NESTED_BYTES // MIB} MiB: save it to a file first")
        return
    reader.store.wants(name)
    reader.stream(name, io.BufferedReader(io.BytesIO(data)), len(data))


def _folder(reader: Reader, folder: Path) -> None:
    names = {_shown(file.relative_to(folder)): file for file in _files(reader, folder)}
    # The newest first, so that older backups need not be read.
    for name in sorted(names, key=lambda one: (dated.age_of(one)[:2], one), reverse=True):
        file = names[name]
        try:
            if file.is_symlink():
                reader.link(name, leads_out=not _is_within(folder, file))
                continue
            found = file.lstat()
            why = _no_file(found)
            if why:
                reader.store.refuse(name, why)
            elif reader.is_asked(name, found.st_size):
                with file.open("rb") as held:
                    reader.stream(name, held, found.st_size)
        except OSError as error:
            reader.store.refuse(name, f"cannot be read: {error.strerror}")


def _files(reader: Reader, folder: Path) -> Iterator[Path]:
    """Every file and link to a file below a folder; links are not followed."""

    def unreadable(error: OSError) -> None:
        where = _shown(Path(os.path.relpath(str(error.filename), folder)))
        reader.store.refuse(where, f"cannot be read: {error.strerror}")

    for top, folders, files in os.walk(folder, onerror=unreadable):
        folders.sort()
        if {"HEAD", "objects", "refs"} <= {*folders, *files}:
            where = _shown(Path(os.path.relpath(top, folder)))
            if Path(top).name != ".git":
                reader.store.refuse(where, "a bare Git repository: check it out first")
            else:
                reader.store.pass_by(f"{where}/HEAD")
            folders.clear()
            continue
        for name in [one for one in folders if (Path(top) / one).is_symlink()]:
            reader.store.links[name] += 1
        for name in files:
            reader.budget.member()
            yield Path(top) / name


def _is_within(folder: Path, link: Path) -> bool:
    """Whether a link leads to what is read anyhow."""
    try:
        return link.resolve(strict=True).is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a loop, or nothing there
        return False


def _no_file(found: os.stat_result) -> str:
    return next((f"no plain file: {word}" for is_it, word in _KINDS if is_it(found.st_mode)), "")


def _shown(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _told(store: Store, top: str) -> Gathered:
    devices = _with_their_folders(store.devices(top))
    for texts in devices.values():
        for place, text in texts.items():
            for why in doubts(place, text):
                store.refuse(text.file, why)
    older = {
        store.units[device].name or top: tuple(sorted(names, key=dated.age_of, reverse=True))
        for device, names in sorted(store.older.items())
    }
    notes = [*store.notes, *_dates(store), *_counted(store)]
    return Gathered(devices, tuple(_once(store.refused)), tuple(notes), older)


def _with_their_folders(devices: dict[str, dict[str, Text]]) -> dict[str, dict[str, Text]]:
    """Lone texts of no system known here, beside no other, as those of their folder's machine."""
    folders: dict[str, list[str]] = {}
    for name, texts in devices.items():
        if name in texts and "/" in name:
            folders.setdefault(name.rpartition("/")[0], []).append(name)
    out = dict(devices)
    for folder, names in folders.items():
        if len(names) > 1 and not any(places_of(devices[one][one]) for one in names):
            held = {f"/{one.rpartition('/')[2]}": out.pop(one)[one] for one in names}
            out[folder] = {**out.get(folder, {}), **held}
    return dict(sorted(out.items()))


def _dates(store: Store) -> Iterator[str]:
    """That backups are left out, and devices that have none of the latest date."""
    count = sum(map(len, store.older.values()))
    if not count:
        return
    yield f"{count} older backups of {len(store.older)} devices are not judged"
    dates = {unit.name: dated.shown_date(unit.name) for unit in store.units.values() if unit.texts}
    latest = max(dates.values(), default="")
    for name, date in sorted(dates.items()):
        if date and date != latest:
            yield f"{name}: the newest of its backups, and others are of {latest}"


def _counted(store: Store) -> Iterator[str]:
    if store.not_looked_at:
        kinds = ", ".join(f"{count} {kind}" for kind, count in store.not_looked_at.most_common(6))
        yield f"{store.not_looked_at.total()} files are no configurations by their names: {kinds}"
    if store.links:
        yield f"{store.links.total()} links are not followed"


def _once(refused: list[NotRead]) -> Iterator[NotRead]:
    """Each reason in full for a few files, then by number: an archive may hold thousands."""
    seen: Counter[str] = Counter()
    for one in refused:
        seen[one.why] += 1
        if seen[one.why] <= 20:
            yield one
    for why, count in seen.items():
        if count > 20:
            yield NotRead(f"{count - 20} more files", why)
