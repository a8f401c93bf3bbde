"""Which files of a path are of which switch, for an audit; nothing is followed or written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from deploy.errors import RailbedError
from validation.audit.box import NotRead

_MOST_BYTES = 16 * 2**20
_MOST_FILES = 20_000
_OF_A_SWITCH = frozenset({"etc", "mnt", "config", "flash", "var"})  # where a switch keeps texts


def sources(path: Path) -> tuple[dict[str, Mapping[str, str]], tuple[NotRead, ...]]:
    """The texts of each switch, and the files that are none.

    A file is a switch; in a folder, each file and each folder is one, or the folder is a switch
    itself (`SWITCH/etc/...`, as `railbed render --out` writes it). RailbedError for no path.
    """
    if not path.exists():
        raise RailbedError(f"{path}: there is no such file or folder", hint="a configuration")
    texts: dict[str, Mapping[str, str]] = {}
    refused: list[NotRead] = []
    for name, files in sorted(_switches(path).items()):
        read: dict[str, str] = {}
        for where, file in sorted(files.items()):
            said = _text(file)
            if isinstance(said, NotRead):
                refused.append(said)
            else:
                read[where] = said
        if read:
            texts[name] = read
    return texts, tuple(refused)


def _switches(path: Path) -> dict[str, dict[str, Path]]:
    """By the name of each switch: where its files lie on it, and here."""
    if path.is_file():
        return {path.name: {path.name: path}}
    children = sorted(one for one in path.iterdir() if not one.name.startswith("."))
    if any(one.is_dir() and one.name in _OF_A_SWITCH for one in children):
        return {path.resolve().name: dict(_tree(path))}
    found: dict[str, dict[str, Path]] = {}
    for one in children:
        if one.is_symlink() or one.name.startswith("README"):
            continue
        found[one.name] = dict(_tree(one)) if one.is_dir() else {one.name: one}
    return {name: files for name, files in found.items() if files}


def _tree(folder: Path) -> Iterator[tuple[str, Path]]:
    count = 0
    for top, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = Path(top) / name
            count += 1
            if count > _MOST_FILES:
                raise RailbedError(
                    f"{folder}: over {_MOST_FILES} files", hint="one switch a folder"
                )
            if not file.is_symlink():
                yield f"/{file.relative_to(folder)}", file


def _text(file: Path) -> str | NotRead:
    try:
        if not file.is_file():
            return NotRead(str(file), "no plain file")
        if file.stat().st_size > _MOST_BYTES:
            return NotRead(str(file), f"over {_MOST_BYTES // 2**20} MiB: no configuration")
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return NotRead(str(file), "no text in UTF-8")
    except OSError as error:
        return NotRead(str(file), f"cannot be read: {error.strerror}")
    return NotRead(str(file), "binary data") if "\0" in text else text
