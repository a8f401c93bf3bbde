"""Archives as streams of their members: nothing is written, nothing is followed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from .limits import MIB, NESTED_BYTES, Budget, TooMuchError, Unpacked

DAMAGED = (
    tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, struct.error, EOFError,
    OSError, NotImplementedError, RuntimeError, ValueError, OverflowError,
)  # fmt: skip
_MAGIC = (
    (b"\x1f\x8b", "gz"), (b"\xfd7zXZ\0", "xz"), (b"BZh", "bz2"), (b"PK\3\4", "zip"),
    (b"PK\5\6", "zip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"), (b"\x1f\x9d", "compress"), (b"\x04\x22\x4d\x18", "lz4"),
)  # fmt: skip
UNKNOWN = {"zstd", "7z", "rar", "compress", "lz4"}
_BLOCK = 512
_XZ_MEMORY_BYTES = 256 * MIB
_NAMES_BYTES = 64 * 1024
_LIST_BYTES = 32 * MIB
_END = b"PK\5\6"
_IS_ENCRYPTED = 1


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive: `refused` says why it is not opened, `link` that it is one."""

    name: str
    size_bytes: int
    open: Callable[[], BinaryIO]
    refused: str = ""
    link: bool = False


def kind_of(head: bytes) -> str:
    """What a stream is packed as, by its first 512 bytes; "" for none of what is known."""
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    return found or ("tar" if _is_tar(head) else "")


def _is_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head[:_BLOCK], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def unpacked(kind: str, stream: BinaryIO, size_bytes: int, budget: Budget) -> io.BufferedReader:
    """What a `gz`, `xz` or `bz2` holds, counted."""
    made: io.BufferedIOBase
    if kind == "gz":
        made = gzip.GzipFile(fileobj=stream, mode="rb")
    elif kind == "bz2":
        made = bz2.BZ2File(stream, "rb")
    else:
        made = io.BufferedReader(_Xz(stream), MIB)
    return io.BufferedReader(Unpacked(made, size_bytes, budget), MIB)


class _Xz(io.RawIOBase):
    """As `lzma.LZMAFile`, within bounds: a header may ask for a dictionary of 4 GiB."""

    def __init__(self, stream: BinaryIO) -> None:
        self._from = stream
        self._new()

    def _new(self) -> None:
        self._one = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, into: bytearray | memoryview) -> int:  # type: ignore[override]
        while True:
            data = b""
            if self._one.eof:
                data = self._one.unused_data.lstrip(b"\0") or self._from.read(MIB).lstrip(b"\0")
                if not data:
                    return 0
                self._new()
            elif self._one.needs_input:
                data = self._from.read(MIB)
                if not data:
                    raise EOFError("cut")
            out = self._one.decompress(data, len(into))
            if out:
                into[: len(out)] = out
                return len(out)


class _Info(tarfile.TarInfo):
    """Headers, strictly: tarfile takes a damaged one, and no end, for the end of the archive."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Info:
        try:
            made = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if type(error).__name__ == "EOFHeaderError":
                raise
            raise tarfile.ReadError("cut or damaged") from None
        if made.type in b"xgXLK" and made.size > _NAMES_BYTES:
            raise tarfile.ReadError("a name of over 64 KiB")
        return made


def tar_members(stream: BinaryIO, budget: Budget) -> Iterator[Member]:
    """The members of a tar, each to be read before the next is asked for."""
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Info, bufsize=64 * 1024) as tar:
        while (info := tar.next()) is not None:
            vars(tar)[
                "members"
            ].clear()  # All headers, for a search of names that is not asked for.
            budget.member()
            if info.isdir():
                continue
            refused = _climbs(info.name)
            if not (info.isreg() or info.issym() or info.islnk() or refused):
                refused = "a device or FIFO in an archive: not read"
            open_it = cast("Callable[[], BinaryIO]", lambda one=info: tar.extractfile(one))
            is_link = info.issym() or info.islnk()
            yield Member(_name(info.name), info.size, open_it, refused, is_link)


def zip_members(stream: BinaryIO, size_bytes: int, budget: Budget) -> Iterator[Member]:
    """The members of a zip, which can be sought in."""
    _check_list(stream, size_bytes)
    with zipfile.ZipFile(stream) as packed:
        for info in packed.infolist():
            budget.member()
            if info.is_dir():
                continue
            refused = _climbs(info.orig_filename)
            mode = info.external_attr >> 16
            if info.flag_bits & _IS_ENCRYPTED:
                refused = "encrypted"
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFLNK):
                refused = refused or "a device or FIFO in an archive: not read"

            def open_it(one: zipfile.ZipInfo = info) -> BinaryIO:
                held = cast("io.BufferedIOBase", packed.open(one))
                return io.BufferedReader(Unpacked(held, one.compress_size, budget), MIB)

            yield Member(
                _name(info.orig_filename), info.file_size, open_it, refused, stat.S_ISLNK(mode)
            )


def _check_list(stream: BinaryIO, size_bytes: int) -> None:
    """`zipfile` reads the list of all members at once, however long somebody made it."""
    if size_bytes > 16 * NESTED_BYTES:
        raise TooMuchError(f"a zip of over {16 * NESTED_BYTES // MIB} MiB: unpack it first")
    stream.seek(max(0, size_bytes - 65_557))
    tail = stream.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 20:
        raise zipfile.BadZipFile("cut")
    list_bytes = struct.unpack_from("<I", tail, at + 12)[0]
    if list_bytes > _LIST_BYTES or tail[max(0, at - 20) : at].startswith(b"PK\6\7"):
        raise TooMuchError("a zip of very many members: unpack it first")
    stream.seek(0)


def _climbs(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if parts[0] == "" or (len(parts[0]) == 2 and parts[0].endswith(":")):
        return "an absolute path in an archive: not read"
    return "a path that climbs out of its archive: not read" if ".." in parts else ""


def _name(name: str) -> str:
    """A path as it can be shown; what is no text of it, escaped."""
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "/".join(part for part in shown.replace("\\", "/").split("/") if part not in ("", "."))
