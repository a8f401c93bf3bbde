"""MPI over SSH: a Launcher that needs Open MPI on the nodes and nothing between them.

Three trips at once for all launches: the first nodes run `mpirun`; they tell what daemons it
wants; the other nodes start these. Every process carries a mark, lives no longer than its
launch, and is looked for and ended afterwards.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from inventory.plan import Plan
from validation.evidence.gather import WORKERS, Ask, Gathered, Transport, gather
from validation.evidence.store import EvidenceStore, Frame
from validation.stages.s70_collectives.launch import Launch

from .leftovers import end, marked
from .mpi_tools import ASK_S, Home, Refused, asked, daemon, first, folder, home

MOST_AT_ONCE = 256
_ROOM_S = 10


@dataclass
class MpiOverSsh:
    """A `launch.Launcher` over a transport."""

    plan: Plan
    transport: Transport
    token: str = field(default_factory=lambda: secrets.token_hex(8))

    def run(self, launches: Sequence[Launch], store: EvidenceStore) -> Mapping[str, str]:
        """See `launch.Launcher`."""
        names = {one.command: f"{self.token}-{number}" for number, one in enumerate(launches)}
        nodes = sorted({node for launch in launches for node in launch.nodes})
        errors: dict[str, str] = {}
        try:
            with ThreadPoolExecutor(1) as aside:
                running = aside.submit(self._first, launches, names)
                errors |= self._daemons(
                    [launch for launch in launches if len(launch.nodes) > 1], names
                )
                if errors:
                    self._end(_of_lost(launches, errors))
                ran = running.result()
            store.add(ran.frames)
        finally:
            self._end(nodes)
        return dict(sorted({**ran.errors, **errors}.items()))

    def _first(self, launches: Sequence[Launch], names: Mapping[str, str]) -> Gathered:
        asks = {
            launch.nodes[0]: [
                Ask(
                    launch.command,
                    marked(first(launch, names[launch.command]), self.token),
                    launch.limit_s + _ROOM_S,
                )
            ]
            for launch in launches
        }
        return self._gather(asks)

    def _daemons(self, launches: Sequence[Launch], names: Mapping[str, str]) -> dict[str, str]:
        """Start what the first nodes ask for; why nodes could not, by node."""
        told = self._gather(
            {
                launch.nodes[0]: [
                    Ask("asked", asked(launch, names[launch.command]), ASK_S + _ROOM_S)
                ]
                for launch in launches
            }
        )
        said = {frame.device: frame for frame in told.frames}
        errors, asks = dict(told.errors), dict[str, list[Ask]]()
        for one in launches:
            frame = said.get(one.nodes[0])
            if frame is None:
                continue
            try:
                wanted = _wanted(frame, one)
            except Refused as refused:
                errors[one.nodes[0]] = f"no launch: {refused}"
                continue
            for number, node in enumerate(one.nodes[1:], 1):
                shell = daemon(one, wanted, number, names[one.command])
                asks[node] = [Ask("daemon", marked(shell, self.token))]
        started = self._gather(asks)
        return {**_unstarted(started), **errors, **started.errors}

    def _end(self, nodes: Iterable[str]) -> None:
        """End what carries the mark; a node that cannot be reached ends it by its time limit."""
        rest = f"{end(self.token)}rm -rf {folder(self.token)}-*\n"
        self._gather({node: [Ask("end", rest)] for node in nodes})

    def _gather(self, asks: Mapping[str, Sequence[Ask]]) -> Gathered:
        workers = min(MOST_AT_ONCE, max(WORKERS, len(asks)))
        return gather(self.plan, self.transport, asks, None, workers)


def _wanted(frame: Frame, launch: Launch) -> Home:
    """What the first node asks for. Raises Refused."""
    if frame.exit_status:
        raise Refused(" ".join(frame.errors.split())[:200])
    return home(frame.payload.decode("utf-8", "replace"), launch)


def _of_lost(launches: Sequence[Launch], errors: Mapping[str, str]) -> list[str]:
    """First nodes of launches that lack a daemon: mpirun would wait for it to the end."""
    return sorted({launch.nodes[0] for launch in launches if set(launch.nodes) & set(errors)})


def _unstarted(started: Gathered) -> dict[str, str]:
    return {
        frame.device: f"no MPI daemon: {' '.join(frame.errors.split())[:200] or 'it ended'}"
        for frame in started.frames
        if frame.exit_status
    }
