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
from functools import partial

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from validation.evidence.gather import COMMAND_TIMEOUT_S, WORKERS, Ask, Gathered, Transport, gather
from validation.evidence.store import EvidenceStore, Frame
from validation.judging.past import Past
from validation.locating.replay import Replay
from validation.pairing.coverage import coverages, crosses
from validation.pairing.load_result import Measured, measured
from validation.pairing.loads import LoadProbe
from validation.pairing.matchings import Named

from .leftovers import MARK
from .load_tools import Load, client, server
from .uplink_run import UplinkWatch

Round = tuple[LoadProbe, ...]
MOST_AT_ONCE = 256  # trips of one round: fewer than its nodes would load pairs one-sidedly
_START_S = 15
_SHOW_S = 6
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
# In a shell of its own, so that its status is kept when what comes before it ends it.
_CLIENT = (
    '( ({before}timeout -k 1 {limit} {client}) >"$RAILBED_TMP/load-{n}" '
    '2>"$RAILBED_TMP/load-{n}.err"; echo $? >"$RAILBED_TMP/load-{n}.rc") &'
)
_SHOW = (
    'cat "$RAILBED_TMP/load-{n}"; cat "$RAILBED_TMP/load-{n}.err" >&2; '
    'exit "$(cat "$RAILBED_TMP/load-{n}.rc")"'
)


@dataclass
class LoadRun:
    """What a run left in the store, and why devices took no part in it.

    `retested` counts the flows of extra rounds, `topped_up` the rounds for uplinks alone.
    """

    frames: int = 0
    rounds: int = 0
    retested: int = 0
    topped_up: int = 0
    errors: dict[str, str] = field(default_factory=dict)


def run(
    plan: Plan,
    rounds: Sequence[Round],
    transport: Transport,
    store: EvidenceStore,
    configured: frozenset[str] = frozenset(),
    matched: Sequence[Named] = (),
    past: Past | None = None,
) -> LoadRun:
    """Load every pair, what the locator asks for where flows were slow, uplinks not loaded yet.

    `matched` are the named rounds that were asked beyond the planned ones. Uplinks are counted on
    the switches of `configured`; the evidence is saved. Flows that are below their `past` run
    again, like slow ones.
    """
    done, filled = LoadRun(), [(name, row) for name, row in matched if row]
    wanted = coverages(plan, configured, rounds, (name for name, _ in matched))
    watch = UplinkWatch(plan, tuple(wanted), transport, store)
    try:
        planned = ((str(number), one) for number, one in enumerate(rounds, 1))
        for name, one in (*planned, *filled):
            with watch.over(name, crosses(one), done.errors):
                one_round(plan, one, transport, store, done)
        counted = list[tuple[str, LoadProbe]]()
        for name, extra in watch.top_ups(configured):
            with watch.over(name, True, done.errors):
                one_round(plan, extra, transport, store, done)
            counted.append((name, extra[0]))
            done.topped_up += 1
        replay = Replay(plan, watch.wanted, partial(_kept, store), watch.kept, past=past)
        replay.add_planned(flow for round_ in rounds for flow in round_)
        for name, one in filled:
            replay.add_round(name, one)
        replay.add_counted(counted)
        for name, flows in replay.rounds():
            done.retested += len(flows)
            with watch.over(name, crosses(flows), done.errors):
                one_round(plan, flows, transport, store, done)
    finally:
        store.silent.update(sorted(done.errors.items()))
        store.save()
    return done


def results(store: EvidenceStore, flows: Iterable[LoadProbe]) -> list[Measured]:
    """The results in a store that can be read."""
    return [one for one in (_kept(store, flow) for flow in flows) if one is not None]


def _kept(store: EvidenceStore, flow: LoadProbe) -> Measured | None:
    """A result that can be read; the stage says what is wrong with the rest."""
    frame = store.get(flow.sender, flow.command)
    if frame is not None:
        with suppress(Unreadable):
            text = frame.payload.decode("utf-8", "replace")
            return measured(flow, frame.exit_status, text, frame.errors)
    return None


def one_round(
    plan: Plan, flows: Sequence[Load], transport: Transport, store: EvidenceStore, done: LoadRun
) -> None:
    """Servers first, then all clients at once; what they print is kept, and servers are ended."""
    token, workers = secrets.token_hex(8), _workers(flows)
    started = gather(plan, transport, serve_asks(flows, token), workers=workers)
    pids: dict[str, list[int]] = {}
    for frame in started.frames:
        if frame.exit_status == 0 and frame.payload.strip().isdigit():
            pids.setdefault(frame.device, []).append(int(frame.payload))
    try:
        sent = gather(plan, transport, load_asks(flows), workers=workers)
    finally:
        stopped = gather(plan, transport, stop_asks(pids, token), workers=workers)
    kept = [frame for frame in sent.frames if frame.command in {flow.command for flow in flows}]
    store.add(kept)
    done.frames += len(kept)
    done.rounds += 1
    done.errors.update({**unserved(started), **stopped.errors, **sent.errors, **started.errors})


def _workers(flows: Sequence[Load]) -> int:
    return min(MOST_AT_ONCE, max(WORKERS, len({flow.sender for flow in flows})))


def serve_asks(flows: Sequence[Load], token: str) -> dict[str, list[Ask]]:
    """A server for each flow, with its receiver; it prints its pid once it listens."""
    asks: dict[str, list[Ask]] = {}
    for flow in flows:
        before, argv = server(flow)
        shell = _SERVE.format(
            before=before,
            mark=MARK,
            token=token,
            life=flow.terms.seconds + flow.terms.slack_s + 2 * _START_S,
            server=argv,
            port=flow.port,
        )
        ready_s = COMMAND_TIMEOUT_S + flow.terms.slack_s
        asks.setdefault(flow.receiver, []).append(Ask(f"serve {flow.id}", shell, ready_s))
    return asks


def load_asks(flows: Sequence[Load]) -> dict[str, list[Ask]]:
    """One trip for each sender: all its clients at once, then what each has printed."""
    mine: dict[str, list[Load]] = {}
    for flow in flows:
        mine.setdefault(flow.sender, []).append(flow)
    return {node: _clients(some) for node, some in mine.items()}


def _clients(flows: list[Load]) -> list[Ask]:
    limit = max(flow.terms.seconds + flow.terms.slack_s for flow in flows)
    lines, shows = [], []
    for n, flow in enumerate(flows):
        before, argv = client(flow)
        lines.append(_CLIENT.format(before=before, limit=limit, client=argv, n=n))
        shows.append(Ask(flow.command, _SHOW.format(n=n)))
    return [Ask("load", "\n".join([*lines, "wait"]), limit + _SHOW_S), *shows]


def stop_asks(pids: Mapping[str, list[int]], token: str) -> dict[str, list[Ask]]:
    """Ends the servers that still are those which were started with this token."""
    return {
        node: [
            Ask(f"stop {pid}", _STOP.format(pid=pid, mark=MARK, token=shlex.quote(token)))
            for pid in some
        ]
        for node, some in pids.items()
    }


def unserved(started: Gathered) -> dict[str, str]:
    """Why a node that answers had no server; its clients will find that out, too."""
    return {frame.device: _reason(frame) for frame in started.frames if frame.exit_status != 0}


def _reason(frame: Frame) -> str:
    said = " ".join(frame.errors.split())[:200]
    return f"no load server: {said or 'it did not start'}"
