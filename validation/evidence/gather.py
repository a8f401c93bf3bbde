"""Gathering: one script per device and trip, and the reading of what it sends back.

The script reads the device's identity, runs each command under its own timeout into
files, and prints them by byte length between a nonce that no command knows. So an output
that looks like a frame is only bytes of the frame it is in.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from inventory.plan import Plan
from inventory.reading.one_program import is_one_program
from inventory.visible import one_line
from switch_configs import cli
from switch_configs.answers import typed
from switch_configs.errors import DialectError
from switch_configs.intent import Cli
from switch_configs.shown.said import said

from .identity import line
from .store import Frame, Identity
from .trust import utc_now

LOG = logging.getLogger(__name__)
COMMAND_TIMEOUT_S = 15.0
CONNECT_S = 20.0
WORKERS = 32
_ERROR_BYTES = 4096
_OUTPUT_BLOCKS = 131072  # ulimit -f counts 512-byte blocks (POSIX): 64 MiB for one answer
_AT_ONCE = 16  # answers that are measured and told in one go: four processes less for each
_SECONDS = re.compile(r"[0-9]{1,11}")  # since 1970; of some thousand years
_HEAD = re.compile(rb"(\d{1,6}) (\d{1,3}) (\d{1,12}) ([0-9a-f]{64}) (\d{1,12})\n")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a transport brought back. `error` is empty when the script ran to its end."""

    stdout: bytes
    exit_status: int | None
    error: str

    def __post_init__(self) -> None:
        """It holds what the device or the way to it said, and stands in lines of ours."""
        object.__setattr__(self, "error", one_line(said(self.error)))


class Transport(Protocol):
    """A way to run a POSIX shell script on a device. Safe to call from many threads.

    Of a device with a command line and no shell, `script` is lines for that, and what comes back
    is as `switch_configs.answers.typed` says, with no secret of its configuration.
    """

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        """Run `script` with `sh`; never raises for what a device or network does."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing to ask a device: `command` names the frame, `shell` is what runs or is typed."""

    command: str
    shell: str
    timeout_s: float = COMMAND_TIMEOUT_S

    @classmethod
    def line(cls, command: str) -> Ask:
        """A command that is its own name."""
        return cls(command, command)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The frames of some trips, and why devices (or parts of them) did not answer."""

    frames: tuple[Frame, ...]
    errors: Mapping[str, str]


# Without its first line, which is for shellcheck.
_MAKER = Path(__file__).parents[1] / "on_node/maker.sh"
MAKER = _MAKER.read_text(encoding="utf-8").split("\n", 1)[1]
_LIMITS = f"blocks={_OUTPUT_BLOCKS}; errors={_ERROR_BYTES}; at_once={_AT_ONCE}\n"
_START = (
    _LIMITS
    + """\
set -u
umask 077
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
LC_ALL=C.UTF-8
VTYSH_HISTFILE=/dev/null
export PATH LC_ALL VTYSH_HISTFILE
"""
    + MAKER
    + """\
