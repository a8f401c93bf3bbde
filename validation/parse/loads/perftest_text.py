"""What all of perftest's tools print around their figures: title, settings, one table, its end.

Versions and vendors move lines and add some, so nothing is read by line number. Formats:
linux-rdma/perftest, src/perftest_parameters.c (ctx_print_test_info, RESULT_FMT*),
src/cuda_memory.c.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole
from switch_configs.shown.said import why

SIZE_BYTES = Whole("message size", "B", 1, 1 << 31)
ITERATIONS = Whole("iterations", "1", 1, 10**15)
_QPS = Whole("number of queue pairs", "1", 1, 1 << 24)
_MTU_BYTES = Whole("RDMA path MTU", "B", 256, 4096)  # enum ibv_mtu of rdma-core, verbs.h
_GPU_NUMBER = Whole("number of the GPU", "1", 0, 4095)

# What perftest says when a run came to nothing; its exit status is not kept by every launcher.
_ERRORS = re.compile(
    r"couldn't connect|completion with error|failed status|failed to|unable to|"
    r"couldn't |can't |error:|error=|scnt=|segmentation fault|not supported|"
    r"\) returned \d|no available device|no such device|ib device \S+ not found"
)
# What it, libibverbs and a NIC's provider say and go on: linux-rdma/rdma-core, libibverbs/init.c
# and dynamic_driver.c, providers/mlx5/mlx5.c; linux-rdma/perftest, src/perftest_parameters.c.
_WENT_ON = re.compile(
    r"^\s*(?:[\w.-]+: )?warning: |, falling back to |cq moderation can't be gr[ea]+ter",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[+-]?\d[\d.e+-]*")
_RULE = re.compile(r"^\s*-{20,}\s*$")
_FIELD = re.compile(r"(\S[^:\t]*?)\s*:\s*(\S+)")
_GPU = re.compile(r"^\s*Picking (?:device No\.|GPU number)(.*)$")
_KNOWN = ("Device", "Link type", "Number of qps", "Transport type", "Connection type", "Mtu")
_MTU = re.compile(r"^(\d+)\[B\]$")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run says of itself before its table.

    `mtu_bytes` is the RDMA path MTU; `gpu` the number of the GPU whose memory was used, None for
    the host's.
    """

    device: str
    link_type: str
    transport: str
    connection: str
    qps: int
    mtu_bytes: int
    gpu: int | None


@dataclass(frozen=True, slots=True)
class Page:
    """One run of one side: the words of its title, its settings, its table's head and lines."""

    title: re.Match[str]
    settings: Settings
    head: re.Match[str]
    rows: tuple[str, ...]


def page(text: str, title: re.Pattern[str], head: re.Pattern[str], row: re.Pattern[str]) -> Page:
    """One run of one side, from its title to the rule that closes its table.

    Raises Unreadable for errors, for output that is cut short, and for two runs in one text:
    which rows are whose cannot be told.
    """
    lines = text.splitlines()
    refuse_errors(text)
    titles = [(at, found) for at, line in enumerate(lines) if (found := title.match(line))]
    heads = [(at, found) for at, line in enumerate(lines) if (found := head.match(line))]
    if len(titles) != 1 or len(heads) != 1:
        raise Unreadable(f"perftest printed {len(titles)} titles and {len(heads)} tables, not one")
    (begin, name), (at, columns) = titles[0], heads[0]
    rest = lines[at + 1 :]
    closed = next((number for number, line in enumerate(rest) if _RULE.match(line)), None)
    if closed is None:
        raise Unreadable("perftest's table has no end: it was cut short")
    if not all(map(str.strip, rest[:closed])):
        raise Unreadable("perftest's table has a blank line: one of its lines is lost")
    if any(row.match(line) for line in rest[closed:]):
        raise Unreadable("perftest printed rows after the end of its table")
    settings = _settings(lines[begin:at], _gpu(lines[:at]))
    rows = tuple(one for one in rest[:closed] if _is_row(one))
    if wrong := next((one.strip() for one in rows if not row.match(one)), ""):
        raise Unreadable(f"perftest printed a row that is not whole: {wrong[:100]}")
    return Page(name, settings, columns, rows)


def _is_row(line: str) -> bool:
    """Whether it is one, also where one word of it is lost: nothing else in a table is figures."""
    words = line.split()
    return len(words) > 3 and sum(bool(_FIGURE.fullmatch(word)) for word in words) >= len(words) - 1


def refuse_errors(text: str) -> None:
    """Raises Unreadable with what ended the run, if it did; a warning did not."""
    # Folded once: to search regardless of case takes four times as long.
    said = (line for line in text.splitlines() if _ERRORS.search(line.strip().casefold()))
    if wrong := next((line.strip() for line in said if not _WENT_ON.search(line)), ""):
        raise Unreadable(f"perftest: {why(wrong)}")


def one_each(sizes: list[int]) -> None:
    """Raises Unreadable unless there is a row, and one row a size, smallest first.

    Which sizes ran is not said (a server may print the last alone): who asks for one that is not
    there learns it.
    """
    if not sizes or sizes != sorted(set(sizes)):
        raise Unreadable(f"perftest's table holds {len(sizes)} rows, which are not one each size")


def _settings(lines: list[str], gpu: int | None) -> Settings:
    fields = _fields(lines)
    mtu = _MTU.match(_said(fields, "Mtu"))
    if mtu is None:
        raise Unreadable("perftest's 'Mtu' is not in bytes")
    return Settings(
        _said(fields, "Device"),
        _said(fields, "Link type"),
        _said(fields, "Transport type"),
        _said(fields, "Connection type"),
        _QPS.read(_said(fields, "Number of qps")),
        _MTU_BYTES.read(mtu[1]),
        gpu,
    )


def _fields(lines: list[str]) -> dict[str, str]:
    """The known settings. Two values of one are two runs."""
    found: dict[str, str] = {}
    said = (line for line in lines if ":" in line)
    for one in (match for line in said for match in _FIELD.finditer(line)):
        if one[1] in _KNOWN and found.setdefault(one[1], one[2]) != one[2]:
            raise Unreadable(f"perftest said two things of its {one[1]!r}")
    return found


def _gpu(lines: list[str]) -> int | None:
    found = {_GPU_NUMBER.read(match[1]) for line in lines if (match := _GPU.match(line))}
    if len(found) > 1:
        raise Unreadable("perftest used the memory of several GPUs")
    return next(iter(found), None)


def _said(fields: dict[str, str], label: str) -> str:
    if label not in fields:
        raise Unreadable(f"perftest did not say its {label!r}")
    return fields[label]
