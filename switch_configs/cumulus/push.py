"""The steps from what a switch holds to what it shall hold.

NVUE itself goes back: `nv config apply --confirm TIME` does so when nobody confirms in time, and
a restart boots the old startup file, because saving it by itself is switched off before the
change (NVIDIA Cumulus Linux 5.14, NVUE CLI). What waits to be confirmed is what NVUE says of its
revisions, and nothing of ours; a mark only says whose it is. Only what differs is sent, so the
accounts and keys that the switch came with are never touched. Commands run as root.
"""

from __future__ import annotations

import re
from dataclasses import replace

from switch_configs.described import nothing, with_text
from switch_configs.errors import DialectError
from switch_configs.intent import ConfigFile, Impact, Phase, Rendered, Step

from . import files
from .change import Change, change
from .parse import configuration
from .render import startup_text
from .running import numbered
from .tree import Tree, natural, put
from .waiting import WAITING
from .words import RELEASES, words

_BASE = "/var/lib/railbed"
_UNSET, _SET, _BREAKOUTS = f"{_BASE}/unset.yaml", f"{_BASE}/set.yaml", f"{_BASE}/breakouts.yaml"
_RULES, _UNIT = f"{_BASE}/isolation.new", "railbed-isolation"
_SHORTEST_WINDOW_S = 30
_APPLY_S = 600
_FRONT = re.compile(r"swp\d+(s\d+)?")
_DETACH = "nv config detach >/dev/null 2>&1 || true"

PENDING_COMMAND = (
    f'w=$({WAITING}) || exit 1; if [ -f {files.OURS} ] && [ "$w" ]; then echo $w; fi; '
    f"if [ -d {files.TRIED} ]; then echo isolation; fi"
)
# Where systemd does not look by itself (NVIDIA Cumulus Linux 5.14, Using sudo to Delegate
# Privileges): without it a timer of ours would find no such program.
_INSTALL = "PATH=$PATH:/usr/cumulus/bin cl-acltool -i"
# What was refused goes on waiting: the folder is what says so.
_OLD_RULES = f"{_INSTALL} && rm -rf {files.TRIED}"
_NO_TIMER = f"systemctl stop {_UNIT}.timer"
# A refusal leaves the mark: then it waits for NVUE's timer, and is asked again.
UNDO_COMMAND = (
    f"if [ -f {files.OURS} ]; then w=$({WAITING}) || exit 1; for r in $w; do "
    f'nv config apply "$r" --confirm-no || exit 1; done; rm -f {files.OURS}; fi; {_DETACH}; '
    f"if [ -d {files.TRIED} ]; then {_OLD_RULES} && {_NO_TIMER}; fi"
)
# It says so when the timer was faster, when NVUE refused it and yet ended well, or goes on waiting.
_CONFIRM = (
    f"w=$({WAITING}) || exit 1; "
    f'[ "$w" ] || {{ {_DETACH}; echo nothing waits to be confirmed >&2; exit 1; }}; '
    f'nv config apply "$w" --confirm-yes && w=$({WAITING}) && '
    '{ [ -z "$w" ] || { echo it still waits to be confirmed >&2; exit 1; }; } && '
    f"rm -f {files.OURS}"
)
_SAVE = "nv config save"


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    """From old to new, in order; empty when nothing differs.

    The device goes back by itself `window_s` seconds after the step `apply`, unless `confirm`
    came before. Cages that are split are a push of their own, before what their ports carry.
    `DialectError` for a window that is too short.
    """
    before, after = _tree(old), _tree(new)
    found = change(before, after)
    rules = _rules(new) != _rules(old)
    unsaved = any(file.path == files.UNSAVED for file in old.files)
    if found.empty and not rules:
        return (_do("save", "save", _SAVE, "none", 120),) if unsaved else ()
    if window_s < _SHORTEST_WINDOW_S:
        raise DialectError(f"a window of {window_s} s is shorter than {_SHORTEST_WINDOW_S} s")
    first = replace(found, unset="", set="", impact="link flap") if found.breakouts else found
    steps = () if found.empty else _nvue(first, _checkpoints(old, new), window_s)
    if first != found and (found.unset or found.set):
        return (*steps, Step("what cages carry", "rest", "", None, "", "", "none", 1))
    return (*steps, *(_isolation(_rules(new), window_s) if rules else ()))


def _nvue(found: Change, checkpoints: tuple[Step, ...], window_s: int) -> tuple[Step, ...]:
    texts = ((_UNSET, found.unset), (_BREAKOUTS, found.breakouts), (_SET, found.set))
    sent = [(path, text) for path, text in texts if text]
    return (
        _do("make the folder", "stage", f"install -d -m 0700 {_BASE}", "none", 30),
        *(_send(path, text) for path, text in sent),
        _do("boots its startup file", "check", "systemctl is-enabled nvue-startup", "none", 30),
        _do("nothing else is pending", "check", f"rm -f {files.OURS}; {_DETACH}", "none", 60),
        *checkpoints,
        *(_do(f"patch {path}", "arm", _patch(path), "none", 120) for path, _ in sent),
        _do("show the difference", "arm", "nv config diff", "none", 120),
        _do("arm", "arm", f"touch {files.OURS}", "none", 30),
        _do("apply", "apply", _apply(window_s), found.impact, _APPLY_S),
        _do("confirm", "confirm", _CONFIRM, "none", 120),
        _do("save", "save", _SAVE, "none", 120),
    )


