"""Where backups lie: STATE/backups/DEVICE, two files each, their owner's alone.

`TIME.cfg` is for people and for diff(1): words in place of the site's secrets, and of lines that
nobody planned what may be shown. `TIME.sealed` is the whole, encrypted. What a run found before it
changed a switch has the run in its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

from deploy.errors import RailbedError
from deploy.switches.push_session import Whole
from inventory.problems import close_to
from switch_configs.diff import HIDDEN, masked
from switch_configs.intent import ConfigFile, Dialect, Rendered
from validation.evidence.whole_files import private_folder, write_whole

from .safe import closed, opened

_NAME = re.compile(r"(\d{8}T\d{6}Z)(?:-before-run-(\d{1,9}))?")
_TIME = "%Y%m%dT%H%M%SZ"
_DIGEST = "# digest "
EVER = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, order=True)
class Backup:
    """One backup: `path` is its `.cfg`; `run` the run before which it was taken, 0 for none."""

    device: str
    name: str
    run: int
    path: Path

    @property
    def at(self) -> datetime:
        """When it was taken."""
        return datetime.strptime(self.name.partition("-")[0], _TIME).replace(tzinfo=UTC)

    @property
    def digest(self) -> str:
        """Of all that it says, with the site's key; empty where that cannot be read."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()[:4]
        except (OSError, UnicodeDecodeError):
            return ""
        return next((one.removeprefix(_DIGEST) for one in lines if one.startswith(_DIGEST)), "")

    @property
    def sealed(self) -> Path:
        """The whole, encrypted."""
        return self.path.with_suffix(".sealed")


def digest_of(whole: Whole, tongue: Dialect, key: bytes) -> str:
    """The same for all that says the same: what runs, what the switch keeps, and secrets.

    Not of comments, in which systems write the time of their answer.
    """
    files = (f"{one.path}\n{one.owner}:{one.group} {one.mode}" for one in whole.running.files)
    texts = (one.text for one in whole.running.files)
    own = (f"{one.kind} {one.text}" for one in tongue.own(whole.held))
    lines = (line for file in whole.held.files for line in file.text.splitlines())
    secrets = sorted(line for line in lines if HIDDEN in masked(line))
    said = "\0".join((*files, *texts, *own, *secrets))
    return blake2b(said.encode("utf-8", "replace"), digest_size=16, key=key).hexdigest()


class NotWrittenError(RailbedError):
    """The folder of one switch could not be changed; others may be."""


class Backups:
    """The backups of one site."""

    def __init__(
        self, state_dir: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._state, self._now = state_dir, now
        self._folder = state_dir / "backups"

    def devices(self) -> tuple[str, ...]:
        """The switches of which there is one."""
        found = self._folder.iterdir() if self._folder.is_dir() else ()
        return tuple(sorted(one.name for one in found if one.is_dir() and self.of(one.name)))

    def of(self, device: str) -> tuple[Backup, ...]:
        """All of a switch, the oldest first."""
        names = ((one, _NAME.fullmatch(one.stem)) for one in (self._folder / device).glob("*.cfg"))
        return tuple(
            sorted(Backup(device, path.stem, int(it[2] or 0), path) for path, it in names if it)
        )

    def named(self, device: str, name: str) -> Backup:
        """The one of this name; RailbedError for one that is not there."""
        known = {one.name: one for one in self.of(device)}
        if name not in known:
            hint = close_to(name, known) or "`railbed backup --list` names them"
            raise RailbedError(f"{device} has no backup '{name}'", hint=hint)
        return known[name]

    def before(self, run: int, device: str) -> Backup | None:
        """What a switch ran before a run changed it; None where that was not kept."""
        return next((one for one in self.of(device) if one.run == run), None)

    def keep(
        self,
        device: str,
        whole: Whole,
        text: str,
        digest: str,
        run: int = 0,
        since: datetime = EVER,
    ) -> Backup | None:
        """Write one; None, and nothing written, where the last one says the same.

        That has to be from after `since`, when a run changed the switch last: what is compared with
        an older one may be the run's work. Of a run the first of a switch is kept, whatever the
        last one says: it bears its name.
        """
        last = next(reversed(self.of(device)), None)
        same = last is not None and last.digest == digest and last.sealed.is_file()
        is_later = last is not None and not last.run and last.at >= since
        if (same and is_later and not run) or (run and self.before(run, device)):
            return None
        is_first = next(self._folder.glob("*/*.sealed"), None) is None
        folder = self._folder / device
        try:
            private_folder(folder)
            made = self._free(device, run, since)
            write_whole(made.sealed, closed(_packed(whole), self._state, is_first=is_first))
            head = f"# {device} ({whole.running.dialect}), {made.name}\n{_DIGEST}{digest}\n"
            write_whole(made.path, (head + text).encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise NotWrittenError(f"{folder} cannot be written: {error.strerror}") from None
        return made

    def opened(self, one: Backup) -> Whole:
        """The whole of one; RailbedError where that is gone, damaged or closed for good."""
        what = f"the backup {one.name} of {one.device}"
        try:
            token = one.sealed.read_bytes()
        except OSError as error:
            raise RailbedError(f"{what} cannot be read: {error.strerror}") from None
        said = json.loads(opened(token, self._state, what))
        whole = Whole(_rendered(said["running"]), _rendered(said["held"]))
        if whole.running.device != one.device:
            raise RailbedError(f"{what} is one of {whole.running.device}", hint="it was moved")
        return whole

    def prune(self, device: str, keep: int) -> int:
        """Take away all but the last `keep`, and as many of those before runs; how many went."""
        every = self.of(device)
        dated = [one for one in every if not one.run]
        of_runs = [one for one in every if one.run]
        old = [*dated[: max(0, len(dated) - keep)], *of_runs[: max(0, len(of_runs) - keep)]]
        try:
            for one in old:
                one.path.unlink(missing_ok=True)
                one.sealed.unlink(missing_ok=True)
        except OSError as error:
            raise NotWrittenError(f"{error.filename} cannot be removed: {error.strerror}") from None
        return len(old)

    def _free(self, device: str, run: int, since: datetime) -> Backup:
        """A name of now; where the last one or `since` is not older, of the second after that."""
        at, tail = self._now().replace(microsecond=0), f"-before-run-{run}" if run else ""
        older = (since.replace(microsecond=0), *(one.at for one in self.of(device)))
        at = max([at, *(one + timedelta(seconds=1) for one in older)])
        name = f"{at:{_TIME}}{tail}"
        return Backup(device, name, run, self._folder / device / f"{name}.cfg")


def _packed(whole: Whole) -> bytes:
    return json.dumps({"running": asdict(whole.running), "held": asdict(whole.held)}).encode()


def _rendered(said: Any) -> Rendered:
    return Rendered(**said | {"files": tuple(ConfigFile(**one) for one in said["files"])})
