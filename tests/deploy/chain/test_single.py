"""Stage 45 on the real lab: each node copies memory and writes files; a full disk is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy.measuring.measure import Measured, validate_site
from inventory import open_site
from validation.verdict import Verdict

from .chain import SELECTION, inside, silent

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="one stage that loads, healthy and hurt"),
]
STAGE = 45


def measured() -> Measured:
    return validate_site(SELECTION, STAGE, (), silent, frozenset({STAGE}))


@contextmanager
def small_disk(node: str) -> Iterator[None]:
    """A scratch folder with room for next to nothing."""
    inside(node, "mount -t tmpfs -o size=8m none /var/tmp")
    try:
        yield
    finally:
        inside(node, "umount /var/tmp")


def test_each_node_is_measured_and_left_as_it_was():
    """Real memory and real fio on all four nodes; no file and no process stays."""
    found = [one for one in measured().findings if one.stage == STAGE]
    assert sorted(one.check for one in found) == ["disk"] * 8 + ["memory"] * 4
    assert {one.verdict for one in found} == {Verdict.PASS}, found
    assert all(one.figure and one.figure.value > 0 for one in found)
    for node in open_site("lab").node:
        assert inside(node, "ls -A /var/tmp | grep railbed || true") == ""
        assert inside(node, "pgrep -a 'fio|memory_copy' || true") == ""


def test_a_disk_without_room_is_told_and_not_filled():
    """The node with the full disk fails there, and says why; the others pass."""
    with small_disk("node-p2-1"):
        found = [one for one in measured().findings if one.stage == STAGE]
    bad = {one.expectation: one for one in found if one.verdict is not Verdict.PASS}
    assert set(bad) == {"disk:node-p2-1:read", "disk:node-p2-1:write"}
    assert {one.suspect for one in bad.values()} == {"disk under /var/tmp of node-p2-1"}
    assert {one.verdict for one in bad.values()} == {Verdict.FAIL}
    assert all("KiB free" in one.found for one in bad.values())
