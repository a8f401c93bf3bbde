"""Output of many processes through a launcher: its prefixes taken off, wherever they stand.

srun -l writes `0: `, Open MPI --tag-output `[1,0]<stdout>:`, Hydra -prepend-rank `[0] `, others
the time. A launcher forwards in pieces, so a prefix may stand in the middle of a row
(github.com/NVIDIA/nccl/issues/1453: `sum -1[0]  366.5`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TIME = r"\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?:?"
_TAG = r"\[\d+,\d+\]<std(?:out|err|diag)>:"
_HEAD = re.compile(rf"^\s*(?P<tag>(?:{_TIME}\s+|{_TAG}\s?|\d+:\s|\[\d+\]\s)+)")
_INSIDE = re.compile(rf"{_TIME}|{_TAG}|\[\d+\]|(?<=\s)\d+:(?=\s)")
_WHO = re.compile(r"\[\d+,(\d+)\]<|(?<!\S)(\d+):\s|\[(\d+)\]\s")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its prefix. `rank` is the process that the launcher named, or ""."""

    text: str
    rank: str


def lines(text: str) -> list[Line]:
    """Every line, its prefix read and taken off."""
    return [_line(one) for one in text.replace("\r\n", "\n").split("\n")]


def _line(text: str) -> Line:
    head = _HEAD.match(text)
    if not head:
        return Line(text, "")
    who = _WHO.search(head["tag"])
    rank = next((group for group in who.groups() if group is not None), "") if who else ""
    return Line(text[head.end() :], rank)


def row(text: str) -> list[str]:
    """The words of a table's row, prefixes in its middle and times left out."""
    return _INSIDE.sub(" ", text).split()


# What a run says that came to nothing, whatever else it printed. Sources: nccl-tests, src/common.h
# (Test ... failure) and util.cu (device report); nccl, src/transport/net_ib.cc and src/misc;
# Open MPI 4.1, help texts of orterun, of the rsh launcher and of the daemons.
_FAILED = re.compile(
    r"Test (?:NCCL |CUDA )?failure|Got completion from peer|ibv_\w+ failed|"
    r"Invalid number of GPUs|not enough slots available|unable to reliably start|"
    r"ORTE (?:was unable|has lost)|ORTE_ERROR_LOG|PRTE has lost|MPI_ABORT was invoked|"
    r"^# error: \S|mpirun (?:noticed|detected|was unable)|prterun (?:noticed|detected)|"
    r"Primary job\s+terminated|was unable to (?:launch|find)|oom-kill|Segmentation fault|"
    r"srun: error|NCCL WARN .*(?:timed? ?out|error|failure)",
    re.IGNORECASE,
)

# Of these, what others say of a run that failed, and not why.
_AFTER = re.compile(
    r"Test (?:NCCL )?failure|Primary job|(?:mpirun|prterun) (?:noticed|detected)|MPI_ABORT",
    re.IGNORECASE,
)
# What NCCL tries and can do without is told so: `Call to ibv_... failed` of an optional call
# (nccl, src/misc/ibvwrap.cc), the retries of its connections. What ends a run is NCCL WARN.
_TRIED = re.compile(r"^\S+:\d+:\d+ \[\d+\] NCCL INFO ")


def failure(found: Iterable[Line]) -> str:
    """Why the run failed, or "": NCCL's last warning before that, else a line that names a cause.

    nccl-tests itself only says `invalid usage (run with NCCL_DEBUG=WARN for details)`.
    """
    told = [line.text for line in found if not _TRIED.match(line.text)]
    at = next((number for number, one in enumerate(told) if _FAILED.search(one)), len(told))
    warned = [one for one in told[: at + 1] if at < len(told) and "NCCL WARN " in one]
    signs = [one for one in told[at:] if _FAILED.search(one)]
    causes = [*warned[-1:], *(one for one in signs if not _AFTER.search(one)), *signs]
    return next(iter(causes), "").strip(" -")[:200]
