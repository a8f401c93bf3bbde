"""Stage 60 on the real lab: incasts pass, a slow port and a leaf that drops are named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy.loads.s60_congestion_run import TURN_FILE
from deploy.measuring.measure import Measured, validate_site
from inventory import open_site
from validation.verdict import Finding, Verdict

from .chain import SELECTION, inside, silent
from .test_loads import slowed

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="one stage that loads, healthy and hurt"),
]
STAGE = 60
MOST_RUNS = 3
# UDP and ICMP of the class pass, so that the probes of earlier stages see nothing.
_TABLE = "inet broken_by_test"
_DROP = f"""\
nft add table {_TABLE}
nft 'add chain {_TABLE} forward {{ type filter hook forward priority -5; }}'
nft add rule {_TABLE} forward ip dscp 26 ip protocol tcp drop
"""


def congested() -> Measured:
    """Stage 60 alone of those that load; what else does not pass is told, too."""
    return validate_site(SELECTION, STAGE, (), silent, frozenset({STAGE}))


def is_no_rate(one: Finding) -> bool:
    """Whether a figure is above what the line carries, and so proves nothing.

    It comes of a process that was held up while its bucket filled, on a machine with other work.
    """
    return one.verdict is Verdict.INCONCLUSIVE and "more than its link carries" in one.found


def bad(found: Measured) -> list[Finding]:
    return [one for one in found.findings if one.verdict is not Verdict.PASS]


def left_running() -> str:
    return "".join(inside(node, "pgrep -a iperf3 || true") for node in open_site("lab").node)


@contextmanager
def dropping(device: str) -> Iterator[None]:
    """A switch whose filter drops TCP of the marked class."""
    inside(device, _DROP)
    try:
        yield
    finally:
        inside(device, f"nft delete table {_TABLE}")


def test_incasts_of_the_healthy_lab_pass_and_the_next_run_has_other_receivers():
    """Sums, shares and victims pass; nothing is asked of PFC; nothing is left running."""
    turn = SELECTION.state_dir / TURN_FILE
    before = int(turn.read_text()) if turn.exists() else 0
    runs, found = 1, congested()
    while any(map(is_no_rate, found.findings)) and runs < MOST_RUNS:
        runs, found = runs + 1, congested()
    mine = [one for one in found.findings if one.stage == STAGE]
    for one in mine:
        print(one.expectation, one.figure)
    assert bad(found) == []
    assert {one.check for one in mine} == {"incast", "victim"}
    assert int(turn.read_text()) == before + runs
    assert left_running() == ""


def test_a_port_at_a_tenth_on_the_victims_way_is_named():
    """Whichever of its two NICs is in turn: the leaf's ports to both are slow."""
    with slowed("leaf-p1-r0", "swp1"), slowed("leaf-p1-r0", "swp2"):
        found = bad(congested())
    assert {one.stage for one in found} == {STAGE}
    victims = [one for one in found if one.check == "victim"]
    assert [one.expectation for one in victims] == ["victim:rail0:leaf-p1-r0:0"]
    assert victims[0].verdict is Verdict.FAIL
    assert victims[0].suspect.startswith("cable leaf-p1-r0:swp")
    assert all("leaf-p1-r0:swp" in one.suspect for one in found)


def test_a_leaf_that_drops_the_marked_class_is_named_before_anything_is_loaded():
    """A filter that nobody planned stops the ladder at the switch's own state."""
    with dropping("leaf-p2-r0"):
        found = bad(congested())
    failed = [one for one in found if one.verdict is Verdict.FAIL]
    assert {(one.stage, one.suspect) for one in failed} == {(25, "device leaf-p2-r0")}
    assert {one.stage for one in found} == {25, STAGE}
    assert left_running() == ""
