"""Evidence: what a device answered, when, and that it was this device. Kept in files.

A store is a folder with one file per device. A frame in it is one line
`railbed-frame HEADER_BYTES PAYLOAD_BYTES HEADER_SHA256`, the header as JSON, and the raw
output. Lengths, not markers, end a frame, so no output can look like one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from inventory.problems import ExpectedError
from inventory.reading.fields import document, mapping, sequence, text_of
from inventory.reading.numbers import Whole, count
from inventory.visible import one_line
from switch_configs.shown.said import said

from .whole_files import private_folder, write_whole

SUFFIX = ".frames"
SILENT = "silent.json"
ASKED = "asked.json"
MAGIC = b"railbed-frame"
_OPENING = re.compile(rb"railbed-frame (\d{1,9}) (\d{1,12}) ([0-9a-f]{64})\n")
_DEVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_STATUS = Whole("the exit status", "1", 0, 255)
_LENGTH = count("the length of the answer", "bytes")
_CLOCK = Whole("the device's clock", "s since 1970", 0, 99_999_999_999)


class EvidenceError(ExpectedError, OSError):
    """Evidence of which nobody can say what should be in it, so it cannot be judged at all."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answered, read in the same trip as the answer.

    `mac` is that of the management port, `boot_id` the kernel's
    /proc/sys/kernel/random/boot_id (random(4)), `clock_s` its own clock in Unix seconds; None
    where nobody asked it (a saved host state).
    """

    hostname: str
    mac: str
    boot_id: str
    clock_s: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One command's answer. `byte_length` and `sha256` were measured on the device.

    Of a device without a shell they were measured here.

    `time` is the controller's, UTC, when the trip began; `errors` is the start of what
    the command wrote to its standard error, as far as it may be shown.
    """

    device: str
    command: str
    plan_digest: str
    time: datetime
    identity: Identity
    exit_status: int
    byte_length: int
    sha256: str
    payload: bytes
    errors: str = ""

    def __post_init__(self) -> None:
        """Whatever the command was given may stand in its complaint, and evidence is kept."""
        object.__setattr__(self, "errors", said(self.errors, self.command))

    @property
    def damage(self) -> str:
        """Why the payload is not what the device sent; empty where it is."""
        if len(self.payload) != self.byte_length:
            return f"{len(self.payload)} bytes where the device sent {self.byte_length}"
        if hashlib.sha256(self.payload).hexdigest() != self.sha256:
            return "its sha256 is not the one the device sent"
        return ""


def dump(frame: Frame) -> bytes:
    """A frame as it lies in a file."""
    header = json.dumps(
        {
            "device": frame.device,
            "command": frame.command,
            "plan_digest": frame.plan_digest,
            "time": frame.time.isoformat(),
            "hostname": frame.identity.hostname,
            "mac": frame.identity.mac,
            "boot_id": frame.identity.boot_id,
            "clock_s": frame.identity.clock_s,
            "exit_status": frame.exit_status,
            "byte_length": frame.byte_length,
            "sha256": frame.sha256,
            "errors": frame.errors,
        },
        sort_keys=True,
    ).encode()
    seal = hashlib.sha256(header).hexdigest().encode()
    sizes = f"{len(header)} {len(frame.payload)}".encode()
    return b"%s %s %s\n%s\n%s\n" % (MAGIC, sizes, seal, header, frame.payload)


def _frame(header: bytes, payload: bytes) -> Frame | None:
    """The frame, or None where the header is none of ours. Frames of old have no clock."""
    try:
        raw = mapping(document(header.decode(), "railbed"), "it")
        clock_s = None if raw.get("clock_s") is None else _CLOCK.of(raw, "clock_s", "it")
        time = datetime.fromisoformat(_word(raw, "time"))
        if time.utcoffset() != timedelta(0):
            return None
        return Frame(
            device=_word(raw, "device"),
            command=_word(raw, "command"),
            plan_digest=_word(raw, "plan_digest"),
            time=time,
            identity=Identity(
                _word(raw, "hostname"), _word(raw, "mac"), _word(raw, "boot_id"), clock_s
            ),
            exit_status=_STATUS.of(raw, "exit_status", "it"),
            byte_length=_LENGTH.of(raw, "byte_length", "it"),
            sha256=_word(raw, "sha256"),
            payload=payload,
            errors=_word(raw, "errors"),
        )
    except ValueError:
        return None


