"""Runs pyinfra in a process of its own and judges what it did, host by host.

pyinfra exits 0 when a limit matches no host, when the inventory names none, and when a
person interrupts it. So a host counts as done only if the deploy script said its name and,
in a real run, no operation failed on it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from deploy.context import Context
from switch_configs.diff import masked
from switch_configs.shown.said import said
from validation.evidence.aside import scratch

from .engine_run import (
    ROOT,
    Ended,
    HostResult,
    RunResult,
    Work,
    environment,
    execute,
    failure,
    last_line,
    words_of_roles,
)

INVENTORY = "inventory.pyinfra_source:hosts"
SCRIPT = ROOT / "deploy" / "nodes.py"
PROGRAM = ROOT / "deploy/servers/pyinfra_program_run.py"
# What deploy/nodes.py writes for each host that it planned.
_PLANNED = re.compile(r"railbed: (\S+): roles ")
# What roles/resources.py writes where something on a host speaks against going on.
_REFUSED = re.compile(r"railbed: (\S+): refused: (.+)")
_BEGUN = re.compile(r"Starting operation: ([^|]+) \|")
_OPERATION = re.compile(r"Starting operation: (.+)")
_HOST_LINE = re.compile(r"\[([^\]\s]+)\] (.*)")

_SAID_LINES = 3
_NOT_SAID = ("--> If this is unexpected", "--> The full traceback")
# What paramiko's SFTP client says when a server took less than it was sent; the server's own
# reason does not reach it.
_CUT_UPLOAD = "size mismatch in put"
_CUT_MEANS = " (the node could not keep what was sent: No space left on its disk?)"

_Names = dict[str, list[str]]


def run(context: Context, work: Work, dry_run: bool) -> RunResult:
    """Bring hosts to their roles, or with `dry_run` only say what would change.

    All hosts of `work` must name the same roles.
    """
    if not work:  # without a limit, pyinfra would take all hosts
        return RunResult("pyinfra", dry_run, (), "")
    [roles] = set(work.values())
    env = environment(context, PYINFRA_PROGRESS="off")
    argv, say = _arguments(work, roles, dry_run), _progress(context.say)
    # In an empty folder: pyinfra executes a config.py that lies where it is started, and
    # leaves a debug log there.
    with scratch("pyinfra") as folder:
        ended = execute(argv, env, say, folder=folder)
    return judge(tuple(work), dry_run, ended)


def judge(hosts: tuple[str, ...], dry_run: bool, ended: Ended) -> RunResult:
    """Read a finished run: exit status, JSON on `out`, progress on `err`. Pure."""
    transcript = masked("".join(map(_told, ended.err.splitlines(keepends=True))))
    said = _said(transcript)
    try:
        answer = json.loads(ended.out)
        changed, failed = _planned(answer) if dry_run else _done(answer)
        conditional = _conditional(answer)
    except (ValueError, KeyError, TypeError):
        # When no host is left, pyinfra ends without a result.
        end = f"pyinfra gave no result (exit status {ended.status}): {_end(transcript)}"
        begun = _OPERATION.findall(transcript)
        where = f"failed: {begun[-1].strip()}; {end}" if begun else end
        return RunResult(
            "pyinfra", dry_run, tuple(_gave_up(name, where, said) for name in hosts), transcript
        )
    planned = set(_PLANNED.findall(transcript))
    for host, why in _refusals(transcript).items():
        failed[host] = [f"refused: {'; '.join(why)}"]
    return RunResult(
        "pyinfra",
        dry_run,
        tuple(
            _host(name, name in planned, changed, failed, said, ended.status, conditional)
            for name in hosts
        ),
        transcript,
    )


def _told(line: str) -> str:
    """A line of the transcript; of what programs said on a node, as far as it may be shown."""
    match = _HOST_LINE.fullmatch(line.strip())
    if not match:
        return line
    head, _, _ = line.partition(match[2])
    return f"{head}{said(match[2], words_of_roles())}\n"


def _refusals(transcript: str) -> _Names:
    """By host, why a role did not begin; each reason once (pyinfra prepares, then executes)."""
    found: _Names = {}
    for host, why in _REFUSED.findall(transcript):
        if why.strip() not in found.setdefault(host, []):
            found[host].append(why.strip())
    return found


def _arguments(hosts: Iterable[str], roles: tuple[str, ...], dry_run: bool) -> list[str]:
    """`--dry -y` would skip the detection of changes, so it is one or the other."""
    limits = [part for name in hosts for part in ("--limit", name)]
    chosen = ["--data", f"railbed_roles={','.join(roles)}"] if roles else []
    mode = "--dry" if dry_run else "--yes"
    start = [sys.executable, "-P", str(PROGRAM), str(ROOT)]
    return [*start, INVENTORY, str(SCRIPT), mode, "--json", *chosen, *limits]


def _planned(answer: Mapping[str, list[dict[str, Any]]]) -> tuple[_Names, _Names]:
    """By host, the operations that would change something; a dry run fails on none.

    A conditional operation (reload when a file changed) is listed for every host, whether it
    will follow a change or not: it counts for nothing here.
    """
    changed: _Names = {}
    for operation in answer["plan"]:
        for host in operation["hosts_with_change"]:
            changed.setdefault(host, []).append(str(operation["name"]))
    return changed, {}


def _done(answer: Mapping[str, Any]) -> tuple[_Names, _Names]:
    """By host, the operations that changed something, and those that failed."""
    changed: _Names = {}
    failed: _Names = {host: [] for host in map(str, answer["results"]["failed_hosts"])}
    for operation in answer["results"]["operations"]:
        for kind, found in (("success", changed), ("error", failed)):
            for host in operation[kind]:
                found.setdefault(host, []).append(str(operation["name"]))
    return changed, failed


def _conditional(answer: Mapping[str, list[dict[str, Any]]]) -> _Names:
    """By host, the operations that may follow another's change; only a dry run tells."""
    found: _Names = {}
    for operation in answer["plan"]:
        for host in operation.get("hosts_with_conditional_change", ()):
            found.setdefault(host, []).append(str(operation["name"]))
    return found


