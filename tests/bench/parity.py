"""Do both engines make the same machine, and leave it alone afterwards?

Two labs of one site, with the same names, addresses and keys: pyinfra changes one, Ansible the
other, role by role. Each role runs first, a second time, then by the other engine. The machines
must be equal in packages and holds, files (bytes, owner, mode), units and sysctls; later runs
must change nothing, times of files and starts of units included; a dry run must have said
exactly what the first run changed.

The nodes ask for every role: GPU driver, storage path, container engine and NCCL come as stand-in
packages, and their devices are stand-ins that keep state (tests/standins).

Prints the matrix and ends with RESULT lines; run as root, as `python -m tests.bench.parity`.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from deploy.context import Context
from deploy.servers import engines
from deploy.servers.engine_run import HostResult
from inventory.plan import Engine
from tests.standins.equip import equipped, install_headers
from tests.standins.site import site
from validation.manifest.contract import roles_of

from . import small_lab
from .machine_state import differences, state, traces
from .results import result

_SHOWN = 12


@dataclass(frozen=True)
class Cell:
    """One role by one engine: what its runs did, and what the machine was after the first."""

    predicted: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    other: tuple[str, ...]
    disturbed: tuple[str, ...]
    state: tuple[str, ...]

    @property
    def leaves_alone(self) -> bool:
        """Whether later runs did nothing, and nothing shows that they were there."""
        return not (self.second or self.other or self.disturbed)

    @property
    def was_predicted(self) -> bool:
        """Whether the dry run named exactly what the first run changed."""
        return self.predicted == self.first


def cell(context: Context, lab_name: str, host: str, role: str) -> Cell:
    """Run one role four times on one host of one lab: dry, first, second, other engine."""

    def run(other: bool = False) -> HostResult:
        done = engines.run(context, {host: (role,)}, dry_run=False, other=other)
        return engines.hosts_of(small_lab.must(done))[0]

    if role == "ofed":
        install_headers(lab_name, host)
    [dry] = engines.hosts_of(engines.run(context, {host: (role,)}, dry_run=True))
    predicted = (f"dry run {dry.message}",) if dry.failed else dry.operations
    first = tuple(one for one in run().operations if one not in dry.followed)
    if role == "package_repo":
        small_lab.publish(context)
    # A socket-activated sshd that a role reloaded begins anew with the next login.
    small_lab.log_in(context, host)
    made, before = state(lab_name, host), traces(lab_name, host)
    second, other = ((*one.operations, *one.followed) for one in (run(), run(other=True)))
    disturbed = differences(before, traces(lab_name, host))
    return Cell(predicted, first, second, other, tuple(disturbed), tuple(made))


def row(role: str, engine: Engine, found: Cell, same: bool) -> str:
    """One line of the matrix."""
    marks = {True: "yes", False: "NO"}
    return (
        f"{role:14} {engine:8} {len(found.first):5} {len(found.second):6} {len(found.other):5} "
        f"{len(found.disturbed):9} {marks[found.was_predicted]:>9} {marks[same]:>10}"
    )


def told(what: str, lines: list[str]) -> None:
    """What is not as it must be, the first of it."""
    for line in lines[:_SHOWN]:
        print(f"    {what}: {line}")
    if len(lines) > _SHOWN:
        print(f"    {what}: and {len(lines) - _SHOWN} more")


def explain(engine: Engine, found: Cell) -> None:
    """The cell's failures, in words."""
    told(f"{engine} second run", list(found.second))
    told(f"after {engine}, the other engine", list(found.other))
    told(f"after {engine}, disturbed", list(found.disturbed))
    if not found.was_predicted:
        told(f"{engine} dry run differs", differences(list(found.predicted), list(found.first)))


def matrix(pyinfra: tuple[Context, str], ansible: tuple[Context, str]) -> tuple[int, int, int, int]:
    """Print it; cells, equal roles (twice), quiet cells, predicted cells."""
    plan = pyinfra[0].plan
    print("role           engine   first second other disturbed predicted same state")
    cells = equal = quiet = predicted = 0
    for host in (plan.oob.name, plan.nodes[0].name):
        for role in roles_of(plan)[host]:
            one = cell(*pyinfra, host, role)
            two = cell(*ansible, host, role)
            apart = differences(list(one.state), list(two.state))
            both: tuple[tuple[Engine, Cell], ...] = (("pyinfra", one), ("ansible", two))
            for engine, found in both:
                print(row(role, engine, found, not apart))
                explain(engine, found)
                cells += 1
                equal += not apart
                quiet += found.leaves_alone
                predicted += found.was_predicted
            told("only one engine made", apart)
        if host == plan.oob.name:
            for context, _ in (pyinfra, ansible):
                small_lab.await_nodes(context)
    return cells, equal, quiet, predicted


def main() -> None:
    """Two labs side by side, then the figures."""
    with tempfile.TemporaryDirectory() as folder:
        where = site(Path(folder), 1)
        with (
            small_lab.standing(where, "parp") as first,
            small_lab.standing(where, "para") as second,
        ):
            one = small_lab.context_of(first, "pyinfra")
            small_lab.share_keys(first, second)
            two = small_lab.context_of(second, "ansible")
            if one.plan.digest != two.plan.digest:
                raise RuntimeError("the two labs have different plans")
            labs = (one, first.lab), (two, second.lab)
            with equipped(*labs):
                cells, equal, quiet, predicted = matrix(*labs)
    for name, count in (("same_state", equal), ("left_alone", quiet), ("predicted", predicted)):
        share = 100 * count / cells
        print(result(f"parity_{name}", share, "%", 100, most=False))


if __name__ == "__main__":
    main()
