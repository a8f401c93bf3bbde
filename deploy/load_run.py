"""Runs the pair schedule over a transport: round after round, the pairs of one at once.

Servers are bound to a rail address, live no longer than their round, and are ended by their
recorded pid, if that is still theirs. What the clients print is the evidence.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from inventory.plan import Plan
from validation.evidence import EvidenceStore, Frame
from validation.gather import WORKERS, Ask, Gathered, Transport, gather
from validation.load_result import Measured, measured
from validation.loads import LoadProbe
from validation.pairs import retests
from validation.parse.fields import Unreadable

from .load_tools import client, server

Round = tuple[LoadProbe, ...]
MOST_AT_ONCE = 256  # trips of one round: fewer than its nodes would load pairs one-sidedly
_START_S = 15
_END_S = 6
_MARK = "RAILBED_LOAD"
# A listening socket is what says that a server is ready; ib_write_bw prints too early.
_SERVE = """\
{before}{mark}={token} setsid timeout {life} {server} </dev/null >"$RAILBED_TMP/serve-{port}" 2>&1 &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
  ss -Hltn 'sport = :{port}' | grep -q . && echo "$pid" && exit 0
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
cat "$RAILBED_TMP/serve-{port}" >&2
kill "$pid" 2>/dev/null
exit 1
"""
_STOP = (
    "if tr '\\0' '\\n' <\"/proc/{pid}/environ\" 2>/dev/null | grep -qx {mark}={token}; "
    "then kill {pid}; fi"
)
_CLIENT = (
    '({before}timeout -k 1 {limit} {client} >"$RAILBED_TMP/load-{n}" '
    '2>"$RAILBED_TMP/load-{n}.err"; echo $? >"$RAILBED_TMP/load-{n}.rc") &'
)
_SHOW = (
    'cat "$RAILBED_TMP/load-{n}"; cat "$RAILBED_TMP/load-{n}.err" >&2; '
    'exit "$(cat "$RAILBED_TMP/load-{n}.rc")"'
)


@dataclass
class LoadRun:
    """What a run left in the store, and why devices took no part in it.

    `retested` counts the flows of the second pass.
    """

    frames: int = 0
    rounds: int = 0
    retested: int = 0
    errors: dict[str, str] = field(default_factory=dict)


def run(plan: Plan, rounds: Sequence[Round], transport: Transport, store: EvidenceStore) -> LoadRun:
    """Load every pair, then suspects of slow flows with good partners; save the evidence."""
    done = LoadRun()
    try:
        for one in rounds:
            _round(plan, one, transport, store, done)
        again = retests(plan, results(store, (flow for one in rounds for flow in one)))
        for one in again:
            done.retested += len(one)
            _round(plan, one, transport, store, done)
    finally:
        store.silent.update(sorted(done.errors.items()))
        store.save()
    return done


def results(store: EvidenceStore, flows: Iterable[LoadProbe]) -> list[Measured]:
    """The results in a store that can be read; the stage says what is wrong with the rest."""
    found = []
    for flow in flows:
        frame = store.get(flow.sender, flow.command)
        if frame is None:
            continue
        with suppress(Unreadable):
            text = frame.payload.decode("utf-8", "replace")
            found.append(measured(flow, frame.exit_status, text, frame.errors))
    return found


def _round(
    plan: Plan, flows: Round, transport: Transport, store: EvidenceStore, done: LoadRun
) -> None:
    token, workers = secrets.token_hex(8), _workers(flows)
    started = gather(plan, transport, _serve(flows, token), workers=workers)
    pids: dict[str, list[int]] = {}
    for frame in started.frames:
        if frame.exit_status == 0 and frame.payload.strip().isdigit():
            pids.setdefault(frame.device, []).append(int(frame.payload))
    try:
        sent = gather(plan, transport, _load(flows), workers=workers)
    finally:
        stopped = gather(plan, transport, _stop(pids, token), workers=workers)
    kept = [frame for frame in sent.frames if frame.command in {flow.command for flow in flows}]
    store.add(kept)
    done.frames += len(kept)
    done.rounds += 1
    done.errors.update({**_unserved(started), **stopped.errors, **sent.errors, **started.errors})


def _workers(flows: Round) -> int:
    return min(MOST_AT_ONCE, max(WORKERS, len({flow.sender for flow in flows})))


def _serve(flows: Round, token: str) -> dict[str, list[Ask]]:
    asks: dict[str, list[Ask]] = {}
    for flow in flows:
        before, argv = server(flow)
        shell = _SERVE.format(
            before=before,
            mark=_MARK,
            token=token,
            life=flow.terms.seconds + 2 * _START_S,
            server=argv,
            port=flow.port,
        )
        asks.setdefault(flow.receiver, []).append(Ask(f"serve {flow.id}", shell))
    return asks


def _load(flows: Round) -> dict[str, list[Ask]]:
    """One trip for each sender: all its clients at once, then what each has printed."""
    mine: dict[str, list[LoadProbe]] = {}
    for flow in flows:
        mine.setdefault(flow.sender, []).append(flow)
    return {node: _clients(some) for node, some in mine.items()}


def _clients(flows: list[LoadProbe]) -> list[Ask]:
    limit = max(flow.terms.seconds for flow in flows) + _END_S
    lines, shows = [], []
    for n, flow in enumerate(flows):
        before, argv = client(flow)
        lines.append(_CLIENT.format(before=before, limit=limit, client=argv, n=n))
        shows.append(Ask(flow.command, _SHOW.format(n=n)))
    return [Ask("load", "\n".join([*lines, "wait"]), limit + _END_S), *shows]


def _stop(pids: Mapping[str, list[int]], token: str) -> dict[str, list[Ask]]:
    return {
        node: [
            Ask(f"stop {pid}", _STOP.format(pid=pid, mark=_MARK, token=shlex.quote(token)))
            for pid in some
        ]
        for node, some in pids.items()
    }


def _unserved(started: Gathered) -> dict[str, str]:
    """Why a node that answers had no server; its clients will find that out, too."""
    return {frame.device: _reason(frame) for frame in started.frames if frame.exit_status != 0}


def _reason(frame: Frame) -> str:
    said = " ".join(frame.errors.split())[:200]
    return f"no load server: {said or 'it did not start'}"