def _apply(window_s: int) -> str:
    """What was refused must not lie there for whoever applies next."""
    return f"nv config apply -y --confirm {window_s}s || {{ {_DETACH}; exit 1; }}"


def _patch(path: str) -> str:
    """Nor half of it."""
    return f"nv config patch {path} || {{ {_DETACH}; exit 1; }}"


def _checkpoints(old: Rendered, new: Rendered) -> tuple[Step, ...]:
    """What runs is what a restart boots, and stays so until somebody confirmed."""
    unsaved = any(file.path == files.UNSAVED for file in old.files)
    keep = (_do("save what is", "checkpoint", "nv config save", "none", 120),) if unsaved else ()
    return (*keep, *(_no_auto_save(_release(new)) if _saves_by_itself(_tree(old)) else ()))


def _no_auto_save(release: str) -> tuple[Step, ...]:
    """Before all else: a switch that saves by itself would boot what nobody confirmed."""
    if release not in RELEASES:
        raise DialectError(f"no words for release {release}")
    ((key, word),) = words(release).auto_save_off.items()
    line = f"nv set system config auto-save {key} {word} && nv config apply -y"
    return (_do("do not save by itself", "checkpoint", line, "runtime", 120),)


def _isolation(text: str, window_s: int) -> tuple[Step, ...]:
    """New rules are installed from a folder beside the one that a restart installs.

    They do not touch the way to the switch itself, but may touch that to all behind it: a timer,
    which begins with the change, installs the old ones again unless they are confirmed.
    """
    folder = files.ISOLATION.rpartition("/")[0]
    new, old = files.TRIED_RULES, f"rm -rf {files.TRIED} && cp -r {folder} {files.TRIED}"
    put = f"install -m 0644 {_RULES}" if text else "rm -f"
    timer = f"systemd-run --collect --unit={_UNIT} --on-active={window_s}s"
    # Installed once more: a timer that ended just now may have brought the old ones.
    kept = (
        f"[ -d {files.TRIED} ] || {{ echo the old rules are back >&2; exit 1; }}; "
        f"{put} {files.ISOLATION} && {_OLD_RULES} && {{ {_NO_TIMER} 2>/dev/null || true; }}"
    )
    sent = (Step("send isolation", "stage", "", _file(_RULES, text), "", "", "none", 30),)
    return (
        *(sent if text else ()),
        _do("arm isolation", "apply", f"{old} && {put} {new} && {_armed(timer)}", "none", 30),
        _do("isolate", "apply", f"{_INSTALL} -P {files.TRIED}", "runtime", 120),
        _do("keep isolation", "confirm", kept, "none", 120),
    )


def _armed(timer: str) -> str:
    """A timer of an earlier push must not be taken for this one's."""
    return f"{{ {_NO_TIMER} 2>/dev/null; {timer} sh -c '{_OLD_RULES}'; }}"


def _tree(rendered: Rendered) -> Tree:
    text = next((file.text for file in rendered.files if file.path == files.STARTUP), "")
    return configuration(text)[1] if text else {}


def _rules(rendered: Rendered) -> str:
    return next((file.text for file in rendered.files if file.path == files.ISOLATION), "")


def _release(rendered: Rendered) -> str:
    text = next((file.text for file in rendered.files if file.path == files.STARTUP), "")
    return configuration(text)[0].get("version", "").split(" ")[-1]


def _saves_by_itself(held: Tree) -> bool:
    auto = held.get("system", {}).get("config", {}).get("auto-save", {})
    return not (auto == {"state": "disabled"} or auto == {"enable": "off"})


def _file(path: str, text: str) -> ConfigFile:
    return ConfigFile(path, text, "root", "root", "0600", "none")


def _send(path: str, text: str) -> Step:
    return Step(f"send {path}", "stage", "", _file(path, text), "", "", "none", 30)


def _do(name: str, phase: Phase, command: str, impact: Impact, timeout_s: int) -> Step:
    """A step; from `arm` on it can be taken back."""
    back = UNDO_COMMAND if phase in ("arm", "apply", "confirm") else ""
    return Step(name, phase, command, None, "", back, impact, timeout_s)


def described(held: Rendered, words: str) -> Rendered:
    """As the dialect's."""

    def change(text: str) -> str:
        header, tree = configuration(text)
        if _saves_by_itself(tree):
            raise DialectError(
                f"{held.device} saves by itself, and a push would end that before anything else",
                "`nv set system config auto-save`, as the README of its system says",
            )
        every = tree.get("interface", {})
        # A cage that is split carries nothing itself.
        split = {one for one, said in every.items() if "breakout" in said.get("link", {})}
        front = [one for one in every if _FRONT.fullmatch(one) and one not in split]
        if not front:
            raise nothing()
        put(tree, "interface", min(front, key=natural), "description", value=words)
        release = header.get("version", "").split(" ")[-1]
        return startup_text(held.device, release, numbered(tree))

    return with_text(held, files.STARTUP, change)


def shut(held: Rendered, port: str) -> Rendered:
    """As the dialect's (Cumulus Linux, Interface Configuration and Management)."""

    def off(text: str) -> str:
        header, tree = configuration(text)
        if port not in tree.get("interface", {}):
            raise DialectError(f"it has no `interface {port}`")
        put(tree, "interface", port, "link", "state", "down", value={})
        release = header.get("version", "").split(" ")[-1]
        return startup_text(held.device, release, numbered(tree))

    return with_text(held, files.STARTUP, off)
