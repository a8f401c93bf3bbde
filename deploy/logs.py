"""The log of what was done: a file in a site's state, and on stderr for whoever asks by `-v`.

For diagnosis: what was opened, which device was asked what kind of thing and for how long, how
it ended. What devices say and what is sent to them never stands in it, as both may hold secrets.
Only our own loggers are heard: those of libraries would tell of keys and of text from devices.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sys
import time
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path

from inventory.visible import one_line
from validation.evidence.whole_files import private_folder

ROOMS = ("deploy", "inventory", "switch_configs", "validation")
NAME = "railbed.log"
MOST_BYTES = 4 << 20
"""Of a file; the one before it is kept beside it, as `railbed.log.1`."""
_FORM = "%(asctime)s.%(msecs)03dZ %(levelname)s %(process)d %(name)s: %(message)s"
_MODE = 0o600
_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)

_commands: list[logging.Handler] = []
"""The handlers of the command that runs; empty where this process is no command line."""


def begin(verbose: int) -> None:
    """A command begins: from now on a log is kept where there is a state folder for it.

    `verbose` 1 prints it on stderr, 2 also what is asked of each device.
    """
    end()
    shown: logging.Handler = logging.StreamHandler() if verbose else logging.NullHandler()
    shown.setLevel(_LEVELS[min(verbose, 2)])
    _hear(shown)


def keep(state: Path) -> None:
    """Keep the log of this command in a state folder; where that cannot be, say so and go on."""
    if not _commands or any(isinstance(handler, BoundedFile) for handler in _commands):
        return
    try:
        private_folder(state)
        _hear(BoundedFile(state / NAME))
    except OSError as error:
        sys.stderr.write(one_line(f"no log is kept: {state / NAME}: {error.strerror}") + "\n")


def end() -> None:
    """The command ended: its file is closed, and nothing is logged any more."""
    while _commands:
        handler = _commands.pop()
        for room in ROOMS:
            logging.getLogger(room).removeHandler(handler)
        handler.close()
    for room in ROOMS:
        logging.getLogger(room).setLevel(logging.NOTSET)


def _hear(handler: logging.Handler) -> None:
    handler.setFormatter(_Line(_FORM, "%Y-%m-%dT%H:%M:%S"))
    _commands.append(handler)
    for room in ROOMS:
        logging.getLogger(room).setLevel(logging.DEBUG)
        logging.getLogger(room).addHandler(handler)


class _Line(logging.Formatter):
    """One record is one line, in UTC; nothing in it acts on a terminal."""

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        return one_line(super().format(record))


class BoundedFile(WatchedFileHandler):
    """A file for many processes at once: each line is whole, and a full file is moved aside once.

    Raises OSError where it cannot be opened. A line that cannot be written is lost, and no more.
    """

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        super().__init__(path, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self.baseFilename, flags, _MODE)
        os.fchmod(handle, _MODE)
        return os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line under the file's lock, into the file that has the name by then."""
        try:
            file = self._locked()
            if os.fstat(file.fileno()).st_size >= self._most_bytes:
                Path(self.baseFilename).replace(f"{self.baseFilename}.1")
                file = self._locked()
            logging.StreamHandler.emit(self, record)
            fcntl.flock(file, fcntl.LOCK_UN)
        except OSError:
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - as there
        """A full disk must not stop a run, nor fill its output."""

    def _locked(self) -> TextIOWrapper:
        """The file that has the name, locked: another process may just have moved it aside."""
        while True:
            self.reopenIfNeeded()
            if self.stream is None:  # it could not be opened again the last time
                self.stream = self._open()
                self._statstream()
            fcntl.flock(self.stream, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                named = Path(self.baseFilename).stat()
                if os.path.samestat(os.fstat(self.stream.fileno()), named):
                    return self.stream
