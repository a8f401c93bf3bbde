"""Streams to texts: what is an archive is unpacked, what is a bundle or a log is picked from."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, cast

from switch_configs import places_of
from validation.audit.box import text_of

from . import unpack
from .decoded import Decoded, decoded
from .limits import MIB, NESTED_BYTES, STREAM_BYTES, TEXT_BYTES, Budget, TooMuchError
from .others import other_system
from .picked import Picker, chosen, has_sections, picked
from .places import is_archive_by_name, is_none_by_name, is_wanted, named_place, rooted
from .store import Store

_MOST_NESTED = 2
_LONGEST_LINE = 64 * 1024


@dataclass
class Reader:
    """Puts what streams hold into a store; what goes wrong with one of them is told of that one."""

    store: Store = field(default_factory=Store)
    budget: Budget = field(default_factory=Budget)
    spent: bool = False

    def is_asked(self, name: str, size_bytes: int) -> bool:
        """Whether a file is opened at all, by its path and size; if not, it is counted."""
        root = rooted(name)
        if root:
            if not self.store.wants(root[0]):
                return False
            if is_wanted(root[1], size_bytes):
                return True
            self.store.skip_in(root[0])
            return False
        if is_none_by_name(name):
            self.store.pass_by(name)
            return False
        return is_archive_by_name(name) or self.store.wants(_unit(name))

    def link(self, name: str, *, leads_out: bool = True) -> None:
        """A link, which is not followed: one that could be a configuration is missed."""
        root = rooted(name)
        asked = is_wanted(root[1], 0) if root else not is_none_by_name(name)
        if asked and leads_out:
            self.store.refuse(name, "a link: not followed")
        else:
            self.store.links[name] += 1

    def stream(self, name: str, stream: BinaryIO, size_bytes: int, depth: int = 0) -> None:
        """One file that is asked for; `stream` can be sought in where `depth` is 0."""
        held = cast("io.BufferedReader", stream)
        if not isinstance(stream, io.BufferedReader):
            held = io.BufferedReader(cast("io.RawIOBase", stream), MIB)
        head = held.peek(512)[:512]
        kind = unpack.kind_of(head)
        if kind in unpack.UNKNOWN:
            self.store.refuse(name, f"packed by {kind}: unpack it first")
        elif kind and depth == _MOST_NESTED:
            self.store.refuse(name, "an archive in an archive in an archive: unpack it first")
        elif kind:
            self._archive(kind, name, held, size_bytes, depth)
        elif rooted(name) or not is_archive_by_name(name) or self.store.wants(_unit(name)):
            self._text(name, held)

    def _archive(
        self, kind: str, name: str, held: io.BufferedReader, size_bytes: int, depth: int
    ) -> None:
        if self.spent:
            self.store.refuse(name, "the limit on all that is unpacked was reached: not read")
            return
        try:
            if kind == "zip":
                self._zip(name, held, size_bytes, depth)
            elif kind == "tar":
                self._members(name, unpack.tar_members(held, self.budget), depth)
            else:
                self._unpacked(kind, name, held, size_bytes, depth)
        except TooMuchError as error:
            self.store.refuse(name, str(error))
            self.spent = min(self.budget.members, self.budget.unpacked) < 0
        except unpack.DAMAGED:
            self.store.refuse(name, "a cut or damaged archive: what it lost is not known")

    def _zip(self, name: str, held: io.BufferedReader, size_bytes: int, depth: int) -> None:
        """Of one in an archive the bytes are held, as it must be sought in."""
        if depth:
            data = held.read(NESTED_BYTES + 1)
            if len(data) > NESTED_BYTES:
                raise TooMuchError(f"over {NESTED_BYTES // MIB} MiB in an archive")
            held, size_bytes = io.BufferedReader(io.BytesIO(data)), len(data)
        self._members(name, unpack.zip_members(held, size_bytes, self.budget), depth)

    def _unpacked(
        self, kind: str, name: str, held: io.BufferedReader, size_bytes: int, depth: int
    ) -> None:
        inner = unpack.unpacked(kind, held, size_bytes, self.budget)
        if unpack.kind_of(inner.peek(512)[:512]) == "tar":
            self._members(name, unpack.tar_members(inner, self.budget), depth)
            return
        bare = name.rpartition(".")[0] if is_archive_by_name(name) else name
        root = rooted(bare)
        if root or not is_none_by_name(bare):
            self.store.wants(root[0] if root else _unit(bare))
            self.stream(bare, inner, 0, depth + 1)
        else:
            self.store.pass_by(bare)

    def _members(self, name: str, members: Iterator[unpack.Member], depth: int) -> None:
        for one in members:
            path = f"{name}/{one.name}"
            if one.refused:
                self.store.refuse(path, one.refused)
            elif one.link:
                self.link(path)
            elif self.is_asked(path, one.size_bytes):
                self.stream(path, one.open(), one.size_bytes, depth + 1)

    def _text(self, name: str, held: io.BufferedReader) -> None:
        root = rooted(name)
        unit, place = root or (_unit(name), named_place(name) or name)
        data = held.read(TEXT_BYTES + 1)
        said = decoded(data) if len(data) <= TEXT_BYTES else _looked_through(data, held)
        if isinstance(said, str):
            self.store.refuse(name, said)
            return
        if said.note:
            self.store.notes.append(f"{name}: {said.note}")
        if said.doubt:
            self.store.refuse(name, said.doubt)
        if root or not has_sections(said.text):
            self._put(name, unit, place, said.text)
        else:
            self._sections(name, unit, place, said)

    def _put(self, name: str, unit: str, place: str, text: str) -> None:
        """A whole text; a lone one must be of a system that is known here."""
        if not text.strip():
            self.store.refuse(name, "empty")
            return
        other = "" if place.startswith("/") or places_of(text) else other_system(text)
        if other:
            self.store.refuse(name, f"{other}: not understood here")
        else:
            self.store.put(unit, place, text_of(name, text))

    def _sections(self, name: str, unit: str, place: str, said: Decoded) -> None:
        found = picked(said.text)
        shown, told = chosen(found.sections)
        self.store.notes += (f"{name}: {one}" for one in told)
        for one in shown:
            own = f"{unit}#{one.host}" if len(shown) > 1 else unit
            if own == unit or self.store.wants(own):
                self._put(name, own, name if own != unit else place, one.text)
        if not shown and found.parts:
            shows = " ".join(found.parts[0].split()[:3])
            self.store.refuse(name, f"a part of a configuration only: {shows} ...")
        elif not shown:
            self._put(name, unit, place, said.text)


def _unit(name: str) -> str:
    """What a file belongs to: a file that has its name from its system, to its folder."""
    return name.rpartition("/")[0] if named_place(name) else name


def _looked_through(first: bytes, rest: BinaryIO) -> Decoded | str:
    """The configurations in a text that is too long to be one; nothing else of it is held."""
    mib = TEXT_BYTES // MIB
    if b"\0" in first[:MIB]:
        return f"binary data of over {mib} MiB"
    found, number = Picker(), 0
    for lines in _whole_lines(first, rest):
        if isinstance(lines, str):
            return lines
        text = lines.decode("utf-8", "surrogateescape")
        if found.is_open or has_sections(text):
            for at, line in enumerate(text.split("\n")[:-1], start=number):
                found.line(at, line.rstrip("\r"))
        number += text.count("\n")
        if found.is_over:
            return f"over {mib} MiB: no configuration is so long"
    shown, told = chosen(found.sections)
    if len(shown) != 1:
        many = f"{len(shown)} configurations" if shown else "no output of `show running-config`"
        return f"over {mib} MiB with {many} in it: cut it up first"
    made = decoded(shown[0].text.encode("utf-8", "surrogateescape"))
    if isinstance(made, str) or not told:
        return made
    return Decoded(made.text, "; ".join((*told, made.note)).rstrip("; "), made.doubt)


def _whole_lines(first: bytes, rest: BinaryIO) -> Iterator[bytes | str]:
    """A long text in pieces that end with a line, or the word why it is none."""
    left, count = b"", len(first)
    data = first
    while data:
        lines, end, left = (left + data).rpartition(b"\n")
        if len(left) > _LONGEST_LINE:
            yield f"over {TEXT_BYTES // MIB} MiB, and no lines of a text"
            return
        yield lines + end
        data = rest.read(MIB)
        count += len(data)
        if count > STREAM_BYTES:
            yield f"over {STREAM_BYTES // MIB} MiB: no configuration is so long"
            return
    yield left + b"\n"
