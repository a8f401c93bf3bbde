"""Runs pyinfra in a process of its own and judges what it did, host by host.

pyinfra exits 0 when a limit matches no host, when the inventory names none, and when a
person interrupts it. So a host counts as done only if the deploy script said its name and,
in a real run, no operation failed on it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from inventory import site_folder
from switch_configs.diff import masked

from .context import Context

ROOT = Path(__file__).resolve().parents[1]
INVENTORY = "inventory.pyinfra_source:hosts"
SCRIPT = ROOT / "deploy" / "nodes.py"

# `python -m pyinfra` imports paramiko before gevent has patched `select`: the first read
# through a ProxyCommand then blocks every host, for ever. The console script patches first.
# It ends with us (prctl(2), PR_SET_PDEATHSIG): a killed run must not go on changing hosts.
_PROGRAM = """
import ctypes, os, signal, sys
root, parent = sys.argv.pop(1), int(sys.argv.pop(1))
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != parent:
    sys.exit("railbed ended")
sys.path.insert(0, root)
from pyinfra_cli.main import main
main()
"""
# A bring-up of many hosts installs packages; beyond this something hangs.
_LIMIT_S = 1800.0
# What deploy/nodes.py writes for each host that it planned.
_PLANNED = re.compile(r"railbed: (\S+): roles ")
_HOST_LINE = re.compile(r"\[([^\]\s]+)\] (.*)")

_Names = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class HostResult:
    """What pyinfra did, or in a dry run would do, on one host.

    `operations` are the names of those that changed something (or would).
    """

    host: str
    failed: bool
    changed: bool
    operations: tuple[str, ...]
    message: str = ""


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run; `hosts` has every host that was asked for, in that order."""

    dry_run: bool
    hosts: tuple[HostResult, ...]
    transcript: str

    @property
    def ok(self) -> bool:
        """Whether it ran, and nothing failed, on every host."""
        return bool(self.hosts) and not any(one.failed for one in self.hosts)


def run(context: Context, hosts: tuple[str, ...], dry_run: bool) -> RunResult:
    """Bring `hosts` to their roles, or with `dry_run` only say what would change."""
    if not hosts:  # without a limit, pyinfra would take them all
        return RunResult(dry_run, (), "")
    if not dry_run:
        for name in hosts:
            _note(context, name, "begins: pyinfra")
    status, out, err = _pyinfra(context, _arguments(hosts, dry_run))
    result = judge(hosts, dry_run, status, out, err)
    if not dry_run:
        for one in result.hosts:
            _note(context, one.host, _told(one))
    return result


def judge(hosts: tuple[str, ...], dry_run: bool, status: int, out: str, err: str) -> RunResult:
    """Read a finished run: exit status, JSON on `out`, progress on `err`. Pure."""
    transcript = masked(err)
    said = _said(transcript)
    try:
        answer = json.loads(out)
        changed, failed = _planned(answer) if dry_run else _done(answer)
    except (ValueError, KeyError, TypeError):
        why = f"pyinfra gave no result (exit status {status}): {_last_line(transcript)}"
        return RunResult(dry_run, tuple(_failure(name, why) for name in hosts), transcript)
    planned = set(_PLANNED.findall(transcript))
    return RunResult(
        dry_run,
        tuple(_host(name, name in planned, changed, failed, said, status) for name in hosts),
        transcript,
    )


def _arguments(hosts: Iterable[str], dry_run: bool) -> list[str]:
    """`--dry -y` would skip the detection of changes, so it is one or the other."""
    limits = [part for name in hosts for part in ("--limit", name)]
    mode = "--dry" if dry_run else "--yes"
    start = [sys.executable, "-P", "-c", _PROGRAM, str(ROOT), str(os.getpid())]
    return [*start, INVENTORY, str(SCRIPT), mode, "--json", *limits]


def _pyinfra(context: Context, arguments: list[str]) -> tuple[int, str, str]:
    # In an empty folder: pyinfra executes a config.py that lies where it is started, and
    # leaves a debug log there.
    with tempfile.TemporaryDirectory(prefix="railbed-pyinfra-") as folder:
        try:
            done = subprocess.run(
                arguments,
                cwd=folder,
                env=_environment(context),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, "", f"stopped after {_LIMIT_S:.0f} s"
    return done.returncode, done.stdout, done.stderr


def _environment(context: Context) -> dict[str, str]:
    """Ours without the user's agent and options: only the rendered ssh_config decides."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "SSH_AUTH_SOCK" and not name.startswith("PYINFRA_")
    }
    return kept | {
        "RAILBED_SITE": str(site_folder(context.site).absolute()),
        "RAILBED_STATE": str(context.state_dir.absolute()),
        "PYINFRA_PROGRESS": "off",
        "NO_COLOR": "1",
    }


def _planned(answer: Mapping[str, list[dict[str, list[str]]]]) -> tuple[_Names, _Names]:
    """By host, the operations that would change something; a dry run fails on none.

    A conditional operation (reload when a file changed) is listed for every host; it
    counts only where something else would change.
    """
    changed: _Names = {}
    for kind in ("hosts_with_change", "hosts_with_conditional_change"):
        for operation in answer["plan"]:
            for host in operation[kind]:
                if host in changed or kind == "hosts_with_change":
                    changed.setdefault(host, []).append(str(operation["name"]))
    return changed, {}


def _done(answer: Mapping[str, dict[str, list[dict[str, list[str]]]]]) -> tuple[_Names, _Names]:
    """By host, the operations that changed something, and those that failed."""
    changed: _Names = {}
    failed: _Names = {host: [] for host in map(str, answer["results"]["failed_hosts"])}
    for operation in answer["results"]["operations"]:
        for kind, found in (("success", changed), ("error", failed)):
            for host in operation[kind]:
                found.setdefault(host, []).append(str(operation["name"]))
    return changed, failed


def _host(
    name: str, planned: bool, changed: _Names, failed: _Names, said: _Names, status: int
) -> HostResult:
    last = said.get(name, ["it is in no line of the transcript"])[-1]
    operations = tuple(changed.get(name, ()))
    if name in failed:
        what = ", ".join(failed[name]) or "pyinfra gave up on it"
        return HostResult(name, True, bool(operations), operations, f"failed: {what} ({last})")
    if not planned:
        return _failure(name, f"pyinfra did not run on it ({last})")
    if status != 0:
        return HostResult(name, True, bool(operations), operations, f"exit status {status}")
    return HostResult(name, False, bool(operations), operations)


def _failure(name: str, why: str) -> HostResult:
    return HostResult(name, failed=True, changed=False, operations=(), message=why)


def _said(transcript: str) -> _Names:
    """By host, the lines of the transcript that begin with its name in brackets."""
    said: _Names = {}
    for line in transcript.splitlines():
        if match := _HOST_LINE.fullmatch(line.strip()):
            said.setdefault(match[1], []).append(match[2])
    return said


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it wrote nothing"


def _note(context: Context, host: str, detail: str) -> None:
    context.journal(host, "roles", "runtime", "", context.plan.digest, detail)


def _told(one: HostResult) -> str:
    if one.failed:
        return f"failed: {one.message}"
    return f"done: {', '.join(one.operations) or 'nothing to change'}"
