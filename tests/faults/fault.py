"""What a fault is: made, undone, and by hand what must be said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from deploy.lab import spec, wires
from deploy.lab.command import run
from deploy.lab.machines import machine
from deploy.lab.paths import LabPaths
from validation.verdict import Verdict


@dataclass(frozen=True)
class Lab:
    """The machines of a running lab, past their network."""

    name: str

    def run(self, device: str, script: str) -> str:
        """Run a script in a machine; its output. RuntimeError where it fails."""
        done = machine.inside(self.name, device, ["sh", "-c", script], timeout_s=90)
        if done.returncode:
            said = done.stderr.decode(errors="replace")[-400:]
            raise RuntimeError(f"{device}: status {done.returncode}: {said}")
        return done.stdout.decode()

    def tc(self, device: str, words: str) -> None:
        """Change a qdisc from outside: what a machine's hardware does, it does not know."""
        run(["tc", "-netns", LabPaths(self.name).netns(device), *words.split()])

    def as_wired(self, device: str, *ports: str) -> None:
        """Give ports the rate again that their lab has, to its last bucket."""
        wires.shape(spec.load(LabPaths(self.name).spec), device, ports)

    def rates(self) -> dict[tuple[str, str], str]:
        """The shape of every port of every machine, by machine and port."""
        machines = sorted(one.name for one in spec.load(LabPaths(self.name).spec).machines)
        told = {one: run(["tc", "-netns", self.netns(one), "qdisc", "show"]) for one in machines}
        shown = re.compile(r"qdisc (tbf|htb) \S+ dev (\S+) root refcnt \d+ (.*)")
        return {
            (one, port): f"{kind} {rest.strip()}"
            for one in machines
            for kind, port, rest in shown.findall(told[one])
        }

    def ip(self, device: str, *lines: str) -> None:
        """Change a machine's ports from outside."""
        text = "".join(f"{line}\n" for line in lines)
        run(["ip", "-netns", LabPaths(self.name).netns(device), "-batch", "-"], text)

    def netns(self, device: str) -> str:
        """The name of a machine's network namespace."""
        return LabPaths(self.name).netns(device)


Maker = Callable[[Lab], Iterator[None]]


@dataclass(frozen=True)
class Fault:
    """One fault. `make` breaks the lab up to its `yield`, and undoes exactly that after it.

    What must be said was written by hand: it must first be seen at `stage`, with `verdict`; the
    gravest reason must name one of `suspects`, each of which is right: it holds the culprit, and
    what it holds besides could not be told from it. `also` may be named besides: what the fault
    really takes with it. `hidden` are checks that would see the trick and not the fault. One that
    `settles` shows itself once protocols have come to rest, and something else before.
    """

    name: str
    make: Maker
    stage: int
    verdict: Verdict
    suspects: frozenset[str]
    also: frozenset[str]
    hidden: frozenset[str]
    settles: bool

    @property
    def loads(self) -> bool:
        """Whether only a load can show it."""
        return self.stage >= FIRST_LOADED


FIRST_LOADED = 45
BREAK_A_UNIT = (
    "systemd-run -q --unit=broken false; until systemctl is-failed -q broken; do sleep 0.1; done"
)
FAULTS: dict[str, Fault] = {}


def fault(
    stage: int,
    *suspects: str,
    verdict: Verdict = Verdict.FAIL,
    also: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
    settles: bool = False,
) -> Callable[[Maker], Maker]:
    """Registers a fault under its function's name."""

    def add(make: Maker) -> Maker:
        name = make.__name__
        FAULTS[name] = Fault(
            name,
            make,
            stage,
            verdict,
            frozenset(suspects),
            frozenset(also),
            frozenset(hidden),
            settles,
        )
        return make

    return add
