"""What each face of a role does on a host: the Ansible face read, the pyinfra face recorded."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import StrictUndefined, UndefinedError
from jinja2.nativetypes import NativeEnvironment

from roles import pyinfra_role

from .owned import Touched, expression, read, value_of, variables

_known = cache(NativeEnvironment(undefined=StrictUndefined).compile_expression)
BUILTIN = "ansible.builtin."
FILES = "railbed_files"
PACKAGES = "railbed_packages"
FILE_KEYS = {"src", "dest", "mode", "validate", "loop", "loop_var", "when"}
# How the inventory says that a host is reached.
CONNECTION = {"ansible_ssh_common_args": "-F ssh/config", "inventory_hostname": "oob1"}
# What the kernel's parameters are set with, and from which file.
_LOAD = ["sysctl", "--quiet"]


def by_ansible(role: str, case: str) -> Touched:
    """Every task and handler, its loop unrolled; a task that only reads counts for nothing."""
    values, found = variables(role, case) | CONNECTION, Touched()
    follows: dict[str, set[str]] = {}
    for handler in read(role, "handlers/main.yml"):
        does = Touched()
        _read_task(does, role, handler, values, {})
        follows[handler["name"]] = does.actions
        found.actions |= does.actions
    for task in read(role, "tasks/main.yml"):
        _read_task(found, role, task, values, follows)
    return found


def _read_task(
    found: Touched,
    role: str,
    task: dict[str, Any],
    values: dict[str, Any],
    follows: dict[str, set[str]],
) -> None:
    [module] = [key for key in task if key.startswith(BUILTIN) or key in (FILES, PACKAGES)]
    told = {action for name in listed(task.get("notify", [])) for action in follows[name]}
    for one in _unrolled(task, module, values):
        if module == FILES and task.get("check_mode") and "notify" not in task:
            looked = Touched()
            _note_files(looked, one, values, told)
            found.guarded = set(looked.files)
        elif module == FILES:
            _note_files(found, one, values, told)
        elif module == PACKAGES:
            _note_packages(found, one)
            found.install_env |= task.get("environment", {})
        else:
            _note_task(found, role, module.removeprefix(BUILTIN), one, task)


def listed(one: str | list[str]) -> list[str]:
    return [one] if isinstance(one, str) else one


def _note_files(
    found: Touched, asked: dict[str, Any], values: dict[str, Any], told: set[str]
) -> None:
    """The files and folders of one task; the module gives all of them to root."""
    assert {"files"} <= asked.keys() <= {"files", "folders"}
    found.folders |= {*value_of(asked.get("folders", []), values)}
    for row in asked["files"]:
        assert {"src", "dest"} <= row.keys() <= FILE_KEYS
        assert ("loop" in row) == ("loop_var" in row)
        for item in value_of(row["loop"], values) if "loop" in row else [None]:
            more = {row["loop_var"]: item} if "loop" in row else {}
            here = {**values, **more}
            if expression(row.get("when", "true"))(**here):
                path, mode = value_of(row["dest"], here), row.get("mode", "0644")
                found.files[path] = (row["src"], "root", "root", mode, more)
                found.tells[path] = found.tells.get(path, set()) | told


def _note_packages(found: Touched, asked: dict[str, Any]) -> None:
    more = {"hold", "conflicts", "replaced"}
    assert {"packages", "family"} <= asked.keys() <= {"packages", "family", *more}
    found.packages |= set(asked["packages"])
    found.holds |= dict.fromkeys(asked["packages"], asked.get("hold", False))


def _unrolled(
    task: dict[str, Any], module: str, values: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    name = task.get("loop_control", {}).get("loop_var", "")
    for item in value_of(task["loop"], values) if "loop" in task else [None]:
        more = {name: item} if name else {}
        if _is_meant(task, values):
            # What only looks, with expressions that are Ansible's own, is not filled in.
            looks = module.endswith((".command", ".debug")) and "check_mode" in task
            raw = module == FILES or looks
            yield task[module] if raw else value_of(task[module], {**values, **more})


def _is_meant(task: dict[str, Any], values: dict[str, Any]) -> bool:
    condition = task.get("when", "")
    try:
        return not condition or bool(_known(condition, False)(**values))
    except UndefinedError:
        # A condition on what an earlier task found: always taken.
        return True


def _note_task(
    found: Touched,
    role: str,
    module: str,
    one: dict[str, Any],
    task: dict[str, Any],
) -> None:
    if module == "meta":
        assert task[f"{BUILTIN}meta"] == "flush_handlers"
    elif module == "command" and "preflight.sh" in str(one):
        # It reads, and refuses.
        assert (task["check_mode"], task["changed_when"]) == (False, False)
        found.preflights += 1
    elif module == "command" and (said := _to_way_back(" ".join(map(str, one["argv"])))):
        found.way_back += said
        found.confirmed_by += re.findall(r" -o(\S+)", str(one["argv"]))
    elif module == "command" and "systemctl is-active" in str(one):
        assert (task["check_mode"], task["failed_when"]) == (False, False)
        found.must_run = one["argv"][2]
    elif module == "systemd_service":
        _note_unit(found, one)
    elif module == "command":
        _note_command(found, one["argv"], task)
    else:
        assert module == "debug"


def _to_way_back(line: str) -> list[str]:
    """What a command tells the program: its verb, and the values beside it."""
    _, program, said = line.partition("/usr/local/sbin/railbed-oob-way-back ")
    return [said.partition(" <")[0]] if program else []


def _note_unit(found: Touched, one: dict[str, Any]) -> None:
    state, unit = one.get("state"), one.get("name", "")
    if state in ("restarted", "reloaded"):
        found.actions.add(f"{state} {unit}")
    elif one.get("daemon_reexec"):
        found.actions.add("systemctl daemon-reexec")
    elif unit:
        enabled = "masked" if one.get("masked") else one.get("enabled")
        found.units[unit] = (enabled, True if state == "started" else None)
        # The manager reads all units again, not this one alone.
        found.read |= {unit} if one.get("daemon_reload") is True else set()


def _note_command(found: Touched, argv: Any, task: dict[str, Any]) -> None:
    if task.get("check_mode") is False:
        return
    if argv[:2] == _LOAD and argv[-2] == "--load":
        found.actions.add(" ".join(["sysctl", argv[-1], *argv[2:-2]]))
    elif argv[:2] == ["sh", "-c"]:
        # What pyinfra's `server.shell` does with a command.
        found.actions.add(argv[2])
    else:
        found.actions.add(" ".join(argv))


class _Changed:
    """What an operation returns; whoever asks later hears that something changed."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths

    def did_change(self) -> bool:
        return True


