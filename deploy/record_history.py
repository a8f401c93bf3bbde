"""What a state folder knows of its record, so that a lost record is never taken for a new one.

An empty record would let stale evidence pass: nothing in it says that anything was changed. Beside
the record lies a mark with the record's identity and its number of runs; folders of evidence bear
the numbers of runs, too. A record that knows less than these is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from validation.evidence import write_whole

from .errors import RailbedError

_EVIDENCE = re.compile(r"run-([0-9]{1,9})")
FORGET = "railbed runs --forget-history"


@dataclass(frozen=True, slots=True)
class History:
    """A record's identity, and the number of its newest run."""

    record: str
    runs: int


def mark_of(path: Path) -> Path:
    """Where the mark of the record at `path` lies."""
    return path.with_name(f"{path.stem}.history.json")


def write_mark(path: Path, history: History) -> None:
    """Remember how far the record at `path` has come."""
    write_whole(mark_of(path), f"{json.dumps(asdict(history))}\n".encode())


def refuse_lost(path: Path, found: History | None) -> None:
    """Raises RailbedError where the record at `path` holds less than its folder knows of.

    `found` is what the record says of itself; None where it says nothing, or is not there.
    """
    mark, runs = marked(path), newest_run(path)
    if mark is None and runs <= (found.runs if found else 0):
        return
    known = max(runs, mark.runs if mark else 0)
    if found is None:
        wrong = "is lost" if not path.is_file() else "holds no run"
    elif mark is not None and mark.record != found.record:
        wrong = "is another one than its folder knows"
    elif found.runs < known:
        wrong = f"ends at run {found.runs}: it is an older copy"
    else:
        return
    raise RailbedError(
        f"the record {path} {wrong}; {known} runs were made here",
        hint="it knows what was changed and when: bring it back from a backup; if there is none, "
        f"`{FORGET}` begins a new one, and no evidence from before counts",
    )


def newest_run(path: Path) -> int:
    """The highest run of which the folder has evidence; 0 where it has none."""
    names = path.parent.joinpath("evidence").glob("run-*")
    return max(
        (int(found[1]) for one in names if (found := _EVIDENCE.fullmatch(one.name))), default=0
    )


def known_runs(path: Path) -> int:
    """How many runs were made here, as far as the folder tells."""
    mark = marked(path)
    return max(newest_run(path), mark.runs if mark else 0)


def marked(path: Path) -> History | None:
    """The mark of the record at `path`, if there is one. Raises RailbedError for a damaged one."""
    try:
        said = json.loads(mark_of(path).read_bytes())
        return History(str(said["record"]), int(said["runs"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RailbedError(
            f"{mark_of(path)} cannot be read: {error}",
            hint=f"it knows how many runs the record holds: bring it back, or `{FORGET}`",
        ) from None
