"""Runs a plan's probes over a transport: one responder per node, bounded, cleaned up."""

from __future__ import annotations

import json
import secrets
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import validation
from inventory.plan import Plan
from validation.evidence.gather import WORKERS, Ask, Gathered, Transport, gather
from validation.evidence.store import EvidenceStore, Frame
from validation.probes.planned import FIRST_SOURCE_PORT, RESPONDER_PORT, Probe

SCRIPT = Path(validation.__file__).parent / "on_node" / "df_probe.py"
# Without site-packages: a node's own take longer to find than all else that the program does.
_RUN = 'python3 -IS "$RAILBED_TMP/df_probe.py"'
# What each probe has come to, once all of a node are done: a process a probe would cost more
# of the node's time than its packets.
_SHOW = 'cat "$RAILBED_TMP/probe-{n}.err" >&2; cat "$RAILBED_TMP/probe-{n}"'
_STOP = (
    "if tr '\\0' '\\n' <\"/proc/{pid}/cmdline\" 2>/dev/null | grep -qx {token}; then kill {pid}; fi"
)
_START_S = 15
_PROBE_S = 8
_SOURCE_PORT_S = 0.02  # at worst: three tries, two sizes, the gap between packets


@dataclass(frozen=True)
class ProbeRun:
    """What a run left in the store, and why devices took no part in it."""

    frames: int
    errors: Mapping[str, str]


def run(
    plan: Plan,
    probes: Iterable[Probe],
    transport: Transport,
    store: EvidenceStore,
    workers: int = WORKERS,
) -> ProbeRun:
    """Start responders, send, stop; the senders' results go into the store as evidence.

    A probe to a node whose responder did not start is not sent: no result is
    inconclusive, a result without responder would look like a lost path.
    """
    todo = tuple(sorted(probes))
    token = secrets.token_hex(8)
    files = {SCRIPT.name: SCRIPT.read_text()}
    started = gather(plan, transport, _serve(todo, token, workers), files, workers)
    pids = {frame.device: int(frame.payload) for frame in started.frames if _is_started(frame)}
    try:
        asks = _send([probe for probe in todo if probe.receiver in pids], token)
        sent = gather(plan, transport, asks, files, workers)
    finally:
        stopped = gather(plan, transport, _stop(pids, token), files, workers)
    errors = _errors(started, sent, stopped, pids)
    asked = {probe.command for probe in todo}
    kept = [frame for frame in sent.frames if frame.command in asked]
    store.add(kept)
    store.silent.update(errors)
    store.save()
    return ProbeRun(len(kept), errors)


def _is_started(frame: Frame) -> bool:
    return frame.exit_status == 0 and frame.payload.strip().isdigit()


def _serve(probes: tuple[Probe, ...], token: str, workers: int) -> dict[str, list[Ask]]:
    addresses: dict[str, set[str]] = {}
    senders: dict[str, float] = {}
    for probe in probes:
        addresses.setdefault(probe.receiver, set()).add(str(probe.target))
        senders[probe.sender] = senders.get(probe.sender, 0) + _limit_s(probe)
    rows = -(-len(senders) // workers)
    life_s = int((_START_S + max(senders.values(), default=0)) * rows)
    return {
        node: [
            Ask("serve", f"{_RUN} serve {token} {life_s} {RESPONDER_PORT} {' '.join(sorted(mine))}")
        ]
        for node, mine in addresses.items()
    }


def _limit_s(one: Probe) -> float:
    return _PROBE_S + one.source_ports * _SOURCE_PORT_S


def _send(probes: Iterable[Probe], token: str) -> dict[str, list[Ask]]:
    mine: dict[str, list[Probe]] = {}
    for probe in probes:
        mine.setdefault(probe.sender, []).append(probe)
    return {node: _sends(some, token) for node, some in mine.items()}


def _sends(probes: list[Probe], token: str) -> list[Ask]:
    asked = " ".join(shlex.quote(json.dumps(_question(probe, token))) for probe in probes)
    send = f'{_RUN} send "$RAILBED_TMP" {asked}'
    shows = [Ask(one.command, _SHOW.format(n=number)) for number, one in enumerate(probes)]
    return [Ask("send", send, sum(map(_limit_s, probes))), *shows]


def _question(one: Probe, token: str) -> dict[str, object]:
    return {
        "id": one.id,
        "token": token,
        "source": str(one.source),
        "target": str(one.target),
        "port": RESPONDER_PORT,
        "first_port": FIRST_SOURCE_PORT,
        "ports": one.source_ports,
        "ip_bytes": one.ip_bytes,
        "tos": one.tos,
    }


def _stop(pids: Mapping[str, int], token: str) -> dict[str, list[Ask]]:
    return {node: [Ask("stop", stop_line(pid, token))] for node, pid in pids.items()}


def stop_line(pid: int, token: str) -> str:
    """Ends the responder, unless its pid already belongs to another process."""
    return _STOP.format(pid=pid, token=shlex.quote(token))


def _errors(
    started: Gathered, sent: Gathered, stopped: Gathered, pids: Mapping[str, int]
) -> dict[str, str]:
    failed = {
        frame.device: f"no responder: {frame.errors.strip() or 'it did not start'}"
        for frame in started.frames
        if frame.device not in pids
    }
    return dict(sorted({**failed, **stopped.errors, **sent.errors, **started.errors}.items()))
