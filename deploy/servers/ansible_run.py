"""Runs ansible-playbook in a process of its own and judges what it did, host by host.

Ansible exits 0 when no host matched a play, when tags matched no task and, as a user may have
set it, when the inventory was broken. So a host counts as done only if the recap has it, if
every task that changed is one we saw, and if each role that was to run on it said something.

It runs with mitogen's strategy: one Python stays on each host for the whole run, where Ansible
starts one for each task (a look at a node that is as planned cost ten times the CPU). What a
person types in the clone's root plays the same tasks with Ansible's own.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from deploy.commands.next_steps import in_all
from deploy.context import Context
from deploy.errors import RailbedError
from switch_configs.diff import masked
from switch_configs.shown.said import said
from validation.manifest.contract import roles_of

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

INVENTORY = "inventory/ansible_source.py"
PLAYBOOK = "deploy/playbooks/nodes.yml"
SETTINGS = ROOT / "ansible.cfg"

# ansible-playbook: 0 all well, 2 a host failed, 4 a host was unreachable, 6 both of these.
_UNDERSTOOD = (0, 2, 4, 6)
_BANNER = re.compile(r"(?P<kind>TASK|RUNNING HANDLER) \[(?:(?P<role>\w+) : )?(?P<task>.*)\] \**$")
_RESULT = re.compile(
    r"(?P<word>ok|changed|skipping|fatal|failed|included): \[(?P<host>[^\]\s]+)[^\]]*\](?P<rest>.*)"
)
_RECAP = re.compile(
    r"(?P<host>\S+)\s+: ok=\d+\s+changed=(?P<changed>\d+)\s+unreachable=(?P<unreachable>\d+)\s+"
    r"failed=(?P<failed>\d+)\s+skipped=\d+\s+rescued=\d+\s+ignored=(?P<ignored>\d+)\s*"
)
# Ansible's own check of a role's arguments is always played, whatever the tags say.
_OWN_TASK = "Validating arguments against arg spec"
_SAID_CHARACTERS = 400


@dataclass
class _Seen:
    """What the output says of one host."""

    changed: dict[int, str] = field(default_factory=dict)
    followed: dict[int, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    roles: set[str] = field(default_factory=set)
    recap: dict[str, int] | None = None


def run(context: Context, work: Work, dry_run: bool) -> RunResult:
    """Bring hosts to their roles, or with `dry_run` only say what would change.

    All hosts of `work` must name the same roles.
    """
    if not work:  # an empty limit is none
        return RunResult("ansible", dry_run, (), "")
    [roles] = set(work.values())
    has = roles_of(context.plan)
    wanted = {
        name: tuple(one for one in has.get(name, ()) if not roles or one in roles) for name in work
    }
    env = environment(context, **settings())
    ended = execute(_arguments(work, roles, dry_run), env, _progress(context.say))
    return judge(wanted, dry_run, ended)


def settings() -> dict[str, str]:
    """What Ansible is told by its environment, beside the clone's ansible.cfg."""
    return {
        "ANSIBLE_CONFIG": str(SETTINGS),
        "ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "1",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_STDOUT_CALLBACK": "default",
        "ANSIBLE_STRATEGY": "mitogen_linear",
        "ANSIBLE_STRATEGY_PLUGINS": str(_strategies()),
        "LC_ALL": "C.UTF-8",
    }


def _strategies() -> Path:
    """The folder of mitogen's strategies. It is not imported: that would patch this process."""
    found = find_spec("ansible_mitogen")
    if found is None or found.origin is None:
        raise RailbedError("mitogen is not in the environment", hint="./railbed builds it")
    return Path(found.origin).parent / "plugins" / "strategy"


def judge(wanted: Work, dry_run: bool, ended: Ended) -> RunResult:
    """Read a finished run; `wanted` says which roles must have run where. Pure."""
    out = "".join(map(_told, ended.out.splitlines(keepends=True)))
    err = said(ended.err, words_of_roles())
    transcript = masked(out + err)
    seen = _read(out.splitlines())
    bad = any(_bad(one.recap) for one in seen.values())
    why = ""
    if ended.status not in _UNDERSTOOD or (ended.status != 0) != bad:
        # Nothing that this run said of any host can be trusted.
        why = f"Ansible ended with status {ended.status}: {masked(last_line(err or out))}"
    hosts = tuple(
        _host(name, roles, seen.get(name, _Seen()), why) for name, roles in wanted.items()
    )
    return RunResult("ansible", dry_run, hosts, transcript)


