"""Reads what `on_node/host_state.sh` writes: frames by length, sealed as a whole.

A file that is cut, altered or not ours is not believed in part either: `Unreadable` says what is
wrong with it. The seal tells accidents, not forgers: it holds no key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import Whole
from switch_configs.shown.said import why

MAGIC = b"railbed-host-state "
_OPENING = re.compile(rb"railbed-host-state 1 ([0-9a-f]{32})\n")
_HEAD = re.compile(
    rb"frame ([0-9a-f]{32}) (\d{1,5}) (\d{1,3}) (\d{1,9}) (\d{1,5}) ([0-9a-f]{64}) ([^\n]{1,300})\n"
)
_NUMBER = Whole("number of a frame", "1", 0, 99_999)
_STATUS = Whole("exit status", "1", 0, 255)
_SIZE = Whole("size", "bytes", 0, 999_999_999)
_UID = Whole("user", "1", 0, (1 << 32) - 2)
_END = re.compile(rb"end ([0-9a-f]{32}) (\d{1,5}) ([0-9a-f]{64})\n")
# timeout(1): out of time, killed by it; env(1) and sh(1): no such command.
_LATE = frozenset({124, 137})
_ABSENT = 127


@dataclass(frozen=True, slots=True)
class Told:
    """One command's answer; `errors` is the start of what it complained of."""

    status: int
    output: bytes
    errors: str


@dataclass(frozen=True, slots=True)
class NicAt:
    """A NIC of the machine; `rdma` is empty where the kernel made no RDMA device of it."""

    port: str
    pci: str
    driver: str
    rdma: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostIdentity:
    """Who answered and when (its own clock, UTC); `macs` by port."""

    hostname: str
    boot_id: str
    time: datetime
    is_root: bool
    macs: Mapping[str, str]
    nics: tuple[NicAt, ...]


@dataclass(frozen=True)
class HostState:
    """All answers of one machine, by command."""

    identity: HostIdentity
    told: Mapping[str, Told] = field(repr=False)

    def lacks(self, command: str) -> bool:
        """Whether the machine has no such tool."""
        return self._one(command).status == _ABSENT

    def text(self, command: str, *statuses: int) -> str:
        """What a command printed. Unreadable where it did not end with 0 or one of `statuses`."""
        one = self._one(command)
        if one.status in _LATE:
            raise Unreadable(f"`{command}` did not finish in its time")
        text = one.output.decode("utf-8", "backslashreplace")
        if one.status not in (0, *statuses):
            said = why(one.errors, text, command)
            raise Unreadable(f"`{command}` ended with status {one.status} and said: {said}")
        return text

    def _one(self, command: str) -> Told:
        if command not in self.told:
            raise Unreadable(f"there is no answer to `{command}`")
        return self.told[command]


def host_state(data: bytes) -> HostState:
    """Read a whole file or answer. Unreadable where it is cut, altered or none of ours."""
    opening = _OPENING.match(data)
    if not opening:
        raise Unreadable("this is no host state of format 1")
    mark, at = opening[1], opening.end()
    told, heads = dict[str, Told](), list[bytes]()
    while head := _HEAD.match(data, at):
        number, status, size, more = map(bytes.decode, head.groups()[1:5])
        told_bytes = _SIZE.read(size)
        whole = told_bytes + _SIZE.read(more)
        body = data[head.end() : head.end() + whole]
        at = head.end() + whole + 1
        if len(body) < whole or data[at - 1 : at] != b"\n":
            raise Unreadable(f"the host state is cut short in frame {len(heads)}")
        if head[1] != mark or _NUMBER.read(number) != len(heads) or _sum(body) != head[6]:
            raise Unreadable(f"frame {len(heads)} of the host state was altered")
        name = head[7].decode("utf-8", "backslashreplace")
        if name in told:
            raise Unreadable(f"`{name}` is twice in the host state")
        errors = body[told_bytes:].decode("utf-8", "backslashreplace")
        told[name] = Told(_STATUS.read(status), body[:told_bytes], errors)
        heads.append(head[0])
    _sealed(_END.fullmatch(data, at), mark, heads)
    return HostState(_identity(told), told)


def _sealed(end: re.Match[bytes] | None, mark: bytes, heads: list[bytes]) -> None:
    if not end:
        raise Unreadable(f"the host state is cut short after frame {len(heads) - 1}")
    if (
        end[1] != mark
        or _NUMBER.read(end[2].decode()) != len(heads)
        or _sum(b"".join(heads)) != end[3]
    ):
        raise Unreadable("the host state was altered: its seal does not fit")


def _sum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _identity(told: Mapping[str, Told]) -> HostIdentity:
    if "identity" not in told or told["identity"].status != 0:
        raise Unreadable("the host state does not say whose it is")
    told_of_it = told["identity"].output.decode("utf-8", "replace")
    words = [line.split() for line in full_lines(told_of_it, "the host state")]
    one = {row[0]: row[1] for row in words if len(row) == 2}
    try:
        return HostIdentity(
            one["hostname"],
            one["boot"],
            _utc(one["time"]),
            _UID.read(one["user"]) == 0,
            {row[1]: row[2].lower() for row in words if row[:1] == ["mac"] and len(row) == 3},
            tuple(
                NicAt(row[1], row[2], row[3], tuple(row[4:]))
                for row in words
                if row[:1] == ["nic"] and len(row) > 3
            ),
        )
    except (KeyError, ValueError):
        raise Unreadable("the host state does not say whose it is, and when, in UTC") from None


def _utc(said: str) -> datetime:
    time = datetime.fromisoformat(said)
    if time.utcoffset() != timedelta(0):
        raise ValueError(said)
    return time


def values(state: HostState, name: str) -> dict[str, str | None]:
    """The files of a frame `values NAME`: path to text, None for one that could not be read.

    Each is `BYTES PATH` and its text, so no text can look like another file.
    """
    data = state.text(f"values {name}").encode("utf-8", "surrogateescape")
    found: dict[str, str | None] = {}
    at = 0
    while at < len(data):
        line, _, _ = data[at:].partition(b"\n")
        at += len(line) + 1
        size, _, path = line.decode("utf-8", "backslashreplace").partition(" ")
        if size == "unread":
            found[path] = None
            continue
        end = at + _SIZE.read(size)
        if data[end : end + 1] != b"\n":
            raise Unreadable(f"the files of `values {name}` are not framed")
        found[path] = data[at:end].decode("utf-8", "replace")
        at = end + 1
    return found
