"""What both engines share: how a run is started, and what is known of it afterwards.

Each engine runs in a process of its own. It dies with us, so that the next run never meets
an engine of the one before.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from deploy.context import Context
from inventory import site_folder
from inventory.engines.source import READY_VARIABLE
from inventory.plan import Engine

LOG = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parents[2]

# It ends with us (prctl(2), PR_SET_PDEATHSIG; execve(2) keeps that): an engine whose railbed
# was killed must not go on changing hosts behind the next one.
_GUARD = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() != int(sys.argv[1]):
    sys.exit("railbed ended")
os.execvp(sys.argv[2], sys.argv[2:])
"""
# A bring-up of many hosts installs packages; beyond this something hangs.
LIMIT_S = 1800.0
_GONE_S = 10.0
# What a user's shell may hold for either tool: only ours counts here.
_FOREIGN = ("ANSIBLE_", "PYINFRA_", "JUNIT_", READY_VARIABLE)

# Host to the roles that are to run on it, in order; none at all means every role it has.
Work = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class HostResult:
    """What an engine did, or in a dry run would do, on one host.

    `operations` are the names of those that changed something (or would); `followed` of those
    that only follow another's change, like a reload. pyinfra tells the latter apart in a dry
    run alone, where they are all that may follow.
    """

    host: str
    failed: bool
    changed: bool
    operations: tuple[str, ...]
    message: str = ""
    followed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of one engine; `hosts` has every host that was asked for, in that order.

    `transcript` is what the engine wrote, without secrets.
    """

    engine: Engine
    dry_run: bool
    hosts: tuple[HostResult, ...]
    transcript: str

    @property
    def ok(self) -> bool:
        """Whether it ran, and nothing failed, on every host."""
        return bool(self.hosts) and not any(result.failed for result in self.hosts)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit status (-1 where we ended it) and its two streams."""

    status: int
    out: str
    err: str


def failure(host: str, why: str) -> HostResult:
    """A host on which nothing is known to have happened."""
    return HostResult(host, failed=True, changed=False, operations=(), message=why)


@cache
def words_of_roles() -> str:
    """What the roles themselves say: their texts, in which no secret stands."""
    kinds = ("*.j2", "*.py", "*.yml", "files/**/*")
    paths = (path for kind in kinds for path in (ROOT / "roles").rglob(kind))
    texts = sorted(path for path in paths if path.is_file())
    return "\n".join(path.read_text(encoding="utf-8") for path in texts)


def last_line(text: str) -> str:
    """The last thing that a program said."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it wrote nothing"


def environment(context: Context, **more: str) -> dict[str, str]:
    """Ours without the user's agent and options: only the rendered ssh_config decides.

    The environment's programs come first, so that the script inventory finds our Python.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "SSH_AUTH_SOCK" and not name.startswith(_FOREIGN)
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return kept | {
        "PATH": path,
        "RAILBED_SITE": str(site_folder(context.site).absolute()),
        "RAILBED_STATE": str(context.state_dir.absolute()),
        "NO_COLOR": "1",
        **({READY_VARIABLE: str(context.ready)} if context.ready else {}),
        **more,
    }


def execute(
    arguments: list[str],
    env: Mapping[str, str],
    on_line: Callable[[str], None],
    limit_s: float = LIMIT_S,
    folder: Path = ROOT,
) -> Ended:
    """Run in `folder` to its end; `on_line` gets each line of both streams at once."""
    guarded = [sys.executable, "-I", "-c", _GUARD, str(os.getpid()), *arguments]
    program, began = Path(arguments[0]).name, time.monotonic()
    LOG.info("engine %s begins", program)
    try:
        process = subprocess.Popen(
            guarded,
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        return Ended(-1, "", f"{arguments[0]} cannot be started: {error.strerror}")
    streams: dict[str, list[str]] = {"out": [], "err": []}
    readers = [
        threading.Thread(target=_read, args=(stream, streams[name], on_line), daemon=True)
        for name, stream in (("out", process.stdout), ("err", process.stderr))
    ]
    for reader in readers:
        reader.start()
    why = _wait(process, limit_s)
    for reader in readers:
        # A connection master that stays behind may hold a stream open for its whole life.
        reader.join(1.0)
    for reader, stream in zip(readers, (process.stdout, process.stderr), strict=True):
        if stream is not None and not reader.is_alive():
            stream.close()
    took_s = time.monotonic() - began
    level = logging.INFO if process.returncode == 0 else logging.WARNING
    LOG.log(level, "engine %s ended with %s after %.1f s", program, process.returncode, took_s)
    out, err = ("".join(streams[name]) for name in ("out", "err"))
    return Ended(process.returncode if not why else -1, out, err + why)


def _wait(process: subprocess.Popen[str], limit_s: float) -> str:
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return f"\nstopped after {limit_s:.0f} s\n"
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(_GONE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    return ""


def _read(stream: IO[str], into: list[str], on_line: Callable[[str], None]) -> None:
    for line in stream:
        into.append(line)
        on_line(line.rstrip("\n"))
