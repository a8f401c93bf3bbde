"""What a state folder knows of its record, so that a lost record is never taken for a new one.

An empty record would let stale evidence pass: nothing in it says that anything was changed. Beside
the record lies a mark with the record's identity and how many runs and changes it has; folders of
evidence bear the numbers of runs, too. A record that knows less than these is refused.

The mark is written after what it counts is on the disk: whoever is killed in between leaves a mark
that knows too little, never a record that does.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from deploy.errors import RailbedError
from inventory.reading.fields import Unreadable, document, mapping, text_of
from inventory.reading.numbers import count
from validation.evidence.whole_files import write_whole

_EVIDENCE = re.compile(r"run-([0-9]{1,9})")
_RUNS, _CHANGES = count("the number of runs"), count("the number of changes")
FORGET = "`railbed runs --forget-history`"


@dataclass(frozen=True, slots=True)
class History:
    """A record's identity, and the numbers of its newest run and its newest change."""

    record: str
    runs: int
    changes: int


@dataclass(frozen=True, slots=True)
class Known:
    """What a folder knows of its record: the mark, and the highest run that left evidence."""

    mark: History | None
    evidence_run: int

    @property
    def runs(self) -> int:
        """How many runs were made here."""
        return max(self.evidence_run, self.mark.runs if self.mark else 0)


def known_of(path: Path) -> Known:
    """What the folder knows of the record at `path`. Raises RailbedError for a damaged mark."""
    return Known(marked(path), newest_run(path))


def mark_of(path: Path) -> Path:
    """Where the mark of the record at `path` lies."""
    return path.with_name(f"{path.stem}.history.json")


def write_mark(path: Path, history: History) -> None:
    """Remember how far the record at `path` has come."""
    write_whole(mark_of(path), f"{json.dumps(asdict(history))}\n".encode())


def refuse_lost(path: Path, known: Known, found: History | None, held: int = 0) -> None:
    """Raises RailbedError where the record at `path` holds less than its folder knew before.

    `known` is read first: another command may begin a run, and mark it, at any moment.
    `found` is what the record says of itself; None where it says nothing, or is not there. `held`
    is how many changes are in it: none is ever taken out, so they are as many as were numbered.
    """
    mark = known.mark
    if found is None and mark is None and not known.runs:
        return
    if found is None:
        wrong = "is lost" if not path.is_file() else "holds no run"
    elif mark is not None and mark.record != found.record:
        wrong = "is another one than its folder knows"
    elif found.runs < known.runs:
        wrong = f"ends at run {found.runs}: it is an older copy"
    elif held < (made := max(found.changes, mark.changes if mark else 0)):
        wrong = f"holds {held} of {made} changes: it is an older copy, or a part of it is lost"
    else:
        return
    raise RailbedError(
        f"the record {path} {wrong}; {known.runs} runs were made here",
        hint="it knows what was changed and when: bring it back from a backup; if there is none, "
        f"{FORGET} begins a new one, and no evidence from before counts",
    )


def is_there(path: Path) -> bool:
    """Whether there is a record at `path`. Raises RailbedError where there was one."""
    known = known_of(path)
    if not path.is_file():
        refuse_lost(path, known, None)
        return False
    return True


def newest_run(path: Path) -> int:
    """The highest run of which the folder has evidence; 0 where it has none."""
    names = path.parent.joinpath("evidence").glob("run-*")
    return max(
        (int(found[1]) for one in names if (found := _EVIDENCE.fullmatch(one.name))), default=0
    )


def marked(path: Path) -> History | None:
    """The mark of the record at `path`, if there is one. Raises RailbedError for a damaged one."""
    try:
        said = mapping(document(mark_of(path).read_text("utf-8"), "railbed"), "the mark")
        changes = _CHANGES.of(said, "changes", "it") if "changes" in said else 0
        return History(text_of(said, "record", "it"), _RUNS.of(said, "runs", "it"), changes)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, Unreadable) as error:
        raise RailbedError(
            f"{mark_of(path)} cannot be read: {error}",
            hint=f"it knows how many runs and changes the record holds: bring it back, or {FORGET}",
        ) from None
