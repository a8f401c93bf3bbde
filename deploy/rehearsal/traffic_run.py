"""Sends what flows between nodes of a lab, past its own management network, while work is done.

The work may change the way by which nodes are logged in to; senders are started from the host, and
end by themselves once it lets go of them.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import validation
from deploy.errors import RailbedError
from deploy.lab.command import last_words
from deploy.lab.machines import machine
from validation.stages.s80_soak.work import ECHO_PORT, STREAM

from .flows import LONGEST_S, Flow, Watched, watched

Done = TypeVar("Done")
_SCRIPT = Path(validation.__file__).parent / "on_node" / STREAM
_END_S = 120.0  # what is counted at the end, on a host that has much to do


def during(
    lab: str, flows: Sequence[Flow], work: Callable[[], Done]
) -> tuple[Done, tuple[Watched, ...]]:
    """What `work` returns, and what came of the flows meanwhile.

    RailbedError where a machine is off, or does not let its echo start.
    """
    token, senders = secrets.token_hex(8), list[subprocess.Popen[str]]()
    near, far = os.pipe()
    with _echoes(lab, flows, token):
        try:
            try:
                senders += (_sender(lab, one, token, near, n) for n, one in enumerate(flows))
            finally:
                os.close(near)
            done = work()
        finally:
            os.close(far)  # the end of what they read: they stop, and count
            told = [_ended(one) for one in senders]
    found = (_watched(flow, *one) for flow, one in zip(flows, told, strict=True))
    return done, tuple(found)


@contextmanager
def _echoes(lab: str, flows: Sequence[Flow], token: str) -> Iterator[None]:
    addresses: dict[str, set[str]] = {}
    for one in flows:
        addresses.setdefault(one.receiver, set()).add(str(one.target))
    pids: dict[str, str] = {}
    try:
        for name, mine in sorted(addresses.items()):
            ask = ["serve", token, str(LONGEST_S), str(ECHO_PORT), *sorted(mine)]
            told = machine.inside(lab, name, _python(*ask))
            if told.returncode:
                why = last_words(told.stderr.decode(errors="replace"), 1)
                raise RailbedError(f"{name} has no echo: {why}")
            pids[name] = told.stdout.decode().strip()
        yield
    finally:
        for name, pid in pids.items():
            if machine.leader(lab, name) is not None:
                machine.inside(lab, name, ["kill", pid])


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
