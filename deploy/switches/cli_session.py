"""A session at the command line of a switch that has no shell for us: lines are typed and judged.

The terminal is netmiko's (prompt, paging, width and privilege are set when it is handed over). An
answer goes from the echo of its line to the next prompt; a connection that ends in the middle is
seen at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from switch_configs.intent import Cli, ConfigFile

from .push_session import DeviceUnreachable, Reply

_ENTER_S = 20.0
_LOOK_S = 0.5
"""At most between two looks at whether the connection is there still."""
_SETTLED_S = 0.2
_BEHIND_S = 2.0
_END_OF_TEXT = "\x04"
_HOST = r"[\w.-]+(?:\([^()\r\n]*\))*[>#]"
_PROMPT = re.compile(rf"(?:\A|[\r\n])({_HOST}) ?\Z")
_SOMETHING = re.compile(r"\S")
_LONGEST_PROMPT = 400


class Terminal(Protocol):
    """What is asked of netmiko's connection."""

    remote_conn: Any

    def read_channel(self) -> str:
        """What came meanwhile; EOFError or OSError when nothing can come any more."""

    def write_channel(self, out_data: str) -> None:
        """Type this."""

    def wait(self, timeout_s: float) -> None:
        """Until something came, or so long."""

    def paramiko_cleanup(self) -> None:
        """End the connection."""


@dataclass
class CliSession:
    """A `push_session.Session` whose commands are lines, in the words of `cli`.

    `hang_up` ends what carries the connection; `carry` puts a file there by SCP, and raises
    PushStopped. Nothing that was typed or answered is kept.
    """

    connection: Terminal
    cli: Cli
    hang_up: Callable[[], object]
    carry: Callable[[ConfigFile], None] | None = None

    def run(self, command: str, timeout_s: float) -> Reply:
        """Type the lines one after the other, up to the first that is refused."""
        deadline = time.monotonic() + timeout_s
        answers = []
        for line in command.splitlines():
            answer = self._typed(line, deadline)[0]
            # What is shown may hold such a line, in a banner; a refusal has nothing before it but
            # the mark of the word that it means.
            said = answer.lstrip(" ^\n").partition("\n")[0] if line.startswith("show ") else answer
            if refused := self._refused(said) or self._unproved(line, answer):
                return Reply("", refused, 1)
            answers.append(answer)
        return Reply("".join(answers), "", 0)

    def send(self, file: ConfigFile, timeout_s: float) -> Reply:
        """Type a text where the system reads one, and leave that mode whatever came of it."""
        if self.carry and self.cli.digest:
            self.carry(file)
            return self._whole(file, timeout_s)
        *lines, last = (one.format(path=file.path) for one in self.cli.opens)
        reply = self.run("\n".join(lines), _ENTER_S)
        if reply.exit_status == 0:
            reply = self._read_in(last, file.text, time.monotonic() + timeout_s)
        left = self.run("\n".join(self.cli.closes), _ENTER_S)
        return reply if reply.exit_status else left

    def close(self) -> None:
        """Log out; never raises."""
        with contextlib.suppress(Exception):
            self.connection.paramiko_cleanup()
        self.hang_up()

    def _read_in(self, line: str, text: str, deadline: float) -> Reply:
        """The text after `line`, which answers with no prompt; what the system refused of it."""
        prompt = self._typed("", deadline)[1]
        self._write(f"{line}\n")
        heard = self._until(re.compile(rf"{re.escape(line)}[^\n]*\n"), deadline)
        time.sleep(_SETTLED_S)
        heard += self.connection.read_channel()
        if _PROMPT.search(heard):
            return Reply("", self._refused(heard) or "it reads no text here", 1)
        self._write(f"{text}{_END_OF_TEXT}")
        heard += self._until(re.compile(rf"[\r\n]{re.escape(prompt)} ?\Z"), deadline)
        # The terminal repeats what was typed: a banner may say what a refusal does.
        ours = {one.rstrip() for one in text.splitlines()}
        answer = "\n".join(one for one in _lines(heard) if one not in ours)
        refused = self._refused(answer)
        return Reply("", refused, 1) if refused else Reply("", "", 0)

    def _whole(self, file: ConfigFile, timeout_s: float) -> Reply:
        """Whether it lies there as it was sent. The digest is not shown: it tells of secrets."""
        reply = self.run(self.cli.digest.format(path=file.path), timeout_s)
        wanted = hashlib.md5(file.text.encode(), usedforsecurity=False).hexdigest()
        if reply.exit_status == 0 and wanted not in reply.stdout.lower():
            return Reply("", "the file is not whole there", 1)
        return replace(reply, stdout="")

    def _unproved(self, line: str, answer: str) -> str:
        """The end of an answer that does not hold what it must."""
        for begin, proof in self.cli.proofs:
            if line.startswith(begin) and not proof.search(answer):
                return answer.strip()[-_LONGEST_PROMPT:] or "no answer"
        return ""

    def _typed(self, line: str, deadline: float) -> tuple[str, str]:
        """The answer to one line, and the prompt that followed it."""
        self.connection.read_channel()  # what nobody asked for
        self._write(f"{line}\n")
        heard = self._until(_PROMPT, deadline)
        echo = re.compile(rf"(?:{_HOST} ?)?{re.escape(line)}")
        if line and not _echoes(heard, echo):  # a prompt of before: it has fallen behind
            heard += self._further(deadline)
        *lines, prompt = _lines(heard)
        # Where a switch falls behind, it prints the line once more after the prompt.
        last = max(_echoes(heard, echo), default=-1)
        return "".join(f"{one}\n" for one in lines[last + 1 :]), prompt

    def _further(self, deadline: float) -> str:
        """What comes up to another prompt, however long that takes, where anything comes soon."""
        try:
            heard = self._until(_SOMETHING, min(deadline, time.monotonic() + _BEHIND_S))
        except DeviceUnreachable:
            if self.connection.remote_conn.closed:
                raise
            return ""
        return self._until(_PROMPT, deadline, heard)

    def _refused(self, answer: str) -> str:
        """The lines that say no, each with the line before it: some systems quote there."""
        lines = answer.splitlines()
        said = [at for at, one in enumerate(lines) if self.cli.refused.search(one)]
        return "\n".join("\n".join(lines[max(0, at - 1) : at + 1]) for at in said)

    def _write(self, text: str) -> None:
        try:
            self.connection.write_channel(text)
        except (OSError, EOFError) as error:
            raise DeviceUnreachable(f"the session was lost ({type(error).__name__})") from None

    def _until(self, pattern: re.Pattern[str], deadline: float, heard: str = "") -> str:
        began = time.monotonic()
        while True:
            is_over = bool(self.connection.remote_conn.closed)
            try:
                heard += self.connection.read_channel()
            except (OSError, EOFError):
                is_over = True
            if pattern.search(heard[-_LONGEST_PROMPT:]):
                return heard
            if is_over:
                raise DeviceUnreachable("the session was lost before the command ended")
            if time.monotonic() > deadline:
                raise DeviceUnreachable(f"no answer within {time.monotonic() - began:.0f} s")
            self.connection.wait(min(_LOOK_S, max(0.0, deadline - time.monotonic())))


def _echoes(heard: str, echo: re.Pattern[str]) -> list[int]:
    """Which of its first lines repeat what was typed."""
    return [at for at, one in enumerate(_lines(heard, 4)[:4]) if echo.fullmatch(one)]


def _lines(heard: str, most: int = -1) -> list[str]:
    """All lines; those behind the first `most` as one."""
    return [one.rstrip() for one in heard.replace("\r", "").split("\n", most)]
