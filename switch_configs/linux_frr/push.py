"""The steps from what a switch holds to what it shall hold.

All that needs thought on the device is in `device/switch-push`, which is sent first; the
commands here are short, fixed words, so nothing of the plan ever meets a shell.
"""

from __future__ import annotations

import re
from pathlib import Path

from switch_configs.changes import IMPACTS
from switch_configs.changes.texts import sections
from switch_configs.described import nothing, with_text
from switch_configs.errors import DialectError
from switch_configs.frr import statements
from switch_configs.idle import used
from switch_configs.intent import ConfigFile, Impact, Phase, Rendered, Step

from . import files
from .render import environment

_DEVICE = Path(__file__).parent / "device"
_BASE = "/var/lib/railbed"
_SCRIPT = f"{_BASE}/switch-push"
_SYSTEMD = "/etc/systemd/system"
_SHORTEST_WINDOW_S = 10

PENDING_COMMAND = f"cat {files.PENDING} 2>/dev/null || true"
UNDO_COMMAND = f"{_SCRIPT} undo"

# Kernel routes keep their nexthop objects when FRR is told to use none.
_SESSION = re.compile(r"router bgp \d+( / neighbor \S+ (interface |remote-as ).*)?")
_DESCRIBED = re.compile(r"(?m)^( *neighbor \S+ description )\S.*$")
_NO_NEXTHOP_OBJECTS = "no zebra nexthop kernel enable"


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    """From old to new, in order; empty when nothing differs.

    The device goes back by itself `window_s` seconds after the step `arm`, and at a
    restart, unless `confirm` came before. `DialectError` for a window that is too short.
    """
    changed = _changed(old, new)
    if not changed:
        return ()
    if window_s < _SHORTEST_WINDOW_S:
        raise DialectError(f"a window of {window_s} s is shorter than {_SHORTEST_WINDOW_S} s")
    return (
        *_stage(changed),
        _do("check", "check", "none", 120),
        _do("checkpoint", "checkpoint", "none", 60),
        *_arm(window_s),
        *_apply(old, changed),
        _do("confirm", "confirm", "none", 60, undo=True),
        _do("save", "save", "none", 60),
    )


def _changed(old: Rendered, new: Rendered) -> tuple[ConfigFile, ...]:
    """The files to send; all of them when it is not known what a change left behind.

    An empty file stands for one that is to be removed: none of ours is ever empty.
    """
    held = {file.path: file for file in old.files}
    wanted = {file.path for file in new.files}
    gone = tuple(
        files.owned_file(path, "") for path in files.OWNED if path in held and path not in wanted
    )
    if files.PENDING in held:
        return (*new.files, *gone)
    return (*(file for file in new.files if held.get(file.path) != file), *gone)


def _stage(changed: tuple[ConfigFile, ...]) -> tuple[Step, ...]:
    script = ConfigFile(
        _SCRIPT, (_DEVICE / "switch-push").read_text(), "root", "root", "0700", "none"
    )
    return (
        _send("send the device's half", "stage", script),
        _do("begin", "stage", "none", 30),
        *(_send(f"stage {file.path}", "stage", _candidate(file)) for file in changed),
    )


def _candidate(file: ConfigFile) -> ConfigFile:
    path = f"{_BASE}/candidate{file.path}"
    return ConfigFile(path, file.text, file.owner, file.group, file.mode, "none")


def _arm(window_s: int) -> tuple[Step, ...]:
    timer = environment().get_template("push/railbed-rollback.timer.j2").render(window_s=window_s)
    units = {
        "railbed-rollback.service": (_DEVICE / "railbed-rollback.service").read_text(),
        "railbed-rollback-now.service": (_DEVICE / "railbed-rollback-now.service").read_text(),
        "railbed-rollback.timer": timer,
    }
    sent = (
        _send(f"send {name}", "arm", _unit(f"{_SYSTEMD}/{name}", text))
        for name, text in units.items()
    )
    return (*sent, _do("arm", "arm", "none", 60, undo=True))


def _unit(path: str, text: str) -> ConfigFile:
    return ConfigFile(path, text, "root", "root", "0644", "none")


def _apply(old: Rendered, changed: tuple[ConfigFile, ...]) -> tuple[Step, ...]:
    texts = {file.path: file.text for file in changed}
    ran = statements(next((file.text for file in old.files if file.path == files.FRR), ""))
    resets = _sessions(ran) - _sessions(statements(texts.get(files.FRR, "")))
    links = _links(old, texts.get(files.INTERFACES, ""))
    routing: Impact = "daemon restart" if resets else "runtime"
    steps = [
        _do(f"apply {part}", "apply", impact, timeout_s, undo=True)
        for path, part, impact, timeout_s in _parts(links, routing)
        if path in texts
    ]
    if files.FRR in texts and _sessions(ran) and _NO_NEXTHOP_OBJECTS not in ran:
        steps.append(_do("apply relearn", "apply", "daemon restart", 30, undo=True))
    return tuple(steps)


def _links(old: Rendered, wanted: str) -> Impact:
    """What ifupdown2 does to links that are in use, line by line; a new port is nobody's yet."""
    held = next((file.text for file in old.files if file.path == files.INTERFACES), "")
    busy = used(held)
    found = (
        busy.impact(line.place, files.impact_of(files.INTERFACES, line.place))
        for _, lines in sections(held, wanted)
        for line in lines
    )
    return max(found, key=IMPACTS.index, default="none")


def _parts(links: Impact, routing: Impact) -> tuple[tuple[str, str, Impact, int], ...]:
    """File, part, impact and seconds, in the order in which they are applied.

    The management port is cut off the data before anything is forwarded, and ports come up
    before the sessions over them.
    """
    return (
        (files.NFTABLES, "nftables", "runtime", 30),
        (files.SYSCTL, "sysctl", "runtime", 30),
        (files.INTERFACES, "interfaces", links, 120),
        (files.QUEUES, "queues", "runtime", 60),
        (files.QUEUES_UNIT, "queues_unit", "none", 30),
        (files.DAEMONS, "daemons", "daemon restart", 120),
        (files.FRR, "frr", routing, 240),
        (files.LLDPD, "lldpd", "none", 30),
        (files.TIMESYNCD, "timesyncd", "none", 30),
        (files.RSYSLOG, "rsyslog", "none", 30),
    )


def _sessions(ran: list[str]) -> set[str]:
    """The BGP instance and its neighbours; where one goes, all sessions start anew."""
    return {one for one in ran if _SESSION.fullmatch(one)}


def _send(name: str, phase: Phase, file: ConfigFile) -> Step:
    return Step(name, phase, "", file, "", "", "none", 30)


def _do(words: str, phase: Phase, impact: Impact, timeout_s: int, undo: bool = False) -> Step:
    """A step that runs the device's half with these words; they name it too."""
    back = UNDO_COMMAND if undo else ""
    return Step(words, phase, f"{_SCRIPT} {words}", None, "", back, impact, timeout_s)


def described(held: Rendered, words: str) -> Rendered:
    """As the dialect's."""

    def change(text: str) -> str:
        made, found = _DESCRIBED.subn(rf"\g<1>{words}", text, count=1)
        if not found:
            raise nothing()
        return made

    return with_text(held, files.FRR, change)
