"""Damages of a switch's texts, and of what carries them, for `tests.bench.audit_damage`."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

Draw = random.Random
TextDamage = Callable[[bytes, bytes, Draw], bytes]
"""One file's bytes and another switch's like it -> what became of it."""


def cut_anywhere(data: bytes, _: bytes, draw: Draw) -> bytes:
    """A disk that was full, a session that ended."""
    return data[: draw.randrange(len(data))]


def cut_at_a_line(data: bytes, _: bytes, draw: Draw) -> bytes:
    """The same between two lines: nothing in what is left looks cut."""
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: draw.randrange(1, max(2, len(lines)))])


def beginning_lost(data: bytes, _: bytes, draw: Draw) -> bytes:
    """A scroll-back buffer that was too short."""
    lines = data.splitlines(keepends=True)
    return b"".join(lines[draw.randrange(1, max(2, len(lines))) :])


def byte_changed(data: bytes, _other: bytes, draw: Draw) -> bytes:
    """Any byte for any other, one to four times."""
    out = bytearray(data)
    for _ in range(draw.randrange(1, 5)):
        out[draw.randrange(len(out))] = draw.randrange(256)
    return bytes(out)


def bit_flipped(data: bytes, _: bytes, draw: Draw) -> bytes:
    """Memory or a disk without a checksum."""
    out = bytearray(data)
    out[draw.randrange(len(out))] ^= 1 << draw.randrange(8)
    return bytes(out)


def lines_lost(data: bytes, _: bytes, draw: Draw) -> bytes:
    """Some lines in a row, as a pager or a slow console loses them."""
    lines = data.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    return b"".join(lines[:at] + lines[at + draw.randrange(1, 12) :])


def block_doubled(data: bytes, _: bytes, draw: Draw) -> bytes:
    """Some lines twice."""
    lines = data.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    end = at + draw.randrange(1, 40)
    return b"".join(lines[:end] + lines[at:])


def block_moved(data: bytes, _: bytes, draw: Draw) -> bytes:
    """Some lines elsewhere."""
    lines = data.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    moved, left = lines[at : at + 20], lines[:at] + lines[at + 20 :]
    to = draw.randrange(len(left) + 1)
    return b"".join(left[:to] + moved + left[to:])


def lines_shuffled(data: bytes, _: bytes, draw: Draw) -> bytes:
    """Thirty lines in any order."""
    lines = data.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    some = lines[at : at + 30]
    draw.shuffle(some)
    return b"".join(lines[:at] + some + lines[at + 30 :])


def glued(data: bytes, other: bytes, draw: Draw) -> bytes:
    """The first part of one switch and the last of another."""
    mine, theirs = data.splitlines(keepends=True), other.splitlines(keepends=True)
    return b"".join(mine[: draw.randrange(len(mine))] + theirs[draw.randrange(len(theirs)) :])


def both(data: bytes, other: bytes, _: Draw) -> bytes:
    """Two switches in one file."""
    return data + other


def wrong_encoding(data: bytes, _: bytes, draw: Draw) -> bytes:
    """Saved by an editor: UTF-16 and UTF-32, with their marks or without, EBCDIC."""
    name = draw.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp500", "utf-8-sig"])
    return data.decode("utf-8", "replace").encode(name, "replace")


def noise_inside(data: bytes, _: bytes, draw: Draw) -> bytes:
    """A block of a disk that was never written."""
    at = draw.randrange(len(data))
    noise = draw.choice([bytes(512), draw.randbytes(512), b"\xff" * 64])
    return data[:at] + noise + data[at + len(noise) :]


def of_a_terminal(data: bytes, _: bytes, draw: Draw) -> bytes:
    """CRLF, a pager's remains and colours: nothing is lost."""
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    lines[at] = b" --More-- \x08\x08\x08\x08\x08\x08\x08\x08\x08\x08          \r" + lines[at]
    return b"\r\n".join(lines)


TEXT_DAMAGES: tuple[TextDamage, ...] = (
    cut_anywhere, cut_at_a_line, beginning_lost, byte_changed, bit_flipped, lines_lost,
    block_doubled, block_moved, lines_shuffled, glued, both, wrong_encoding, noise_inside,
    of_a_terminal,
)  # fmt: skip

Files = Mapping[str, bytes]
Carrier = Callable[[Path, str, Files, Draw], None]
"""Writes the files of a switch, by their paths on it, somehow into a folder."""


def as_folder(top: Path, name: str, files: Files, _: Draw) -> None:
    """As `render --out` writes it."""
    for path, data in files.items():
        to = top / name / path.lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(data)


def as_tar(top: Path, name: str, files: Files, draw: Draw) -> None:
    """In a tar, packed or not."""
    (top / f"{name}.tar").write_bytes(_tar(name, files, draw.choice(["w", "w:gz", "w:xz"])))


def as_zip(top: Path, name: str, files: Files, _: Draw) -> None:
    """In a zip."""
    with zipfile.ZipFile(top / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as made:
        for path, data in files.items():
            made.writestr(f"{name}{path}", data)


def as_nested(top: Path, name: str, files: Files, draw: Draw) -> None:
    """A packed tar in a zip, and one level too deep half of the time."""
    data = _tar(name, files, "w:gz")
    if draw.random() < 0.5:
        data = _tar("deeper", {"/all.tgz": data}, "w")
    with zipfile.ZipFile(top / f"{name}.zip", "w") as made:
        made.writestr("all.tar", data)


def as_cut_archive(top: Path, name: str, files: Files, draw: Draw) -> None:
    """A download that ended."""
    data = _tar(name, files, draw.choice(["w", "w:gz"]))
    (top / f"{name}.tar.gz").write_bytes(data[: draw.randrange(len(data))])


def as_damaged_archive(top: Path, name: str, files: Files, draw: Draw) -> None:
    """A byte of the archive itself."""
    data = bytearray(_tar(name, files, draw.choice(["w:gz", "w:xz", "w:bz2"])))
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    (top / f"{name}.tgz").write_bytes(data)


def as_climbing(top: Path, name: str, files: Files, draw: Draw) -> None:
    """Names that would be written elsewhere, or a link in the place of a file."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for path, data in files.items():
            info = tarfile.TarInfo(draw.choice([f"../../{name}{path}", f"/{name}{path}"]))
            info.size = len(data)
            if draw.random() < 0.3:
                info.name, info.size = f"{name}{path}", 0
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(info, io.BytesIO(data))
    (top / f"{name}.tar").write_bytes(made.getvalue())


CARRIERS: tuple[Carrier, ...] = (
    *([as_folder] * 12), as_tar, as_zip, as_nested, as_cut_archive, as_damaged_archive,
    as_climbing,
)  # fmt: skip
HEALTHY_CARRIERS = {as_folder, as_tar, as_zip}


def _tar(name: str, files: Files, mode: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as tar:  # type: ignore[call-overload]
        for path, data in files.items():
            info = tarfile.TarInfo(f"{name}{path}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return made.getvalue()
