"""Stage 70 on the real lab: Open MPI over TCP, started without any way between its nodes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from deploy.context import no_journal
from deploy.loads.mpi_run import MpiOverSsh
from deploy.measuring.measure import Measured, validate_site
from deploy.session import open_context
from deploy.transport.ssh_run import SshTransport
from inventory import open_site
from inventory.reading.fields import Unreadable
from validation.evidence.store import EvidenceStore
from validation.stages.s70_collectives.result import read
from validation.stages.s70_collectives.runs import steps
from validation.verdict import Finding, Verdict

from .chain import SELECTION, inside, silent
from .test_loads import slowed

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="one stage that loads, healthy and hurt"),
]
STAGE = 70
# Processes, folders and session files of a launch, on any node.
REMAINS = (
    "pgrep -a 'orted|mpirun' || true; pgrep -af '[r]ailbed-collective' || true; "
    "ls -d /run/railbed-launch-* /tmp/ompi* 2>/dev/null || true"
)


def ran() -> tuple[Measured, list[Finding]]:
    found = validate_site(SELECTION, STAGE, (), silent, frozenset({STAGE}))
    return found, [one for one in found.findings if one.stage == STAGE]


def remains() -> str:
    return "".join(inside(node, REMAINS) for node in open_site("lab").node)


@contextmanager
def without_daemon(node: str) -> Iterator[None]:
    """A node on which Open MPI cannot start its daemon."""
    inside(node, "mv /usr/bin/orted /usr/bin/orted.away")
    try:
        yield
    finally:
        inside(node, "mv /usr/bin/orted.away /usr/bin/orted")


def test_collectives_of_the_healthy_lab_reach_their_share():
    """MPI all_reduce and three more run over TCP on the rails, and their results are right."""
    whole, found = ran()
    assert whole.verdict is Verdict.PASS, [one for one in found if one.verdict is not Verdict.PASS]
    assert len(found) == 42
    assert all(one.figure and one.figure.unit == "GB/s" for one in found)
    assert remains() == ""


def test_a_daemon_that_dies_in_the_middle_names_its_node_and_leaves_nothing():
    """A node's MPI daemon is killed while a collective runs: no result, the node named."""
    context = open_context(SELECTION, silent, no_journal)
    plan = context.plan
    one = next(
        one
        for step in steps(plan, frozenset(plan.devices))
        for one in step
        if one.id == "all_reduce:4:node-p1-1"
    )
    long = tuple("400" if word == str(one.terms.iterations) else word for word in one.launch.argv)
    launch, store = replace(one.launch, argv=long), EvidenceStore()
    # It has begun once its processes talk over the rails.
    wait = (
        "talks() { for p in $(pgrep -f '[r]ailbed-collective'); do "
        'ss -Htnp state established dst 10.16.0.0/16 | grep -q "pid=$p," && return; '
        "done; false; }; "
        "n=0; until talks || [ $n -ge 300 ]; do sleep 0.1; n=$((n + 1)); done; pkill -9 orted"
    )
    killer = threading.Thread(target=inside, args=("node-p2-1", wait))
    killer.start()
    errors = MpiOverSsh(plan, SshTransport(context.ssh_config)).run([launch], store)
    killer.join()
    frame = store.get("node-p1-1", launch.command)
    assert frame
    assert (dict(errors), frame.exit_status != 0) == ({}, True)
    with pytest.raises(Unreadable, match="node-p2-1 was lost"):
        read(one, frame.exit_status, frame.payload.decode(), frame.errors)
    assert remains() == ""


@pytest.mark.full
def test_a_port_at_a_tenth_holds_its_groups_back_and_its_node_is_named():
    """Each slow group is blamed on the one node that all of them share, by halving."""
    with slowed("leaf-p2-r0", "swp2"):
        whole, found = ran()
    bad = [one for one in found if one.verdict is not Verdict.PASS]
    assert whole.verdict is Verdict.FAIL
    assert {one.suspect for one in bad} == {"device node-p2-2"}
    assert {one.expectation.rpartition(":")[2] for one in bad} == {"large"}
    assert remains() == ""


@pytest.mark.full
def test_a_node_that_cannot_take_part_is_named_and_the_others_are_measured():
    """Every group with the node is inconclusive, every other one passes."""
    with without_daemon("node-p2-2"):
        whole, found = ran()
    lost = [one for one in found if one.verdict is not Verdict.PASS]
    assert whole.verdict is Verdict.INCONCLUSIVE
    assert {(one.verdict, one.suspect) for one in lost} == {
        (Verdict.INCONCLUSIVE, "device node-p2-2")
    }
    assert len(lost) == 27
    assert remains() == ""
