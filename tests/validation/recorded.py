"""Recorded runs, and a transport that answers from one, for tests without any device."""

from __future__ import annotations

import hashlib
import re
import shlex
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from inventory import open_site
from inventory.plan import Plan
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore, Frame
from validation.judging.gate import GateDecision, decide
from validation.run import ValidationResult, validate

EVIDENCE = Path(__file__).parents[1] / "evidence"
RUNS = EVIDENCE / "linux_frr"
# The runs are of switches and cables; a network namespace has no units, files or packages.
NOT_RECORDED = frozenset({25, 30})


@cache
def lab() -> Plan:
    """The plan under which the runs were recorded, in content; digests may have moved on."""
    return open_site("lab")


def everything() -> frozenset[str]:
    """The devices of the lab that were recorded: all but the OOB server."""
    return frozenset(lab().devices) - {lab().oob.name}


def recorded(
    name: str, change: Callable[[Frame], Frame | None] = lambda frame: frame
) -> EvidenceStore:
    """A recorded run as if gathered for today's plan digest, each frame passed by `change`."""
    loaded = EvidenceStore.load(RUNS / name)
    assert not loaded.problems
    store = EvidenceStore()
    frames = (change(replace(frame, plan_digest=lab().digest)) for frame in loaded)
    store.add(frame for frame in frames if frame is not None)
    return store


def judged(store: EvidenceStore, through: int = 40) -> ValidationResult:
    """The verdicts of saved evidence alone."""
    return validate(lab(), through, store, None, everything(), leave_out=NOT_RECORDED)


def gated(result: ValidationResult) -> GateDecision:
    """A gate that requires everything."""
    return decide(result, [one.expectation for one in result.findings])


class Replay:
    """A transport: devices that answer as recorded, by running the script's words.

    It reads the script of a trip as a shell would where it matters: `frame N SECONDS LINE`.
    Devices in `silent` do not answer.
    """

    def __init__(self, name: str, silent: tuple[str, ...] = ()) -> None:
        self.store = recorded(name)
        self.silent = silent
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        if device in self.silent:
            return Reply(b"", 255, "ssh: connect to host port 22: No route to host")
        body = script[script.index("begin-") :]
        nonce = re.search(r"begin-([0-9a-f]+)", body)
        assert nonce
        words = [shlex.split(line) for line in _logical(body) if line.startswith("frame ")]
        lines = [one[3] for one in words]
        self.asked.append((device, tuple(lines[1:])))
        out = f"begin-{nonce[1]}\n".encode() + self._identity(device)
        for number, line in enumerate(lines[1:], 1):
            out += self._answer(device, number, line)
        return Reply(out + f"end-{nonce[1]}\n".encode(), 0, "")

    def _identity(self, device: str) -> bytes:
        who = next(frame for frame in self.store if frame.device == device).identity
        told = (who.hostname, who.mac, who.boot_id, int(time.time()))
        return _part(0, 0, "".join(f"{one}\n" for one in told).encode())

    def _answer(self, device: str, number: int, line: str) -> bytes:
        frame = self.store.get(device, line)
        if frame is None:
            return _part(number, 127, b"")
        return _part(number, frame.exit_status, frame.payload)


def _logical(body: str) -> list[str]:
    """Lines of the script, a quoted newline kept inside its line."""
    lines: list[str] = []
    for line in body.split("\n"):
        if lines and lines[-1].count("'") % 2:
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    return lines


def _part(number: int, status: int, out: bytes) -> bytes:
    digest = hashlib.sha256(out).hexdigest()
    return f"{number} {status} {len(out)} {digest} 0\n".encode() + out + b"\n"
