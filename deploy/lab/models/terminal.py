"""A terminal of a switch's command line: what is typed, and what comes back.

There is no shell and no file transfer: only a terminal, with paging and a prompt. What the lines
do is the system's own.
"""

from __future__ import annotations

import contextlib
import re

from .box import Box, Channel

PAGE = 24


class Terminal:
    """One terminal of one login."""

    def __init__(self, switch: Box, channel: Channel) -> None:
        self.switch, self.channel = switch, channel
        self.enabled = switch.privilege == 15
        self.length = PAGE
        self._echoed: list[str] = []
        self.mode: list[str] | None = None  # the block that a configuring terminal is in

    @property
    def configures(self) -> str:
        """What the prompt says of the configuration mode; "" out of it."""
        return "(config)" if self.mode is not None else ""

    @property
    def prompt(self) -> str:
        """What it shows when it waits for a line."""
        return f"{self.switch.hostname}{self.configures}{'#' if self.enabled else '>'}"

    def cut(self) -> None:
        """End the connection, not the login alone."""
        self.channel.close()

    def run(self) -> None:
        """Until somebody logs out, or the connection ends."""
        self._write(f"\r\nLast login: never\r\n{self.prompt}")
        while True:
            line = self._line()
            if line is None or (line == "exit" and not self.configures):
                with contextlib.suppress(OSError, EOFError):
                    self.channel.close()
                return
            if not self._answer(line):
                return

    def _do(self, line: str) -> str:
        """Do what a line says; what is shown for it."""
        raise NotImplementedError

    def _answer(self, line: str) -> bool:
        switch, faults = self.switch, self.switch.faults
        self._write(f"{line}\r\n{self.prompt}{line}\r\n" if faults.echoes_twice else f"{line}\r\n")
        if line:
            switch.commands.append(line)
        with switch.lock:
            said = self._do(line)
        if is_on(faults.hang_on, line):
            switch.over.wait()
        if is_on(faults.restart_on, line):
            switch.restart()
        if is_on(faults.drop_on, line) or is_on(faults.restart_on, line):
            self.cut()
            return False
        if not switch.reachable:
            self.cut()
            return False
        self._paged(said)
        self._write(self.prompt)
        return True

    def _paged(self, said: str) -> None:
        lines = [f"{one}\r\n" for one in said.splitlines()]
        page = self.length or max(1, len(lines))
        for first in range(0, len(lines), page):
            self._write("".join(lines[first : first + page]))
            if self.length and first + page <= len(lines):
                self._write("--More--")
                self.channel.recv(1)

    def _asked(self, *, echo: bool = False) -> str | None:
        """A line that another one asks for; meanwhile timers of the switch go on."""
        self.switch.lock.release()
        try:
            return self._line(echo=echo)
        finally:
            self.switch.lock.acquire()

    def _line(self, *, echo: bool = False) -> str | None:
        """One line as it is typed; None for Ctrl-D at its begin, and for a connection that ends."""
        while not (found := re.match(rb"\x04|[^\r\n]*[\r\n]", self._typed)):
            self._write("")
            try:
                more = self.channel.recv(65536)
            except (OSError, EOFError):
                more = b""
            if not more:
                return None
            self._typed += more
        self._typed = self._typed[found.end() :]
        if found[0] == b"\x04":
            return None
        line = found[0].rstrip(b"\r\n").decode()
        if echo:
            self._echoed.append(f"{line}\r\n")
        return line

    _typed = b""

    def _write(self, text: str) -> None:
        """Send it, behind what is to be repeated: all that came is repeated at once.

        OpenSSH 9.2 repeats 1,300 typed lines in some 20 packets, and shows as many in 10 to 30.
        """
        text = "".join((*self._echoed, text))
        self._echoed.clear()
        if not text:
            return
        try:
            self.channel.sendall(text.encode())
        except (OSError, EOFError):
            return


def is_on(begin: str, command: str) -> bool:
    """Whether a fault names this command."""
    return bool(begin) and bool(re.match(begin, command))
