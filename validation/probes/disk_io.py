"""Files written and read by fio on a node: the shell that asks, and the reader of its answer.

Only ever below a folder that exists, never on a raw device, and only where there is room. What it
writes lies in a folder of its own, which is removed when it ends and before it begins.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from validation.parse.loads import fio

_RAN_FOR = 0.9  # of the time asked: a shorter run says nothing of the rest
_ON = re.compile(r"on (\S+) (\S+) (\d+)")
_SHELL = """\
set -u
place={place}
real=$(readlink -f -- "$place") && [ -d "$real" ] || {{
  echo "$place: no such folder" >&2; exit 72; }}
case $real in /dev|/dev/*|/proc|/proc/*|/sys|/sys/*)
  echo "$place is $real: no place for files" >&2; exit 71;; esac
{mounted}
set -- $(df -Pk -- "$real" | tail -n 1)
[ "$4" -ge $(({kib} + $2 * {spare} / 100)) ] || {{
  echo "$place has $4 KiB free of $2; {kib} KiB and {spare} % are asked" >&2; exit 73; }}
free=$4
mine="$real/.railbed-fio-$(hostname)"
rm -rf -- "$mine"
trap 'rm -rf -- "$mine"' EXIT
trap 'exit 98' HUP INT TERM
mkdir -m 700 -- "$mine" || exit 74
fio --output-format=json --output="$RAILBED_TMP/fio.json" --directory="$mine" \\
  --filename_format='data.$jobnum' --bs={block} --ioengine=libaio --iodepth={depth} --direct=1 \\
  --size={mib}M --time_based --runtime={seconds} --numjobs={files} --group_reporting \\
  --end_fsync=1 --name=write --rw=write --name=read --stonewall --rw=read >&2 || {{
  cat "$RAILBED_TMP/fio.json" >&2; exit 75; }}
echo "on $(findmnt -n -o SOURCE,FSTYPE -T "$mine" | tr -s ' ') $free"
cat "$RAILBED_TMP/fio.json"
"""
_MOUNTED = 'mountpoint -q -- "$real" || { echo "$place is not mounted" >&2; exit 76; }'


_REFUSED = {71: "no place", 72: "missing", 73: "full", 76: "not mounted"}


class Refused(Unreadable):
    """Nothing was written, because the place is not as it must be: full, missing, not mounted."""


@dataclass(frozen=True, slots=True, order=True)
class Files:
    """So many files at once, of `mib` each, for so long in each direction.

    `spare_percent` of the file system stays free; `mounted`: the place must be a mount itself.
    """

    place: str
    files: int
    mib: int
    seconds: int
    depth: int
    block: str
    spare_percent: int
    mounted: bool

    @property
    def asked(self) -> str:
        """All that is asked, in one line."""
        return (
            f"{self.place} files={self.files} mib={self.mib} seconds={self.seconds} "
            f"depth={self.depth} block={self.block}"
        )

    @property
    def shell(self) -> str:
        """POSIX sh that writes and then reads; its answer is for `answer`."""
        return _SHELL.format(
            place=shlex.quote(self.place),
            mounted=_MOUNTED if self.mounted else "",
            kib=self.files * self.mib * 1024,
            spare=self.spare_percent,
            block=self.block,
            depth=self.depth,
            mib=self.mib,
            seconds=self.seconds,
            files=self.files,
        )

    @property
    def limit_s(self) -> float:
        """Twice the time of both directions, and of laying out the files at a slow rate."""
        return 4 * self.seconds + 60 + self.files * self.mib / 100


@dataclass(frozen=True, slots=True)
class Answer:
    """What the files lie on, and what fio said of them; times are the node's clock."""

    source: str
    ran: fio.Fio

    def of(self, way: fio.Way) -> fio.Done:
        """What was read or written."""
        return self.ran.of(way, way)

    def span(self, way: fio.Way) -> tuple[float, float]:
        """When a direction began and ended: reading ends with the run, writing before it."""
        end = self.ran.ended_at_s - (self.of("read").seconds if way == "write" else 0.0)
        return end - self.of(way).seconds, end


def answer(asked: Files, status: int, text: str, errors: str) -> Answer:
    """Read what the shell printed.

    Raises Refused where the place is not fit for it, Unreadable where it did not do what was asked.
    """
    if status in _REFUSED:
        raise Refused(f"{_REFUSED[status]}: {' '.join(errors.split())[:200]}")
    if status:
        raise Unreadable(f"fio on {asked.place}: status {status}: {' '.join(errors.split())[:200]}")
    head, _, rest = text.partition("\n")
    on = _ON.fullmatch(head.strip())
    if on is None:
        raise Unreadable(f"fio on {asked.place}: nobody says what it lies on")
    found = Answer(on[1], fio.run(rest))
    options = dict(found.ran.options)
    wanted = {
        "bs": asked.block,
        "iodepth": str(asked.depth),
        "direct": "1",
        "size": f"{asked.mib}M",
        "runtime": str(asked.seconds),
        "numjobs": str(asked.files),
    }
    if other := {key: options.get(key) for key in wanted if options.get(key) != wanted[key]}:
        raise Unreadable(f"fio ran with {other}, asked was {wanted}")
    for way in fio.WAYS:
        if found.of(way).seconds < asked.seconds * _RAN_FOR:
            raise Unreadable(f"fio ran {way} for {found.of(way).seconds:g} s, not as asked")
    return found
