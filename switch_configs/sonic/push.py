"""The steps from what a switch holds to what it shall hold.

All that needs thought on the device is in `device/switch-push`, which is sent first; the
commands here are short, fixed words, so nothing of the plan ever meets a shell.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from switch_configs.errors import DialectError
from switch_configs.intent import ConfigFile, Impact, Phase, Rendered, Step

from . import files, kept
from .changes import Rows, rows

_HERE = Path(__file__).parent
_BASE = "/host/railbed"
_SCRIPT = f"{_BASE}/switch-push"
_SYSTEMD = "/etc/systemd/system"
_ASIC = "asic_took.py"
_SHORTEST_WINDOW_S = 10
RELOAD_S = 480
"""A reload stops and starts every container of the data path; the window counts from its end."""

PENDING_COMMAND = f"cat {files.PENDING} 2>/dev/null || true"
FORGET_COMMAND = f"{_SCRIPT} forget"
UNDO_COMMAND = f"[ ! -x {_SCRIPT} ] || {_SCRIPT} undo"


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    """From old to new, in order; empty when nothing differs.

    The device goes back by itself when `confirm` does not come: `window_s` seconds after the
    step `arm`, or that and the time of a reload where there is one; and at a restart.
    `DialectError` for a window that is too short.
    """
    changed = _changed(old, new)
    if not changed:
        return ()
    if window_s < _SHORTEST_WINDOW_S:
        raise DialectError(f"a window of {window_s} s is shorter than {_SHORTEST_WINDOW_S} s")
    followed = _followed(old, changed)
    reloads = files.CONFIG_DB in {file.path for file in changed} and followed is None
    return (
        *_stage(changed, followed),
        _do("check", "check", "none", 120),
        _do("checkpoint", "checkpoint", "none", 120),
        *_arm(window_s + (RELOAD_S if reloads else 0)),
        *_apply(changed, followed, reloads),
        _do("confirm", "confirm", "none", 60, undo=True),
        _do("save", "save", "none", 60),
    )


def _changed(old: Rendered, new: Rendered) -> tuple[ConfigFile, ...]:
    """The files to send; all of them when it is not known what a change left behind."""
    held = {file.path: file for file in old.files}
    if files.PENDING in held:
        return new.files
    differ = {file.path for file in new.files if held.get(file.path) != file}
    if files.UNSAVED in held:
        differ.add(files.CONFIG_DB)
    return tuple(file for file in new.files if file.path in differ)


def _followed(old: Rendered, changed: tuple[ConfigFile, ...]) -> Rows | None:
    """The rows to write while everything runs; None for a reload, or where no row differs."""
    if files.PENDING in {file.path for file in old.files}:
        return None
    before = {file.path: file for file in old.files}.get(files.CONFIG_DB)
    after = {file.path: file for file in changed}.get(files.CONFIG_DB)
    if before is None or after is None:
        return None
    return rows(before.text, after.text)


def _stage(changed: tuple[ConfigFile, ...], followed: Rows | None) -> tuple[Step, ...]:
    script = ConfigFile(
        _SCRIPT, (_HERE / "device/switch-push").read_text(), "root", "root", "0700", "none"
    )
    texts = {
        files.NAMED.removeprefix("/"): kept.named(file.text)
        for file in changed
        if file.path == files.CONFIG_DB
    }
    if followed is not None:
        texts |= {f"back.{end}": text for end, text in followed.back.files.items()}
        texts |= {f"rows.{end}": text for end, text in followed.forth.files.items()}
        if followed.in_asic:
            texts[_ASIC] = (_HERE / "device" / _ASIC).read_text()
    return (
        _send("send the device's half", "stage", script),
        Step("begin", "stage", f"{_SCRIPT} begin", None, "", FORGET_COMMAND, "none", 30),
        *(_send(f"stage {file.path}", "stage", _candidate(file)) for file in changed),
        *(
            _send(f"stage {name}", "stage", _own(f"{_BASE}/candidate/{name}", text))
            for name, text in texts.items()
        ),
    )


def _candidate(file: ConfigFile) -> ConfigFile:
    path = f"{_BASE}/candidate{file.path}"
    return ConfigFile(path, file.text, file.owner, file.group, file.mode, "none")


def _own(path: str, text: str) -> ConfigFile:
    return ConfigFile(path, text, "root", "root", "0600", "none")


@cache
def _unit(name: str, seconds: int) -> str:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )
    return environment.get_template(f"push/{name}.j2").render(seconds=seconds)


def _arm(window_s: int) -> tuple[Step, ...]:
    seconds = {
        "railbed-reload.service": RELOAD_S,
        "railbed-rollback.service": 2 * RELOAD_S,
        "railbed-rollback-now.service": 2 * RELOAD_S,
        "railbed-rollback.timer": window_s,
    }
    sent = (
        _send(f"send {name}", "arm", _system(f"{_SYSTEMD}/{name}", _unit(name, most)))
        for name, most in seconds.items()
    )
    return (*sent, _do("arm", "arm", "none", 60, undo=True))


def _system(path: str, text: str) -> ConfigFile:
    return ConfigFile(path, text, "root", "root", "0644", "none")


def _apply(
    changed: tuple[ConfigFile, ...], followed: Rows | None, reloads: bool
) -> tuple[Step, ...]:
    """A reload starts FRR anew with its new file; else rows go first, then FRR."""
    if reloads:
        return (
            _do("apply reload", "apply", "reload", 60, undo=True),
            Step("applied", "verify", f"{_SCRIPT} applied", None, ": applied$", "", "none", 75),
        )
    steps: list[Step] = []
    if followed is not None and followed.any:
        steps.append(_do("apply rows", "apply", followed.impact, 120, undo=True))
    if files.FRR in {file.path for file in changed}:
        steps.append(_do("apply frr", "apply", "daemon restart", 360, undo=True))
    return tuple(steps)


def _do(verb: str, phase: Phase, impact: Impact, timeout_s: int, undo: bool = False) -> Step:
    take_back = UNDO_COMMAND if undo else ""
    return Step(verb, phase, f"{_SCRIPT} {verb}", None, "", take_back, impact, timeout_s)


def _send(name: str, phase: Phase, file: ConfigFile) -> Step:
    return Step(name, phase, "", file, "", "", "none", 60)
