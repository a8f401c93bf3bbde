"""Sends what flows between nodes of a lab, past its own management network, while work is done.

The work may change the way by which nodes are logged in to; senders are started from the host, and
end by themselves once it lets go of them.
"""

from __future__ import annotations

import logging
import os
import secrets
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import validation
from deploy.errors import RailbedError
from deploy.lab.command import last_words
from deploy.lab.machines import machine
from validation.stages.s80_soak.work import ECHO_PORT, STREAM

from .flows import LONGEST_S, Flow, Watched, watched

LOG = logging.getLogger(__name__)
_SCRIPT = Path(validation.__file__).parent / "on_node" / STREAM
_END_S = 120.0  # what is counted at the end, on a host that has much to do
# A node that was rebooted meanwhile may have another process of that number.
_KILL = 'grep -qaF -- "$2" "/proc/$1/cmdline" && kill "$1"'


@dataclass
class Streams:
    """What flows: a process for each flow, and an echo on each node that answers."""

    lab: str
    flows: Sequence[Flow]
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    senders: list[subprocess.Popen[str]] = field(default_factory=list)
    echoes: dict[str, str] = field(default_factory=dict)
    hold: int | None = None

    def start(self) -> None:
        """RailbedError where a machine is off, or does not let its echo start."""
        addresses: dict[str, set[str]] = {}
        for one in self.flows:
            addresses.setdefault(one.receiver, set()).add(str(one.target))
        for name, mine in sorted(addresses.items()):
            self.echoes[name] = _echo(self.lab, name, self.token, mine)
        near, self.hold = os.pipe()
        try:
            for number, one in enumerate(self.flows):
                self.senders.append(_sender(self.lab, one, self.token, near, number))
        finally:
            os.close(near)

    def ended(self) -> tuple[Watched, ...]:
        """End all, and say what came of each flow that was started; nothing is raised."""
        if self.hold is not None:
            os.close(self.hold)  # the end of what they read: they stop, and count
        told = [_ended(one) for one in self.senders]
        for name, pid in self.echoes.items():
            _end_echo(self.lab, name, pid, self.token)
        return tuple(_watched(flow, *one) for flow, one in zip(self.flows, told, strict=False))


def started(lab: str, flows: Sequence[Flow]) -> Streams:
    """All of them flow, or none, and RailbedError, as `Streams.start`."""
    streams = Streams(lab, flows)
    try:
        streams.start()
    except BaseException:
        streams.ended()
        raise
    return streams


def _echo(lab: str, name: str, token: str, addresses: set[str]) -> str:
    """The number that its process has in the machine."""
    ask = ["serve", token, str(LONGEST_S), str(ECHO_PORT), *sorted(addresses)]
    try:
        told = machine.inside(lab, name, _python(*ask))
    except subprocess.TimeoutExpired as error:
        raise RailbedError(f"{name} has no echo after {error.timeout:g} s") from None
    if told.returncode:
        why = last_words(told.stderr.decode(errors="replace"), 1)
        raise RailbedError(f"{name} has no echo: {why}")
    return told.stdout.decode().strip()


def _end_echo(lab: str, name: str, pid: str, token: str) -> None:
    """One that cannot be ended ends by itself, and has answered what it could."""
    try:
        machine.inside(lab, name, ["sh", "-c", _KILL, "sh", pid, token])
    except (RailbedError, subprocess.TimeoutExpired) as error:
        LOG.warning("the echo of %s was not ended (%s)", name, type(error).__name__)


def _sender(lab: str, flow: Flow, token: str, ends: int, number: int) -> subprocess.Popen[str]:
    pid = machine.leader(lab, flow.sender)
    if pid is None:
        raise RailbedError(f"{flow.sender} is off")
    argv = machine.entering(pid, _python("watch", flow.ask(token, number)))
    return subprocess.Popen(
        argv, stdin=ends, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _python(*words: str) -> list[str]:
    return ["python3", "-c", _SCRIPT.read_text(encoding="utf-8"), *words]


def _ended(sender: subprocess.Popen[str]) -> tuple[str, str]:
    """What a sender printed, and why that is not all."""
    try:
        out, err = sender.communicate(timeout=_END_S)
    except subprocess.TimeoutExpired:
        sender.kill()
        sender.wait()
        return "", f"no end within {_END_S:g} s"
    return out, last_words(err, 1) if sender.returncode else ""


def _watched(flow: Flow, out: str, why: str) -> Watched:
    return Watched(flow, unknown=why) if why else watched(flow, out)
