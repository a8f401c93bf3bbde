"""What was asked of a switch in a trial, and what it answered, without secrets. Pure but for files.

A transcript is how a model of a system becomes true: the same lines to the model must bring the
same answers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from deploy.files import write_atomically
from switch_configs.intent import ConfigFile

from .push_session import PushStopped, Reply, Session

_FOLDER = "trials"
_UNPLANNED = "(a line that nobody planned)\n"
_SHORTEST = 4  # as `end`, which may stand in any line


@dataclass(frozen=True, slots=True)
class Exchange:
    """One command or file of a part of the trial, and what came back after `took_s`.

    `file` is the path of one that was sent; its text is not kept. `lost` says why no answer came.
    """

    part: str
    command: str
    file: str
    status: int | None
    stdout: str
    stderr: str
    lost: str
    took_s: float


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a trial: what was done, what came of it."""

    name: str
    ok: bool
    said: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A whole trial. `passed`: every part ended as it must."""

    device: str
    system: str
    release: str
    began: str
    passed: bool
    parts: tuple[Part, ...]
    exchanges: tuple[Exchange, ...]


@dataclass
class Recorder:
    """Keeps what sessions say, part by part; `clean` takes secrets out of a text.

    Of `whole`, which prints a running configuration, only the size of the answer is kept. What
    else repeats a line of it that nobody planned (`unplanned`) has a word in its place: no list of
    words knows all that may be a secret in one.
    """

    whole: str
    clean: Callable[[str], str]
    part: str = ""
    unplanned: frozenset[str] = field(default=frozenset(), repr=False)
    exchanges: list[Exchange] = field(default_factory=list)

    def over(self, session: Session) -> Session:
        """The same session, recorded."""
        return _Recorded(session, self)

    def keep(self, command: str, file: str, ask: Callable[[], Reply]) -> Reply:
        """Ask, and keep what came."""
        began = time.monotonic()
        try:
            reply = ask()
        except PushStopped as error:
            self._add(command, file, None, "", "", error.message, began)
            raise
        shown = f"({len(reply.stdout)} characters)" if command == self.whole else reply.stdout
        self._add(command, file, reply.exit_status, shown, reply.stderr, "", began)
        return reply

    def _add(
        self,
        command: str,
        file: str,
        status: int | None,
        stdout: str,
        stderr: str,
        lost: str,
        began: float,
    ) -> None:
        answers = map(self._planned, (stdout, stderr, lost))
        said = map(self.clean, (command, *answers))
        line, out, err, why = said
        took_s = round(time.monotonic() - began, 3)
        self.exchanges.append(Exchange(self.part, line, file, status, out, err, why, took_s))

    def _planned(self, text: str) -> str:
        held = [one for one in self.unplanned if len(one) >= _SHORTEST and one in text]
        lines = text.splitlines(keepends=True)
        return "".join(_UNPLANNED if any(one in line for one in held) else line for line in lines)


@dataclass
class _Recorded:
    inner: Session
    recorder: Recorder

    def run(self, command: str, timeout_s: float) -> Reply:
        """As the session's."""
        return self.recorder.keep(command, "", lambda: self.inner.run(command, timeout_s))

    def send(self, file: ConfigFile, timeout_s: float) -> Reply:
        """As the session's."""
        return self.recorder.keep("", file.path, lambda: self.inner.send(file, timeout_s))

    def close(self) -> None:
        """As the session's."""
        self.inner.close()


def write(state_dir: Path, trial: Trial) -> Path:
    """Write it where `on_record` finds it, for its owner alone; returns the file."""
    name = f"{trial.device}-{trial.began.replace(':', '')}.json"
    path = state_dir / _FOLDER / f"{trial.system}-{trial.release}" / name
    write_atomically(path, json.dumps(asdict(trial), indent=1) + "\n", 0o600)
    return path


def on_record(state_dir: Path) -> frozenset[tuple[str, str]]:
    """The systems and releases of which a trial passed here; a damaged transcript is none."""
    found = (_read(path) for path in sorted((state_dir / _FOLDER).glob("*/*.json")))
    return frozenset(
        (str(one["system"]), str(one["release"])) for one in found if one.get("passed") is True
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    is_trial = isinstance(found, dict) and {"system", "release"} <= found.keys()
    return found if is_trial else {}
