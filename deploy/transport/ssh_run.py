"""Runs a script on a device with OpenSSH and the rendered ssh_config."""

from __future__ import annotations

import logging
import subprocess
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from validation.evidence.gather import Reply

LOG = logging.getLogger(__name__)
_LET = "the user must be allowed to run it without, in /etc/sudoers.d of the device"
_GONE_S = 2.0
_HANG_UPS = 32


def as_root(command: str) -> str:
    """A command line for a login's shell that runs this one as root.

    A login that is not root's uses sudo, which must not ask: nobody is there to answer.
    """
    return f'[ "$(id -u)" = 0 ] && exec {command}; exec sudo -n -- {command}'


AS_ROOT = as_root("sh -s")


@dataclass(frozen=True)
class SshTransport:
    """A `validation.evidence.gather.Transport` over `ssh -F config_path`; safe for many threads.

    `remote` is what the login's shell runs: it reads the script. Of what ssh says the last
    `said_bytes` are kept.
    """

    config_path: Path
    remote: str = AS_ROOT
    said_bytes: int = 400

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        """Run `script` with `remote`, as root, on the device; never raises for what it or ssh does.

        The streams are files: a connection master that stays behind may keep a pipe open
        (ssh_config(5), ControlPersist), and reading it would wait for the master.
        """
        argv = [
            "ssh",
            "-F",
            str(self.config_path),
            "-T",
            "-o",
            "BatchMode=yes",
            "--",
            device,
            self.remote,
        ]
        with (
            tempfile.TemporaryFile() as stdin,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            stdin.write(script.encode())
            stdin.seek(0)
            began = time.monotonic()
            try:
                process = subprocess.Popen(argv, stdin=stdin, stdout=stdout, stderr=stderr)
            except OSError as error:
                LOG.warning("ssh cannot be started: %s", error.strerror)
                return Reply(b"", None, f"ssh cannot be started: {error.strerror}")
            status = _ended(process, timeout_s)
            took_s = time.monotonic() - began
            level = logging.DEBUG if status == 0 else logging.WARNING
            LOG.log(level, "%s: ssh ended with %s after %.2f s", device, status, took_s)
            said = " ".join(_all_of(stderr).decode("utf-8", "replace").split())
            return Reply(_all_of(stdout), status, _why(status, timeout_s, said[-self.said_bytes :]))


def is_shared(config_path: Path, device: str) -> bool:
    """Whether a connection to the device stands, so that what comes next is no login of its own."""
    return _control(config_path, device, "check") == 0


def hang_up(config_path: Path, devices: Iterable[str]) -> None:
    """Share no connection to these devices any more: what comes next is a new login.

    What a login gets (limits, groups) is decided when its connection opens, so one from before
    a change would go on showing what was. Who uses one now may finish (ssh(1), `-O stop`).
    Where there is no connection, nothing happens.
    """
    with ThreadPoolExecutor(_HANG_UPS) as pool:
        # A master that does not answer is no worse than one that stays.
        list(pool.map(lambda device: _control(config_path, device, "stop"), devices))


def _control(config_path: Path, device: str, command: str) -> int | None:
    """What the master of a device's connections says (ssh(1), `-O`); None for no answer.

    A machine that can start no ssh says so of the trip itself.
    """
    with suppress(subprocess.TimeoutExpired, OSError):
        return subprocess.run(
            ["ssh", "-F", str(config_path), "-O", command, "--", device],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_GONE_S,
            check=False,
        ).returncode
    return None


def _ended(process: subprocess.Popen[bytes], timeout_s: float) -> int | None:
    """The exit status, or None when this process had to be ended."""
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(_GONE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _why(status: int | None, timeout_s: float, said: str) -> str:
    if status == 0:
        return ""
    if status is None:
        return f"no end within {timeout_s:g} s; ssh said: {said or 'nothing'}"
    if said.startswith("sudo: "):
        return f"{said}; {_LET}"
    kind = "ssh" if status == 255 else f"the script ended with status {status}"
    return f"{kind}: {said or 'no reason given'}"


def _all_of(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
