"""The steps from what a switch runs to what it shall run, by `configure replace`.

Cisco Nexus 9000 NX-OS System Management guide, "Performing Configuration Replace": the switch works
out the commands that lead from what runs to a file that is a whole running configuration; with
`commit-timeout` (30 to 3600 s) it goes back by itself unless `configure replace commit` comes in
time. The startup file is written after that only, so a restart leads back as well.

By default, "atomic", it also goes back at once where what runs afterwards is not the file, letter
for letter. It never is: secrets are shown in another form than they are given. So it is told
`best-effort` (9.3(1) and later), which takes what it can and leaves the judgement to us: what runs
is read back and compared by its meaning before it is confirmed. Commands are lines of the CLI.
"""

from __future__ import annotations

import re

from switch_configs.described import block_described, block_shut, with_text
from switch_configs.errors import DialectError
from switch_configs.idle import used
from switch_configs.intent import (
    ConfigFile,
    Impact,
    OobIntent,
    Rendered,
    Step,
    SwitchIntent,
    typed_step,
)
from switch_configs.policies import GRACEFUL_SHUTDOWN
from switch_configs.policies import policies as neutral_policies

from . import files, impacts
from .cli import CANDIDATE, COMMIT, FORGET_FILE, SUMMARY, new_name, undo
from .running import without_secrets

_SHORTEST_S, _LONGEST_S = 30, 3600
RELOAD_S = 180
"""How long a replace may take. One of 14 commands took 13 s (recorded of a Nexus 9000v, 9.3(1))."""
_DATA_PORT = re.compile(r"interface Ethernet\S+$")
_WORST: tuple[Impact, ...] = ("none", "runtime", "daemon restart", "link flap", "reload", "reboot")
_VALID = r"(?i)patch validation completed success"
_DONE = r"(?i)configure replace completed success"
_SAVED = r"(?i)copy complete"


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    """From old to new, in order; empty when nothing but secrets differs.

    The change is armed as it is applied: the switch goes back unless `confirm` came before. Whether
    its timer begins with the replace or after it nobody says, so it is longer than `window_s` by
    what that may take. `DialectError` for a window that the switch does not take.
    """
    before, after = _text(old), _text(new)
    save = typed_step("save", "save", "copy running-config startup-config", 300, _SAVED)
    if _stanzas(before) == _stanzas(after):  # wherever the switch sets them
        return (save,) if any(one.path == files.UNSAVED_FILE for one in old.files) else ()
    if not _SHORTEST_S <= window_s <= _LONGEST_S:
        raise DialectError(
            f"{new.device}: a window of {window_s} s is not within {_SHORTEST_S} to {_LONGEST_S} s"
        )
    timer_s = min(window_s + RELOAD_S, _LONGEST_S)
    name = new_name()
    back = undo((name,))
    candidate = ConfigFile(CANDIDATE, after, "", "", "0600", "none")
    replace = f"configure replace {CANDIDATE}"
    forget = f"no checkpoint {name}"
    return (
        Step("load", "stage", "", candidate, "", FORGET_FILE, "none", 120, keeps=True),
        typed_step("verify the patch", "check", f"{replace} verify-only", 300, _VALID),
        typed_step("checkpoint", "checkpoint", f"checkpoint {name}", 120, undo=forget),
        typed_step("arm", "arm", SUMMARY, 30, rf"{name}:", undo=forget),
        typed_step(
            "replace, with a way back", "apply",
            f"{replace} best-effort commit-timeout {timer_s}", 600, _DONE,
            impact=_worst(before, after), undo=back,
        ),
        typed_step("confirm", "confirm", COMMIT, 120, undo=back),
        typed_step("forget the way back", "confirm", f"{forget}\n{FORGET_FILE}", 60),
        save,
    )  # fmt: skip


def _text(rendered: Rendered) -> str:
    return next((file.text for file in rendered.files if file.path == files.RUNNING), "")


def _worst(before: str, after: str) -> Impact:
    """The worst of what changes, stanza by stanza."""
    old, new, busy = _stanzas(before), _stanzas(after), used(before)
    found: set[Impact] = set()
    for top in {*old, *new}:
        held, wanted = old.get(top), new.get(top)
        if held is None or wanted is None:
            whole = impacts.of_stanza(f"no {top}" if wanted is None else top)
            found.add(busy.impact((top,), whole))
        elif held != wanted:
            gone = tuple(f"no {one.strip()}" for one in held if one not in wanted)
            come = tuple(one.strip() for one in wanted if one not in held)
            found.add(busy.impact((top,), impacts.of_change(top, (*gone, *come))))
    return max(found, key=_WORST.index, default="runtime")


def _stanzas(text: str) -> dict[str, tuple[str, ...]]:
    """The lines below each top-level line, in their order."""
    out: dict[str, tuple[str, ...]] = {}
    top = ""
    for line in without_secrets(text).splitlines():
        if not line.strip() or line.startswith("!"):
            continue
        if line[0].isspace():
            out[top] = (*out.get(top, ()), line)
        else:
            top = line
            out.setdefault(top, ())
    return out


def drain_command(intent: SwitchIntent | OobIntent, drained: bool) -> str:
    """Lines that mark what is sent, in every policy out and for the process, or take it back.

    NX-OS sends GRACEFUL_SHUTDOWN by itself only where no policy out says otherwise (Unicast
    Routing guide, "BGP Graceful Shutdown"), so the policies say it too.
    """
    if isinstance(intent, OobIntent):
        raise DialectError(f"{intent.switch.name}: a switch of the OOB plane routes nothing")
    word = "" if drained else "no "
    lines = ["configure terminal"]
    for policy in neutral_policies(intent.switch):
        if not policy.is_in and policy.permits:
            lines.append(f"route-map {policy.name} permit 20")
            lines.append(f"{word}set community {GRACEFUL_SHUTDOWN} additive")
    lines += [f"router bgp {intent.switch.asn}", f"{word}graceful-shutdown activate", "end"]
    if not all(re.fullmatch(r"[\w .:-]+", line) for line in lines):
        raise DialectError(f"{intent.switch.name}: its policies have no plain names")
    return "\n".join(lines)


def described(held: Rendered, words: str) -> Rendered:
    """As the dialect's."""
    line = f"  description {words}"
    return with_text(held, files.RUNNING, lambda text: block_described(text, _DATA_PORT, line))


def shut(held: Rendered, port: str) -> Rendered:
    """As the dialect's."""
    head, line = f"interface {port}", "  shutdown"
    return with_text(held, files.RUNNING, lambda text: block_shut(text, head, line))