def _word(raw: dict[str, object], key: str) -> str:
    """Text that can be written again: JSON may escape half a character. Raises ValueError."""
    word = text_of(raw, key, "it")
    word.encode()
    return word


def read_frames(data: bytes) -> tuple[tuple[Frame, ...], tuple[str, ...]]:
    """The whole frames of a file, and what is wrong with the rest of it.

    Reading stops at the first place where lengths no longer lead to a frame.
    """
    frames: list[Frame] = []
    wrong: list[str] = []
    at = 0
    while at < len(data):
        opening = _OPENING.match(data, at)
        if not opening:
            return tuple(frames), (*wrong, f"no frame begins at byte {at}")
        start, size = opening.end(), int(opening[1])
        body = start + size + 1
        end = body + int(opening[2])
        if end + 1 > len(data):
            return tuple(frames), (*wrong, f"cut short at byte {len(data)}")
        header = data[start : start + size]
        if hashlib.sha256(header).hexdigest().encode() != opening[3]:
            wrong.append(f"the header at byte {start} was altered")
        elif data[body - 1 : body] != b"\n" or data[end : end + 1] != b"\n":
            return tuple(frames), (*wrong, f"the frame at byte {at} does not end where it says")
        elif frame := _frame(header, data[body:end]):
            frames.append(frame)
        else:
            wrong.append(f"the header at byte {start} is not one")
        at = end + 1
    return tuple(frames), tuple(wrong)


