"""Runs a program of the host, and tells its failure in one sentence."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence

from deploy.errors import RailbedError

# Dies with its parent, and takes everything below it along (prctl(2) PR_SET_PDEATHSIG,
# unshare(1) --kill-child), mounts included: what is cut off leaves nothing running.
JAIL = (
    *("setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
)


def run(argv: Sequence[str], text: str = "", timeout_s: float = 60) -> str:
    """The standard output of `argv`, fed with `text`; RailbedError if it fails."""
    try:
        done = subprocess.run(
            argv, input=text, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except FileNotFoundError:
        raise RailbedError(f"{argv[0]} is not installed", "`railbed lab up` installs it") from None
    except subprocess.TimeoutExpired:
        raise RailbedError(f"no end after {timeout_s:g} s: {shlex.join(argv)}") from None
    if done.returncode:
        raise RailbedError(f"{shlex.join(argv)}: {last_words(done.stderr or done.stdout)}")
    return done.stdout


def run_jailed(commands: Sequence[Sequence[str]], timeout_s: float) -> None:
    """Run all at once, each in its JAIL; RailbedError names what failed, after all ended."""
    running = [_jailed(argv) for argv in commands]
    try:
        said = [popen.communicate(timeout=timeout_s)[0] for popen in running]
    except subprocess.TimeoutExpired:
        raise RailbedError(f"no end after {timeout_s:g} s: {shlex.join(commands[0])}") from None
    finally:
        for one in running:
            one.kill()
            one.wait()
    failed = [(a, s) for a, s, one in zip(commands, said, running, strict=True) if one.returncode]
    if failed:
        raise RailbedError(
            "\n".join(f"{' '.join(argv[:4])}: {last_words(text)}" for argv, text in failed)
        )


def last_words(text: str, lines: int = 8) -> str:
    """The end of what a program said, where the reason usually is."""
    return "\n".join(text.strip().splitlines()[-lines:]) or "no word of why"


def _jailed(argv: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*JAIL, *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
