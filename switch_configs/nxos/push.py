"""The steps from what a switch runs to what it shall run, by `configure replace`.

Cisco Nexus 9000 NX-OS System Management guide, "Performing Configuration Replace": the file is a
whole running configuration; with `commit-timeout` the switch goes back by itself unless
`configure replace commit` comes in time, and a restart loads the startup configuration, which is
written only after that. None of this was tried on a switch.
"""

from __future__ import annotations

import re

from switch_configs.errors import DialectError
from switch_configs.intent import ConfigFile, Impact, OobIntent, Phase, Rendered, Step, SwitchIntent
from switch_configs.policies import GRACEFUL_SHUTDOWN
from switch_configs.policies import policies as neutral_policies

from . import impacts, users
from .files import RUNNING
from .kept import HEADS
from .running import without_secrets

_CANDIDATE = "bootflash:railbed-candidate.cfg"
_CHECKPOINT = "railbed"
# `commit-timeout` takes these seconds.
_SHORTEST_S, _LONGEST_S = 30, 3600
_WORST: tuple[Impact, ...] = ("none", "runtime", "daemon restart", "link flap", "reload", "reboot")
_DONE = r"(?i)completed successfully|no.*(difference|change)"

PENDING_COMMAND = f"show checkpoint summary | include {_CHECKPOINT}"
UNDO_COMMAND = (
    f"rollback running-config checkpoint {_CHECKPOINT} atomic ; no checkpoint {_CHECKPOINT}"
)


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    """From old to new, in order; empty when nothing but secrets differs.

    The change is armed as it is applied: the switch goes back `window_s` seconds after, unless
    `confirm` came before. `DialectError` for a window that the switch does not take.
    """
    before, after = _text(old), _text(new)
    if without_secrets(before) == without_secrets(after):
        return ()
    if not _SHORTEST_S <= window_s <= _LONGEST_S:
        raise DialectError(
            f"{new.device}: a window of {window_s} s is not within {_SHORTEST_S} to {_LONGEST_S} s"
        )
    asked = before + after
    replace = f"configure replace {_CANDIDATE}"
    return (
        _send(after),
        _do("keep what is the switch's own", "stage", _keep(), "", 60),
        _do("keep its SNMP users", "stage", _keep_users(users.names(asked, new.device)), "", 60),
        _do("show the patch", "check", f"{replace} show-patch", "", 300),
        _do("verify the patch", "check", f"{replace} verify-only", _DONE, 300),
        _do("checkpoint", "checkpoint", f"checkpoint {_CHECKPOINT}", "", 120),
        Step(
            "replace, with a way back", "apply", f"{replace} commit-timeout {window_s}", None,
            _DONE, UNDO_COMMAND, _worst(before, after), 600,
        ),
        _do("confirm", "confirm", "configure replace commit", "", 120),
        _do("forget the way back", "confirm", f"no checkpoint {_CHECKPOINT}", "", 60),
        _do("save", "save", "copy running-config startup-config", r"(?i)complete|100%", 300),
    )  # fmt: skip


def _text(rendered: Rendered) -> str:
    return next((file.text for file in rendered.files if file.path == RUNNING), "")


def _send(text: str) -> Step:
    file = ConfigFile(_CANDIDATE, text, "network-admin", "network-admin", "0600", "none")
    return Step("send the configuration", "stage", "", file, "", "", "none", 120)


def _keep() -> str:
    """Appends the stanzas of the switch itself: a replace would else take them away."""
    stanzas = "|".join(f"^{one}" for one in (*HEADS, "banner"))
    return f'show running-config | section "{stanzas}" >> {_CANDIDATE}'


def _keep_users(names: tuple[str, ...]) -> str:
    """The same for SNMP users that `running` leaves out: without them their logins would go.

    NX-OS takes more than one filter in a line (Cisco Nexus 9000 NX-OS Fundamentals guide).
    """
    but = f' | exclude "^snmp-server user ({"|".join(names)}) "' if names else ""
    return f'show running-config | include "^snmp-server user "{but} >> {_CANDIDATE}'


def _do(name: str, phase: Phase, command: str, expect: str, timeout_s: int) -> Step:
    return Step(name, phase, command, None, expect, "", "none", timeout_s)


def _worst(before: str, after: str) -> Impact:
    """The worst of what changes, stanza by stanza."""
    old, new = _stanzas(before), _stanzas(after)
    found: set[Impact] = set()
    for top in {*old, *new}:
        held, wanted = old.get(top), new.get(top)
        if held is None or wanted is None:
            found.add(impacts.of_stanza(f"no {top}" if wanted is None else top))
        elif held != wanted:
            gone = tuple(f"no {one}" for one in held if one not in wanted)
            come = tuple(one for one in wanted if one not in held)
            found.add(impacts.of_change(top, (*gone, *come)))
    return max(found, key=_WORST.index, default="runtime")


def _stanzas(text: str) -> dict[str, tuple[str, ...]]:
    """The lines below each top-level line, in their order."""
    out: dict[str, tuple[str, ...]] = {}
    top = ""
    for line in without_secrets(text).splitlines():
        if not line.strip() or line.startswith("!"):
            continue
        if line[0].isspace():
            out[top] = (*out.get(top, ()), line.strip())
        else:
            top = line
            out.setdefault(top, ())
    return out


def drain_command(intent: SwitchIntent | OobIntent, drained: bool) -> str:
    """Marks what is sent, in every policy out and for the process, or takes it back.

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
    return " ; ".join(lines)
