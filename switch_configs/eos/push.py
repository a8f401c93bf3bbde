"""The steps from what a switch runs to what it shall run.

One configuration session holds the whole: it starts empty (`rollback clean-config`), reads the
candidate as one text, is shown against what runs, and is committed under a timer. A refused line
ends the copy of no other, so it ends the push. Over a new connection it is made sure that this
timer still runs; a second commit confirms, and the startup file is written after that only, so the
timer and a restart both lead back. (EOS User Manual, Configure Session; the order of commands is
that of napalm's EOS driver.) Commands are lines of the CLI.
"""

from __future__ import annotations

import re
from secrets import token_hex

from switch_configs.described import block_described, block_shut, with_text
from switch_configs.errors import DialectError
from switch_configs.idle import used
from switch_configs.intent import (
    ConfigFile,
    Impact,
    Rendered,
    Step,
    SwitchIntent,
    typed_step,
)
from switch_configs.policies import policies

from . import files, policy_view
from .running import in_order, statements
from .sessions import SESSIONS

_SHORTEST_WINDOW_S = 10
_LONGEST_WINDOW_S = 86399
_CHECKPOINT = "flash:railbed-checkpoint"
_COPIED = "Copy completed successfully"

# What a changed line does to traffic; a line is its path in the configuration.
_PORT = r"interface (Ethernet|Port-Channel)[^ ]* / (no )?"
_RULES: tuple[tuple[re.Pattern[str], Impact], ...] = (
    (re.compile(r"service routing protocols model "), "reboot"),
    (re.compile(rf"{_PORT}(speed|error-correction)\b"), "link flap"),
    (re.compile(rf"{_PORT}(switchport$|channel-group|mlag|shutdown)"), "link flap"),
    (re.compile(r"mlag configuration"), "link flap"),
    (re.compile(r"router bgp \d+$"), "daemon restart"),
    (re.compile(r"router bgp \d+ / (vrf [^ ]+$|(vrf [^ ]+ / )?router-id )"), "daemon restart"),
    (re.compile(r"router bgp .* description "), "none"),
    (
        re.compile(r"router bgp .*neighbor .*(remote-as|peer group|timers|next-hop|activate)"),
        "daemon restart",
    ),
    (
        re.compile(r"interface (Ethernet|Port-Channel|Loopback|Vlan)[^ ]* / (vrf|ip addr|ipv6 en)"),
        "daemon restart",
    ),
    (re.compile(r"interface .* / description |hostname |logging |ntp |snmp-server "), "none"),
    (re.compile(r"tacacs-server |aaa |management |lldp |no snmp-server "), "none"),
)
_DATA_PORT = re.compile(r"interface Ethernet\S+$")
_WORST: tuple[Impact, ...] = (
    "reboot", "reload", "link flap", "daemon restart", "runtime", "none",
)  # fmt: skip


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    """From old to new, in order; empty when nothing differs.

    The switch goes back by itself `window_s` seconds after `apply`, and at a restart, unless
    `confirm` came before. `DialectError` for a window that EOS does not take.
    """
    held, wanted = _text(old), _text(new)
    marks = {file.path for file in old.files}
    save = typed_step("save", "save", "write memory", 60, _COPIED)
    if files.PENDING_FILE not in marks and _same(held, wanted):
        return (save,) if files.UNSAVED_FILE in marks else ()
    if not _SHORTEST_WINDOW_S <= window_s <= _LONGEST_WINDOW_S:
        raise DialectError(
            f"a window of {window_s} s is not within {_SHORTEST_WINDOW_S} to {_LONGEST_WINDOW_S} s"
        )
    name = f"railbed-{token_hex(4)}"  # EOS enters no session again that it has completed
    undo = f"configure session {name} abort"
    # Without its last line, for the switch's own users come after it.
    text = wanted.removesuffix("end\n")
    candidate = ConfigFile(name, text, "", "", "", "none")
    clock = f'"commitTimerSessionName": ?"{name}"'
    waits = f'"{name}": ?{{'
    return (
        Step("load", "stage", "", candidate, "", undo, "none", 240, keeps=True),
        typed_step("show the difference", "check", f"show session-config named {name} diffs", 120),
        typed_step("checkpoint", "checkpoint", f"copy running-config {_CHECKPOINT}", 60, _COPIED),
        typed_step("arm", "arm", SESSIONS, 30, waits, undo=undo),
        typed_step(
            "apply", "apply", f"configure session {name} {_commit(window_s)}", 240,
            impact=impact_of(held, wanted), undo=undo,
        ),
        typed_step("its timer runs", "confirm", SESSIONS, 30, clock, undo=undo),
        typed_step("confirm", "confirm", f"configure session {name} commit", 60, undo=undo),
        save,
    )  # fmt: skip


def _text(rendered: Rendered) -> str:
    return next((file.text for file in rendered.files if file.path == files.STARTUP), "")


def _same(held: str, wanted: str) -> bool:
    return statements(held) == statements(wanted) and in_order(held) == in_order(wanted)


def _commit(window_s: int) -> str:
    hours, rest = divmod(window_s, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"commit timer {hours:02}:{minutes:02}:{seconds:02}"


def impact_of(held: str, wanted: str) -> Impact:
    """The worst that any changed line does to traffic."""
    before, after, busy = set(statements(held)), set(statements(wanted)), used(held)
    found = {busy.impact(tuple(one.split(" / ")), _impact(one)) for one in before ^ after}
    return next((one for one in _WORST if one in found), "none")


def _impact(statement: str) -> Impact:
    return next((impact for pattern, impact in _RULES if pattern.match(statement)), "runtime")


def impact_at(where: tuple[str, ...]) -> Impact:
    """The worst that a change at this place does; `where` are its lines, outermost first."""
    where = tuple(one.removeprefix("no ") for one in where)
    if len(where) == 1 and re.match(r"interface (Ethernet|Port-Channel)[^.]*$", where[0]):
        return "link flap"
    if len(where) == 1 and where[0].startswith(("interface ", "router bgp ")):
        return "daemon restart"
    return _impact(" / ".join(where)) if where else "runtime"


def drain_command(intent: SwitchIntent, drained: bool) -> str:
    """Lines that put GRACEFUL_SHUTDOWN on all that is announced, or take it off again."""
    outs = tuple(policy for policy in policies(intent.switch) if not policy.is_in)
    word = "" if drained else "no "
    lines = ["configure"]
    for entry in policy_view.entries(outs):
        if entry.action == "permit":
            lines.append(f"route-map {entry.policy} permit {entry.sequence}")
            lines.append(f"{word}set community GSHUT additive")
    return "\n".join((*lines, "end"))


def described(held: Rendered, words: str) -> Rendered:
    """As the dialect's."""
    line = f"   description {words}"
    return with_text(held, files.STARTUP, lambda text: block_described(text, _DATA_PORT, line))


def shut(held: Rendered, port: str) -> Rendered:
    """As the dialect's."""
    head, line = f"interface {port}", "   shutdown"
    return with_text(held, files.STARTUP, lambda text: block_shut(text, head, line))