class Recorder:
    """Stands where a role's pyinfra face expects pyinfra's operations, and ours."""

    def __init__(self) -> None:
        self.found = Touched()

    def put(self, name: str, *files: pyinfra_role.File, folders: Sequence[str] = ()) -> _Changed:
        self.found.folders |= set(folders)
        for one in files:
            self.found.files[one.path] = (
                one.src, "root", "root", one.mode, dict(one.more),
            )  # fmt: skip
        return _Changed(*(one.path for one in files))

    def packages(
        self,
        name: str,
        wanted: dict[str, str],
        family: str,
        hold: bool = False,
        conflicts: Sequence[str] = (),
        _env: dict[str, str] | None = None,
        replaced: Sequence[str] = (),
    ) -> _Changed:
        self.found.install_env |= _env or {}
        self.found.packages |= set(wanted)
        self.found.holds |= dict.fromkeys(wanted, hold)
        return _Changed()

    def preflight(self, name: str, script: str) -> _Changed:
        self.found.preflights += 1
        return _Changed()

    def before_change(self, name: str, files: list[Any], holds: str, command: str) -> _Changed:
        self.found.way_back += _to_way_back(command)
        self.found.guarded = {one.path for one in files}
        self.found.must_run = holds
        return _Changed()

    def confirmed(self, name: str, expect: str, confirm: str, otherwise: str, _if: Any) -> None:
        self.found.way_back += [*_to_way_back(expect), *_to_way_back(confirm)]
        self.found.confirmed_by += re.findall(r" -o(\S+)", confirm)

    def unless(self, name: str, holds: str, command: str) -> _Changed:
        self.found.way_back += _to_way_back(command)
        return _Changed()

    def kernel_parameters(
        self, name: str, values: dict[str, Any], path: str, is_for_ports: bool = False
    ) -> _Changed:
        self.found.sysctls |= {key: str(value) for key, value in values.items()}
        self.found.actions.add(f"sysctl {path}" + (" --ignore" if is_for_ports else ""))
        return _Changed()

    def _does(self, action: str, condition: tuple[_Changed, ...] | None) -> None:
        self.found.actions.add(action)
        if condition is None:
            self.found.always.add(action)
        for path in (path for one in condition or () for path in one.paths):
            self.found.tells.setdefault(path, set()).add(action)

    def shell(self, name: str, commands: list[str], _if: Any = None) -> _Changed:
        for command in commands:
            words = command.split()
            restart = words[:2] == ["systemctl", "restart"]
            self._does(f"restarted {words[2]}" if restart else command, _if)
        return _Changed()

    def daemon_reload(self, name: str, _if: Any = None) -> _Changed:
        return _Changed()

    def staged(self, name: str, asks: str, unit: str) -> _Changed:
        return _Changed()

    def units_as_on_disk(self, name: str, units: list[str]) -> _Changed:
        self.found.read |= set(units)
        return _Changed()

    def applied_again(self, name: str, check: str, unit: str) -> _Changed:
        assert unit in self.found.units
        return _Changed()

    def masked(self, name: str, unit: str) -> _Changed:
        self.found.units[unit] = ("masked", None)
        return _Changed()

    def service(
        self,
        name: str,
        service: str,
        running: bool | None = True,
        enabled: bool | None = None,
        restarted: bool = False,
        reloaded: bool = False,
        _if: Any = None,
    ) -> _Changed:
        if restarted or reloaded:
            self._does(f"{'restarted' if restarted else 'reloaded'} {service}", _if)
        else:
            self.found.units[service] = (enabled, running)
        return _Changed()


def by_pyinfra(
    role: str, case: str, monkeypatch: pytest.MonkeyPatch, *, is_cut_off: bool = False
) -> Touched:
    """Run the face with operations that only note what they are asked."""
    module = import_module(f"roles.{role}.deploy")
    recorder = Recorder()
    operations = SimpleNamespace(
        **{name: getattr(recorder, name) for name in dir(recorder) if not name.startswith("_")}
    )
    monkeypatch.setattr(module, "host", SimpleNamespace(data=variables(role, case)))
    monkeypatch.setattr(pyinfra_role, "any_changed", lambda *done: done)
    monkeypatch.setattr(
        pyinfra_role.Files, "put", lambda _, *files, **more: recorder.put(*files, **more)
    )
    monkeypatch.setattr(pyinfra_role.Services, "_is_cut_off", is_cut_off)
    parts = [part for name, part in sys.modules.items() if name.startswith(f"roles.{role}.")]
    for part in parts:
        for name in ("server", "systemd", "resources"):
            if hasattr(part, name):
                monkeypatch.setattr(part, name, operations)
    module.apply._inner()
    return recorder.found