def _host(
    name: str,
    planned: bool,
    changed: _Names,
    failed: _Names,
    said: _Names,
    status: int,
    conditional: _Names,
) -> HostResult:
    last = said.get(name, ["it is in no line of the transcript"])[-1]
    operations = tuple(changed.get(name, ()))
    followed = tuple(conditional.get(name, ())) if operations else ()
    if name in failed:
        what = ", ".join(failed[name]) or "pyinfra gave up on it"
        why = what if what.startswith("refused: ") else f"failed: {what} ({last})"
        return HostResult(name, True, bool(operations), operations, why, followed)
    if not planned:
        return failure(name, f"pyinfra did not run on it ({last})")
    why = f"exit status {status}" if status != 0 else ""
    return HostResult(name, bool(why), bool(operations), operations, why, followed)


def _end(transcript: str) -> str:
    """The last line that says something: how pyinfra's own errors are to be reported does not."""
    kept = [line for line in transcript.splitlines() if not line.startswith(_NOT_SAID)]
    end = last_line("\n".join(kept))
    return "the connection broke off" if end == "EOFError" else end


def _gave_up(name: str, where: str, said: _Names) -> HostResult:
    last = " ".join(said.get(name, [])[-_SAID_LINES:])
    return failure(name, f"{where} ({last})" if last else where)


def _said(transcript: str) -> _Names:
    """By host, the lines of the transcript that begin with its name in brackets."""
    said: _Names = {}
    for line in transcript.splitlines():
        if match := _HOST_LINE.fullmatch(line.strip()):
            means = _CUT_MEANS if _CUT_UPLOAD in match[2] else ""
            said.setdefault(match[1], []).append(match[2] + means)
    return said


def _progress(say: Callable[[str], None]) -> Callable[[str], None]:
    """Say each deploy (a role's title) as its first operation begins."""
    told: list[str] = []

    def on_line(line: str) -> None:
        begun = _BEGUN.search(line)
        if begun and told[-1:] != [begun[1]]:
            told.append(begun[1])
            say(f"  pyinfra: {begun[1]}")

    return on_line