def _arguments(hosts: Iterable[str], roles: tuple[str, ...], dry_run: bool) -> list[str]:
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", INVENTORY, PLAYBOOK]
    # Without --diff: what others wrote into a file may be a secret, and transcripts are kept.
    argv += ["--limit", ",".join(hosts)]
    argv += ["--tags", ",".join(roles)] if roles else []
    return [*argv, "--check"] if dry_run else argv


def _read(lines: Iterable[str]) -> dict[str, _Seen]:
    """By host, what the default callback printed: a banner for each task, then its results."""
    seen: dict[str, _Seen] = {}
    banner, number = None, 0
    for line in lines:
        if begun := _BANNER.match(line):
            banner, number = begun, number + 1
        elif recap := _RECAP.fullmatch(line):
            counts = {name: int(text) for name, text in recap.groupdict().items() if text.isdigit()}
            seen.setdefault(recap["host"], _Seen()).recap = counts
        elif banner and (result := _RESULT.match(line)):
            _note(seen.setdefault(result["host"], _Seen()), result, number, banner)
    return seen


def _note(host: _Seen, result: re.Match[str], number: int, banner: re.Match[str]) -> None:
    role, task = banner["role"] or "", banner["task"]
    if role and not task.startswith(_OWN_TASK):
        host.roles.add(role)
    if result["word"] in ("fatal", "failed"):
        host.told.append(f"{task}: {_message(result['rest'])}")
    # A loop says it once for each item, and the recap counts the task.
    elif result["word"] == "changed":
        into = host.changed if banner["kind"] == "TASK" else host.followed
        into[number] = f"{role}: {task}" if role else task


def _host(name: str, roles: tuple[str, ...], seen: _Seen, why: str) -> HostResult:
    operations, followed = tuple(seen.changed.values()), tuple(seen.followed.values())
    count = len(operations) + len(followed)

    def bad(message: str) -> HostResult:
        return HostResult(name, True, bool(count), operations, message, followed)

    if seen.recap is None:
        return failure(name, why or "Ansible did not run on it")
    if _bad(seen.recap):
        return bad(f"failed: {masked('; '.join(seen.told)) or 'the recap says so'}")
    if why:
        return bad(why)
    if missing := [role for role in roles if role not in seen.roles]:
        return bad(f"Ansible did not play {', '.join(missing)} on it")
    if seen.recap["changed"] != count:
        counts = f"{seen.recap['changed']} changes, its output {count}"
        return bad(f"Ansible's output was not understood: the recap has {counts}")
    return HostResult(name, False, bool(count), operations, "", followed)


def _bad(recap: dict[str, int] | None) -> bool:
    return recap is not None and any(recap[word] for word in ("unreachable", "failed", "ignored"))


def _told(line: str) -> str:
    """A line of the output; of what programs said on a node, as far as it may be shown."""
    head, arrow, text = line.partition(" => {")
    if not arrow:
        return line
    try:
        result = json.loads(f"{{{text}")
    except ValueError:
        return f"{head} => {said('{' + text, words_of_roles())}"
    return f"{head} => {json.dumps(in_all(result, _shown))}\n"


def _shown(text: str) -> str:
    return said(text, words_of_roles())


def _message(rest: str) -> str:
    """What a failed task says: `: FAILED! => {"msg": ...}`, or its text as it is."""
    _, _, text = rest.partition("=> ")
    try:
        told = json.loads(text)
        parts = [str(told.get(key) or "").strip() for key in ("msg", "stderr")]
        text = ": ".join(part for part in parts if part) or text
    except (ValueError, AttributeError):
        pass
    return " ".join((text or rest).split())[:_SAID_CHARACTERS]


def _progress(say: Callable[[str], None]) -> Callable[[str], None]:
    """Say each role as it begins."""
    told: list[str] = []

    def on_line(line: str) -> None:
        banner = _BANNER.match(line)
        role = banner["role"] if banner and not banner["task"].startswith(_OWN_TASK) else None
        if role and told[-1:] != [role]:
            told.append(role)
            say(f"  ansible: {role}")

    return on_line
