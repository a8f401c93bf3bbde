"""Stage 75: the mounts of the storage plane under 1, 2, 4 ... and all nodes, both directions.

The work is run by `deploy/loads/storage_run.py`: files in a folder of each node's own, removed
after. Where the site declares no mount, nothing is asked, and nothing counts as passed.
"""

from __future__ import annotations

from testinfra.host import Host

from validation.locating.view import View
from validation.stage import Faults, Stage, check
from validation.storage import judge
from validation.storage.expect import DirectExpected, FairExpected, PartExpected, TotalExpected

STAGE = Stage(
    number=75,
    title="Storage",
    needs=(30, 40),
    blocks="training: checkpoints and data sets come over it",
    loads=True,
)


@check("store", each=True)
def test_each_node_gets_its_part(
    host: Host, expect: tuple[PartExpected, ...], faults: Faults, view: View
) -> None:
    """A node reads and writes at its part: its NICs' rate, or its share of the mount's.

    Success: enough of that, near the others' median, all of the step at once.
    Failure: it is slower; where most are, the storage is the suspect.
    """
    for one in expect:
        judge.part(host, one, faults, view)


@check("store_total", each=True)
def test_all_get_the_rate_together(
    host: Host, expect: tuple[TotalExpected, ...], faults: Faults, view: View
) -> None:
    """What the nodes of a step get at once is what the mount promises, or their NICs carry.

    Success: the sum is at least the asked share of it.
    Failure: it is less.
    """
    for one in expect:
        judge.total(host, one, faults, view)


@check("store_fair", each=True)
def test_nodes_are_served_alike(
    host: Host, expect: tuple[FairExpected, ...], faults: Faults, view: View
) -> None:
    """The slowest node of a step gets nearly what the fastest gets.

    Success: at least the asked share of it.
    Failure: it starves beside the others.
    """
    for one in expect:
        judge.fair(host, one, faults, view)


@check("store_gds", each=True)
def test_gpus_read_directly(
    host: Host, expect: tuple[DirectExpected, ...], faults: Faults, view: View
) -> None:
    """A GPU reads from the mount by GPUDirect Storage, not through the CPU's memory.

    Success: gdsio says GPUD, at the node's part of the rate.
    Failure: it went another way, or is slower.
    """
    for one in expect:
        judge.direct(host, one, faults, view)
