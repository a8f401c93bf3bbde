"""A push with one fault at one step: each switch system, each step, each fault.

    python -m tests.bench.push_faults [SYSTEM ...]
    python -m tests.bench.push_faults --drained [SYSTEM ...]

Steps are the commands and files of a push that goes well, in order. After each cell the switch must
run its old configuration or its new one, whole, and have saved what it runs or, where only that was
missing, say so; the record must not say otherwise; and a second push must end well and leave
nothing behind. Drained, a change is pushed to a switch that has its plan and is drained first: it
must end undrained, after the second push where this process was killed. Models, not switches: what
they imitate stands in `tests/deploy/fake_*.py`. `linux_frr` is a real machine of a lab, as root; it
is tried where it is named.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest import mock

from deploy.context import Context
from deploy.record.rows import ChangeRow
from deploy.rollout.reached import holds_the_push
from deploy.switches import push_flow
from deploy.switches.push_device import Drain
from deploy.switches.push_flow import Push
from deploy.switches.push_result import PushResult
from deploy.switches.push_session import DeviceUnreachable, Pace, Reply, Session
from switch_configs import cli, dialect, intent
from switch_configs.intent import ConfigFile, Rendered

from .push_devices import DEVICES, Device
from .push_machine import on_a_machine
from .results import result

FAULTS = (
    "cut before",
    "cut after",
    "killed",
    "killed, and it goes back first",
    "silent until its timer",
    "restarted",
    "flash full",
    "logins refused",
    "timer runs out",
)
EVERY: dict[str, Callable[[Path], AbstractContextManager[Device]]] = {
    **DEVICES,
    "linux_frr": on_a_machine,
}
_ROWS = "-rows"  # a change of rows that the system follows as it runs; without it, of all
DRAINED = tuple(x for x in DEVICES if not x.endswith(_ROWS) and dialect(x).keeps_drain)
ONCE = ("the fabric does not work", "the fabric does not work in time")


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One push of a system with a fault at a step, counted from 0."""

    system: str
    step: int
    fault: str
    drained: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended: what the switch ran then, and all that was not as it must be."""

    cell: Cell
    at: str
    ran: str
    wrong: tuple[str, ...]


class Killed(BaseException):
    """This process ends here, as if it were killed: nothing is asked of the switch any more."""


@dataclass
class _Clock:
    """Time of the push and of the switch: who sleeps lets it pass for both."""

    device: Device
    ahead_s: float = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead_s

    def sleep(self, seconds: float) -> None:
        self.ahead_s += seconds
        self.device.later(seconds)


@dataclass
class _Meddler:
    """Brings the fault when the push comes to its step, in whatever session that is."""

    device: Device
    clock: _Clock
    fault: str = ""
    at: int = -1
    steps: list[str] = field(default_factory=list)
    refuses_until: float = 0.0

    def connect(self, context: Context) -> Session:
        if self.clock.monotonic() < self.refuses_until:
            raise DeviceUnreachable(
                "login refused" if self.fault == "logins refused" else "timed out"
            )
        return _Meddled(self, self.device.connect(context))

    def meet(self, session: Session, what: str, do: Callable[[], Reply]) -> Reply:
        is_here = len(self.steps) == self.at
        self.steps.append(what)
        if not is_here:
            return do()
        if self.fault == "cut before":
            session.close()
            raise DeviceUnreachable("the session was lost")
        if self.fault == "flash full":
            self.device.fill(full=True)
        if self.fault == "logins refused":
            self.refuses_until = self.clock.monotonic() + self.device.window_s + 1
        reply = do()
        if self.fault.startswith("killed"):
            raise Killed
        if self.fault == "timer runs out":
            self.clock.sleep(self.device.window_s + 1)
        if self.fault == "restarted":
            self.device.restart()
        if self.fault == "silent until its timer":
            self.refuses_until = self.clock.monotonic() + self.device.window_s + 1
        if self.fault in ("cut after", "restarted", "silent until its timer"):
            session.close()
            raise DeviceUnreachable("the session was lost")
        return reply


@dataclass
class _Meddled:
    """A session on which the meddler looks on."""

    meddler: _Meddler
    inner: Session

    def run(self, command: str, timeout_s: float) -> Reply:
        return self.meddler.meet(
            self.inner, command.partition("\n")[0], lambda: self.inner.run(command, timeout_s)
        )

    def send(self, file: ConfigFile, timeout_s: float) -> Reply:
        return self.meddler.meet(
            self.inner, f"send {file.path}", lambda: self.inner.send(file, timeout_s)
        )

    def close(self) -> None:
        self.inner.close()


@dataclass
class _Bench:
    """One switch, pushed to as often as it takes."""

    device: Device
    rows: list[ChangeRow] = field(default_factory=list)
    drain: Drain | None = None
    clock: _Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = _Clock(self.device)

    def write_down(self, device, phase, impact, before, after, detail) -> None:
        self.rows.append(ChangeRow("", device, phase, "", impact, before, after, detail))

    def push(self, meddler: _Meddler, fault: str = "") -> PushResult | None:
        """The result; None where this process was killed."""
        device, context = self.device, self.device.context(self.write_down)
        system = device.new.dialect

        def works(deadline: float, *, whole: bool) -> tuple[str, ...]:
            if fault == "the fabric does not work in time":
                self.clock.sleep(device.window_s + 1)
            return ("no session",) if fault in ONCE else ()

        with mock.patch.object(push_flow, "time", self.clock):
            try:
                return Push(
                    context=context,
                    switch=device.name,
                    dialect=dialect(system),
                    new=device.new,
                    prove=lambda _: (),
                    connect=lambda: meddler.connect(context),
                    dry_run=False,
                    pace=Pace(device.window_s, verify_share=0.75, boot_s=5.0, poll_s=5.0),
                    secrets=device.secrets,
                    cli=cli(system),
                    works=works,
                    drain=self.drain,
                ).run()
            except Killed:
                return None

    def meddler(self, fault: str = "", at: int = -1) -> _Meddler:
        return _Meddler(self.device, self.clock, fault, at)


@contextmanager
def _bench(system: str, *, drained: bool) -> Iterator[_Bench]:
    with tempfile.TemporaryDirectory() as folder, EVERY[system](Path(folder)) as device:
        bench = _Bench(device)
        if drained:
            done = bench.push(bench.meddler())
            assert done is not None
            assert done.ok, done.message
            bench.rows.clear()
            context = device.context(bench.write_down)
            plan = intent(context.plan, device.name, drained=True)
            device.new = _without_descriptions(device.new)
            other = _without_descriptions(dialect(device.new.dialect).render(plan))
            bench.drain = Drain("none", "another takes it", other, lambda: "idle")
        yield bench


def _without_descriptions(one: Rendered) -> Rendered:
    """The same without what only people read; whichever file has it."""
    said = re.compile(r'(?m)^ *(neighbor \S+ )?description .*\n|^ *"description": "[^"]*",\n')
    return replace(one, files=tuple(replace(x, text=said.sub("", x.text)) for x in one.files))


@dataclass(frozen=True, slots=True)
class Well:
    """A push that goes well: its steps, and what the switch ran and had saved before and after."""

    steps: tuple[str, ...]
    old: object
    new: object
    old_saved: object
    new_saved: object


def well(system: str, *, drained: bool = False) -> Well:
    """Push once without any fault. AssertionError where that does not end well."""
    with _bench(system, drained=drained) as bench:
        device, meddler = bench.device, bench.meddler()
        old, old_saved = device.runs, device.saved
        done = bench.push(meddler)
        assert done is not None
        assert done.ok, done.message
        assert not device.left
        assert device.saved == device.runs != old
        return Well(tuple(meddler.steps), old, device.runs, old_saved, device.saved)


def cells(system: str, known: Well, *, drained: bool = False) -> tuple[Cell, ...]:
    """Every fault at every step, and those that have no step."""
    steps = range(len(known.steps))
    every = (Cell(system, step, one, drained) for step in steps for one in FAULTS)
    return (*every, *(Cell(system, -1, one, drained) for one in ONCE))


def tried(cell: Cell, known: Well) -> Outcome:
    """One cell, on a switch of its own."""
    with _bench(cell.system, drained=cell.drained) as bench:
        device, meddler = bench.device, bench.meddler(cell.fault, cell.step)
        done = bench.push(meddler, cell.fault)
        device.fill(full=False)
        is_killed = cell.fault.startswith("killed") if cell.drained else cell.fault == "killed"
        if not is_killed:
            bench.clock.sleep(device.window_s + 1 + 2 * dialect(device.new.dialect).reload_s)
            wrong = [*_state(device, known, done), *_told(bench, known)]
        else:
            wrong = []
        if cell.fault in ONCE and device.runs != known.old:
            wrong.append("it was confirmed though the fabric does not work")
        ran = "old" if device.runs == known.old else "new" if device.runs == known.new else "?"
        again = bench.push(bench.meddler())
        wrong += _converged(device, known, again)
        at = known.steps[cell.step] if cell.step >= 0 else ""
        return Outcome(cell, at, ran, tuple(wrong))


def _state(device: Device, known: Well, done: PushResult | None) -> Iterator[str]:
    if device.runs not in (known.old, known.new):
        yield "it runs neither the old nor the new configuration"
    if device.saved not in (known.old_saved, known.new_saved):
        yield "it has saved neither the old nor the new configuration"
    whole = [(known.old, known.old_saved), (known.new, known.new_saved)]
    if done is None or not done.ok:
        # Only the save was missing: a restart leads back, and nobody said that the push ended well.
        whole.append((known.new, known.old_saved))
    if (device.runs, device.saved) not in whole:
        yield "it has saved what it does not run"
    if done is None:
        return
    if done.ok and device.runs != known.new:
        yield "a push that ended well left the old configuration"
    if done.rolled_back and device.runs != known.old:
        yield "it says that it went back, and runs the new configuration"


def _told(bench: _Bench, known: Well) -> Iterator[str]:
    """What the record says of the switch must be so, or that it does not know."""
    there = holds_the_push(bench.rows[-1]) if bench.rows else False
    if there is not None and there != (bench.device.runs == known.new):
        last = bench.rows[-1] if bench.rows else None
        yield f"the record says {'new' if there else 'old'}: {last and (last.phase, last.detail)}"


def _converged(device: Device, known: Well, again: PushResult | None) -> Iterator[str]:
    if again is None or not again.ok:
        yield f"a second push did not end well: {again and again.message}"
    if (device.runs, device.saved) != (known.new, known.new_saved):
        yield "after a second push it does not run and hold the new configuration"
    if device.left:
        yield f"after a second push something is left: {device.left}"


def main(words: Sequence[str]) -> int:
    """Every cell of these systems, or of all."""
    bad = count = 0
    drained = "--drained" in words
    systems = [one for one in words if one != "--drained"]
    if not {*systems} <= {*EVERY}:
        sys.exit(f"systems: {' '.join(EVERY)}; and --drained")
    for system in systems or (DRAINED if drained else DEVICES):
        known, begun = well(system, drained=drained), time.monotonic()
        every = cells(system, known, drained=drained)
        ended: dict[str, int] = {}
        for cell in every:
            found = tried(cell, known)
            ended[found.ran] = ended.get(found.ran, 0) + 1
            for said in found.wrong:
                print(
                    f"{system}: {cell.fault} at {cell.step} `{found.at[:60]}`: {said}", flush=True
                )
            bad += bool(found.wrong)
        count += len(every)
        took = time.monotonic() - begun
        print(f"{system}: {len(known.steps)} steps, {len(every)} cells in {took:.0f} s: {ended}")
    name = "push_faults_drained_bad" if drained else "push_faults_bad"
    print(result(name, bad, f"of {count} cells", 0))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