class EvidenceStore:
    """Frames by device and command, in memory and, when it has a folder, in files.

    `silent` tells why devices did not answer, or not to the end: words for a report. `asked` is
    what the run was asked beyond its plan: evidence that holds less of it does not pass.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._frames: dict[str, dict[str, Frame]] = defaultdict(dict)
        self._bad: dict[tuple[str, str], str] = {}
        self._wrong: dict[str, str] = {}
        self._dirty: set[str] = set()
        self.silent: dict[str, str] = {}
        self.asked: set[str] = set()

    @classmethod
    def load(cls, folder: Path) -> EvidenceStore:
        """Everything in the folder that is whole; the rest is in `problems`.

        Of a file that holds anything but whole frames of its device nothing is believed: who put
        it there, and what else, cannot be told.

        Raises FileNotFoundError where there is no such folder, EvidenceError where its list of
        what was asked cannot be read.
        """
        if not folder.is_dir():
            raise FileNotFoundError(f"no evidence folder {folder}")
        store = cls(folder)
        store.silent.update(_reasons(folder / SILENT))
        store.asked.update(_asked(folder / ASKED))
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            device = path.name.removesuffix(SUFFIX)
            try:
                store._load(device, path.read_bytes())
            except OSError as error:
                store._refuse(device, f"cannot be read ({error.strerror})")
        return store

    def _load(self, device: str, data: bytes) -> None:
        frames, wrong = read_frames(data)
        others = sorted({one.device for one in frames} - {device})
        if wrong := (*wrong, *(f"holds a frame of {one}" for one in others)):
            self._refuse(device, "; ".join(wrong))
            return
        mine = self._frames[device]
        for frame in frames:
            if frame.command in mine or (device, frame.command) in self._bad:
                mine.pop(frame.command, None)
                self._bad[device, frame.command] = "the frame is there twice"
            else:
                mine[frame.command] = frame

    def _refuse(self, device: str, why: str) -> None:
        """Whatever was said of the device's silence, it is its file that has to be looked at."""
        self._wrong[device] = f"its evidence file {device}{SUFFIX} {why}"
        self.silent.pop(device, None)

    def add(self, frames: Iterable[Frame]) -> None:
        """Take new answers; a newer one replaces an older one."""
        for frame in frames:
            if not _DEVICE.fullmatch(frame.device):
                raise ValueError(f"{frame.device!r} cannot name an evidence file")
            self._frames[frame.device][frame.command] = frame
            self._bad.pop((frame.device, frame.command), None)
            self._dirty.add(frame.device)

    def drop(self, frame: Frame) -> None:
        """Forget an answer that turned out not to be believable."""
        self._of(frame.device).pop(frame.command, None)
        self._dirty.add(frame.device)

    def save(self) -> None:
        """Write the files of devices that changed, each at once or not at all.

        The folder then holds this store's evidence and no older one of other devices.
        """
        if self.folder is None:
            return
        private_folder(self.folder)
        known = {device for device, frames in self._frames.items() if frames}
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            if path.name.removesuffix(SUFFIX) not in known:
                path.unlink()
        for device in sorted(self._dirty):
            data = b"".join(dump(one) for _, one in sorted(self._of(device).items()))
            write_whole(self.folder / f"{device}{SUFFIX}", data)
        self._dirty.clear()
        words = json.dumps(dict(sorted(self.silent.items())), indent=1)
        write_whole(self.folder / SILENT, f"{words}\n".encode())
        if self.asked:
            write_whole(self.folder / ASKED, f"{json.dumps(sorted(self.asked))}\n".encode())
        else:
            (self.folder / ASKED).unlink(missing_ok=True)

    def get(self, device: str, command: str) -> Frame | None:
        """The one frame of this command, or None; `why_not` then knows why."""
        return self._of(device).get(command)

    def why_not(self, device: str, command: str) -> str:
        """Why `get` has no answer, as far as the store can tell."""
        twice = self._bad.get((device, command))
        return twice or self._wrong.get(device, "there is no evidence of it")

    def boot_id(self, device: str) -> str:
        """The boot that the device's newest evidence comes from."""
        mine = self._of(device).values()
        return max(mine, key=lambda one: one.time).identity.boot_id if mine else ""

    def clocks(self) -> dict[str, float]:
        """Device -> by how many seconds its clock was ahead of the controller's, newest trip.

        Only devices that told. A trip connects first: by as long, a device seems ahead.
        """
        found: dict[str, float] = {}
        for device, frames in sorted(self._frames.items()):
            told = [frame for frame in frames.values() if frame.identity.clock_s is not None]
            if told:
                newest = max(told, key=lambda one: one.time)
                found[device] = (newest.identity.clock_s or 0) - newest.time.timestamp()
        return found

    def _of(self, device: str) -> dict[str, Frame]:
        return self._frames.get(device, {})

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything wrong that loading found, as sentences."""
        twice = (f"{device}: `{command}`: {why}" for (device, command), why in self._bad.items())
        wrong = (f"{device}: {why}" for device, why in self._wrong.items())
        return tuple(sorted((*twice, *wrong)))

    def __iter__(self) -> Iterator[Frame]:
        for _, frames in sorted(self._frames.items()):
            yield from (frame for _, frame in sorted(frames.items()))

    def __len__(self) -> int:
        return sum(map(len, self._frames.values()))


def _reasons(path: Path) -> dict[str, str]:
    """Why devices were silent; a file that cannot be read takes only the words away."""
    try:
        said = mapping(document(path.read_text("utf-8"), "railbed"), "it")
    except (OSError, ValueError):
        return {}
    return {one_line(device): one_line(str(why)) for device, why in said.items()}


def _asked(path: Path) -> list[str]:
    """What a run was asked beyond its plan; most runs have no such list. Raises EvidenceError."""
    try:
        said = document(path.read_text("utf-8"), "railbed") if path.exists() else []
        return [text_of({"it": one}, "it", "its list") for one in sequence(said, "it")]
    except ValueError as error:
        raise EvidenceError(f"{path}: what the run was asked cannot be read ({error})") from error
