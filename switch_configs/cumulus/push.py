"""The steps from what a switch holds to what it shall hold.

NVUE itself goes back: `nv config apply --confirm TIME` does so when nobody confirms in time, and
a restart boots the old startup file, because saving it by itself is switched off before the
change (NVIDIA Cumulus Linux 5.14, NVUE CLI). Only what differs is sent, so the accounts and keys
that the switch came with are never touched. Commands run as root.
"""

from __future__ import annotations

from switch_configs.errors import DialectError
from switch_configs.intent import ConfigFile, Impact, Phase, Rendered, Step

from . import files
from .change import Change, change
from .parse import configuration
from .tree import Tree
from .words import RELEASES, words

_BASE = "/var/lib/railbed"
_UNSET, _SET, _BREAKOUTS = f"{_BASE}/unset.yaml", f"{_BASE}/set.yaml", f"{_BASE}/breakouts.yaml"
_RULES, _RULES_OLD = f"{_BASE}/isolation.new", f"{_BASE}/isolation.old"
# In /run, so a restart, which goes back by itself, also ends what is pending.
_PENDING = "/run/railbed-pending"
_SHORTEST_WINDOW_S = 30
_APPLY_S = 600

PENDING_COMMAND = (
    f'if [ -f {_PENDING} ] && [ "$(date +%s)" -lt "$(cat {_PENDING})" ]; '
    f"then echo pending until $(cat {_PENDING}); fi"
)
UNDO_COMMAND = (
    f"if [ -f {_PENDING} ]; then nv config apply --confirm-no; rm -f {_PENDING}; fi; "
    "nv config detach >/dev/null 2>&1 || true"
)
_RULES_UNDO = (
    f"if [ -f {_RULES_OLD} ]; then cp {_RULES_OLD} {files.ISOLATION}; "
    f"else rm -f {files.ISOLATION}; fi; cl-acltool -i"
)


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    """From old to new, in order; empty when nothing differs.

    The device goes back by itself `window_s` seconds after the step `apply`, unless `confirm`
    came before. `DialectError` for a window that is too short.
    """
    before, after = _tree(old), _tree(new)
    found = change(before, after)
    rules = _rules(new) != _rules(old)
    if found.empty and not rules:
        return ()
    if window_s < _SHORTEST_WINDOW_S:
        raise DialectError(f"a window of {window_s} s is shorter than {_SHORTEST_WINDOW_S} s")
    steps = () if found.empty else _nvue(found, _saves_by_itself(before), _release(new), window_s)
    return (*steps, *(_isolation(_rules(new)) if rules else ()))


def _nvue(found: Change, saves: bool, release: str, window_s: int) -> tuple[Step, ...]:
    sent = [
        _send(path, text)
        for path, text in ((_UNSET, found.unset), (_BREAKOUTS, found.breakouts), (_SET, found.set))
        if text
    ]
    patches = [path for path, text in ((_UNSET, found.unset), (_SET, found.set)) if text]
    detach = "nv config detach >/dev/null 2>&1 || true"
    return (
        _do("make the folder", "stage", f"install -d -m 0700 {_BASE}", "none", 30),
        *sent,
        _do("boots its startup file", "check", "systemctl is-enabled nvue-startup", "none", 30),
        _do("nothing else is pending", "check", detach, "none", 60),
        _do("keep what is", "checkpoint", f"nv config show > {_BASE}/before.yaml", "none", 60),
        *(_no_auto_save(release) if saves else ()),
        *(_split() if found.breakouts else ()),
        *(_do(f"patch {one}", "arm", f"nv config patch {one}", "none", 120) for one in patches),
        _do("show the difference", "arm", "nv config diff", "none", 120),
        _do("arm", "arm", f"echo $(($(date +%s) + {window_s})) > {_PENDING}", "none", 30),
        _do("apply", "apply", f"nv config apply -y --confirm {window_s}s", found.impact, _APPLY_S),
        _do(
            "confirm", "confirm", f"nv config apply --confirm-yes && rm -f {_PENDING}", "none", 120
        ),
        _do("save", "save", "nv config save", "none", 120),
    )


def _no_auto_save(release: str) -> tuple[Step, ...]:
    """Before all else: a switch that saves by itself would boot what nobody confirmed."""
    if release not in RELEASES:
        raise DialectError(f"no words for release {release}")
    ((key, word),) = words(release).auto_save_off.items()
    line = f"nv set system config auto-save {key} {word} && nv config apply -y"
    return (_do("do not save by itself", "checkpoint", line, "none", 120),)


def _split() -> tuple[Step, ...]:
    """Cages are split before their ports get QoS; not under the timer, but a restart goes back."""
    line = f"nv config patch {_BREAKOUTS} && nv config apply -y"
    back = f"nv config replace {_BASE}/before.yaml && nv config apply -y"
    return (Step("split cages", "apply", line, None, "", back, "link flap", _APPLY_S),)


def _isolation(text: str) -> tuple[Step, ...]:
    """After the confirmation: these rules do not touch the way to the switch itself."""
    keep = f"install -d -m 0700 {_BASE}; rm -f {_RULES_OLD}; "
    keep += f"if [ -f {files.ISOLATION} ]; then cp {files.ISOLATION} {_RULES_OLD}; fi"
    put = f"install -m 0644 {_RULES} {files.ISOLATION}" if text else f"rm -f {files.ISOLATION}"
    sent = (Step("send isolation", "save", "", _file(_RULES, text), "", "", "none", 30),)
    return (
        _do("keep isolation", "save", keep, "none", 30),
        *(sent if text else ()),
        Step("isolate", "save", f"{put} && cl-acltool -i", None, "", _RULES_UNDO, "runtime", 120),
    )


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