RAILBED_TMP=$(mktemp -d "$tmp/$mine.XXXXXXXXXX") || exit 97
export RAILBED_TMP
trap 'rm -rf "$RAILBED_TMP"' EXIT
trap 'exit 98' HUP INT TERM
frame() {
  number=$1; seconds=$2; shift 2
  slot=$((slot + 1))
  (ulimit -f $blocks; if [ $# -gt 1 ]; then eval "exec timeout -k 2 $seconds $1"; fi
   exec timeout -k 2 "$seconds" sh -c "$1") \\
    </dev/null >"$RAILBED_TMP/out$slot" 2>"$RAILBED_TMP/err"
  status=$?
  why=0
  if [ -s "$RAILBED_TMP/err" ]; then
    head -c $errors "$RAILBED_TMP/err" >"$RAILBED_TMP/why$slot"
    why=$(wc -c <"$RAILBED_TMP/why$slot")
  fi
  printf '%s\\n' "$number $status $why" >>"$RAILBED_TMP/told"
  outs="$outs out$slot"
  if [ "$slot" -ge $at_once ]; then answer; fi
}
answer() {
  if [ "$slot" -eq 0 ]; then return; fi
  (cd "$RAILBED_TMP" && sha256sum $outs >sums && wc -c $outs >lengths)
  slot=0; set --
  while read -r number status why && read -r sum _ <&3 && read -r out _ <&4; do
    slot=$((slot + 1))
    if [ "$slot" -gt 1 ]; then echo; fi >"$RAILBED_TMP/head$slot"
    printf '%d %d %d %s %d\\n' "$number" "$status" "$out" "$sum" "$why" >>"$RAILBED_TMP/head$slot"
    set -- "$@" "$RAILBED_TMP/head$slot"
    if [ "$out" -gt 0 ]; then set -- "$@" "$RAILBED_TMP/out$slot"; fi
    if [ "$why" -gt 0 ]; then set -- "$@" "$RAILBED_TMP/why$slot"; fi
  done <"$RAILBED_TMP/told" 3<"$RAILBED_TMP/sums" 4<"$RAILBED_TMP/lengths"
  cat "$@"
  echo
  : >"$RAILBED_TMP/told"
  slot=0; outs=
}
slot=0; outs=
"""
)


def script(
    asks: Sequence[Ask],
    management_port: str,
    nonce: str,
    files: Mapping[str, str] | None = None,
) -> str:
    """The POSIX sh script of one trip: identity first (`who.py`), then every ask in order.

    `files` are laid into $RAILBED_TMP before, and gone after, the trip.
    """
    parts = [_START, *(_file(name, text) for name, text in sorted((files or {}).items()))]
    parts.append(f"printf '%s\\n' begin-{nonce}\n")
    for number, (shell, seconds) in enumerate(
        [
            (line(management_port), COMMAND_TIMEOUT_S),
            *((ask.shell, ask.timeout_s) for ask in asks),
        ]
    ):
        alone = " alone" if is_one_program(shell) else ""
        parts.append(f"frame {number} {seconds:g} {shlex.quote(shell)}{alone}\n")
    parts.append(f"answer\nprintf '%s\\n' end-{nonce}\n")
    return "".join(parts)


def _file(name: str, text: str) -> str:
    return f"printf '%s' {shlex.quote(text)} >\"$RAILBED_TMP\"/{shlex.quote(name)}\n"


@dataclass(frozen=True, slots=True)
class _Part:
    status: int
    sha256: str
    length: int
    out: bytes
    errors: str


def parts(stdout: bytes, nonce: str) -> tuple[tuple[_Part, ...], str]:
    """The answers in order, identity first, and what is wrong (empty: all came whole)."""
    begin, end = f"begin-{nonce}\n".encode(), f"end-{nonce}\n".encode()
    at = stdout.find(begin)
    if at < 0:
        return (), "the script did not begin"
    at += len(begin)
    found: list[_Part] = []
    while not stdout.startswith(end, at):
        head = _HEAD.match(stdout, at)
        if not head or int(head[1]) != len(found):
            return tuple(found), "the trip was cut short"
        middle = head.end() + int(head[3])
        stop = middle + int(head[5])
        if stdout[stop : stop + 1] != b"\n":
            return tuple(found), "the trip was cut short"
        errors = stdout[middle:stop].decode("utf-8", "backslashreplace")
        out = stdout[head.end() : middle]
        found.append(_Part(int(head[2]), head[4].decode(), int(head[3]), out, errors))
        at = stop + 1
    return tuple(found), ""


def _identity(part: _Part) -> Identity | None:
    lines = part.out.decode("utf-8", "replace").split("\n")
    if part.status != 0 or len(lines) != 5 or not _SECONDS.fullmatch(lines[3]):
        return None
    hostname, mac, boot_id, clock_s, _ = lines
    return Identity(hostname, mac, boot_id, int(clock_s))


def _measured(part: _Part) -> tuple[int, int, str, bytes, str]:
    return part.status, part.length, part.sha256, part.out, part.errors


def frames(
    reply: Reply, device: str, asks: Sequence[Ask], nonce: str, digest: str, time: datetime
) -> tuple[tuple[Frame, ...], str]:
    """A reply as frames; the second value says why some or all are missing."""
    answers, wrong = parts(reply.stdout, nonce)
    if not answers:
        return (), reply.error or wrong
    who = _identity(answers[0])
    if who is None:
        why = one_line(said(answers[0].errors.strip()))
        return (), f"the device did not identify itself: {why}"
    made = tuple(
        Frame(device, ask.command, digest, time, who, *_measured(one))
        for ask, one in zip(asks, answers[1:], strict=False)
    )
    whole = len(made) == len(asks) == len(answers) - 1 and not wrong
    return made, "" if whole else reply.error or wrong or "the answers are not the questions"


def management_port(plan: Plan, device: str) -> str:
    """The port whose MAC is a device's identity."""
    if device == plan.oob.name:
        return plan.oob.access_port
    owner = plan.any_switch.get(device) or plan.node[device]
    return owner.management.port


Spoken = tuple[Cli, str]
"""How a device is spoken to, and its management port."""


def _questions(to: Spoken, asks: Sequence[Ask]) -> list[str]:
    """Who it is, since when it runs, and what is asked."""
    spoken, port = to
    return [spoken.ask_identity(port), spoken.looks.ask_boot, *(ask.shell for ask in asks)]


def _typed_frames(
    reply: Reply, device: str, asks: Sequence[Ask], to: Spoken, digest: str, time: datetime
) -> tuple[tuple[Frame, ...], str]:
    """As `frames`, of lines that were typed."""
    spoken, _ = to
    answers = list(typed.told(_questions(to, asks), typed.decoded(reply.stdout)))
    if len(answers) < 2:
        return (), reply.error or "the device did not answer"
    whose, since, *rest = answers
    try:
        who = Identity(*spoken.identity(whose.out), *spoken.looks.boot(since.out))
    except DialectError as error:
        why = one_line(said(whose.why or since.why)) or "; ".join(
            filter(None, (error.message, error.hint))
        )
        return (), f"the device did not identify itself: {why}"
    parts = ((one.status, one.out.encode(), one.why) for one in rest)
    made = tuple(
        Frame(
            device,
            ask.command,
            digest,
            time,
            who,
            status,
            len(out),
            hashlib.sha256(out).hexdigest(),
            out,
            why,
        )
        for ask, (status, out, why) in zip(asks, parts, strict=False)
    )
    return made, "" if len(made) == len(asks) else reply.error or "the trip was cut short"


def one_trip(
    plan: Plan,
    transport: Transport,
    device: str,
    asks: Sequence[Ask],
    files: Mapping[str, str] | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> tuple[tuple[Frame, ...], str]:
    """Ask one device everything in one trip; see `frames`."""
    nonce = secrets.token_hex(16)
    dialect = plan.any_switch[device].dialect if device in plan.any_switch else ""
    port = management_port(plan, device)
    spoken = cli(dialect) if dialect else None
    to = (spoken, port) if spoken else None
    text = typed.script(_questions(to, asks)) if to else script(asks, port, nonce, files)
    limit_s = CONNECT_S + COMMAND_TIMEOUT_S + sum(ask.timeout_s + 3 for ask in asks)
    began, asked_s = clock(), time.monotonic()
    reply = transport.run(device, text, limit_s)
    programs = " ".join(sorted({ask.command.split()[0] for ask in asks if ask.command.split()}))
    size, took_s = len(reply.stdout), time.monotonic() - asked_s
    told = (device, len(asks), programs, size, reply.exit_status, took_s)
    LOG.debug("%s: asked %d lines (%s): %d bytes, status %s, %.2f s", *told)
    if to:
        return _typed_frames(reply, device, asks, to, plan.digest, began)
    return frames(reply, device, asks, nonce, plan.digest, began)


def gather(
    plan: Plan,
    transport: Transport,
    wanted: Mapping[str, Sequence[Ask]],
    files: Mapping[str, str] | None = None,
    workers: int = WORKERS,
    clock: Callable[[], datetime] = utc_now,
) -> Gathered:
    """One trip to each device of `wanted`, at most `workers` at once."""
    devices = sorted(device for device, asks in wanted.items() if asks)
    if not devices:
        return Gathered((), {})
    with ThreadPoolExecutor(max_workers=min(workers, len(devices))) as pool:
        trips = pool.map(
            lambda one: one_trip(plan, transport, one, wanted[one], files, clock), devices
        )
        done = dict(zip(devices, trips, strict=True))
    found = tuple(frame for device in devices for frame in done[device][0])
    return Gathered(found, {device: done[device][1] for device in devices if done[device][1]})
