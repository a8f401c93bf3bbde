"""Stage 80 on the real lab: a cable off, one silent, a spine drained; and without BFD it fails."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from deploy.context import no_journal
from deploy.loads.s80_soak_run import run
from deploy.measuring.measure import validate_site
from deploy.rollout.preconditions import deployable
from deploy.session import open_context
from deploy.transport.ssh_run import SshTransport
from inventory.plan import Plan
from tests.faults.routing import RELOAD
from validation.evidence.store import EvidenceStore
from validation.ladder import ladder
from validation.run import validate
from validation.stages.s80_soak.drills import drills
from validation.verdict import Finding, Verdict

from .chain import SELECTION, inside, silent

pytestmark = [pytest.mark.lab, pytest.mark.full, pytest.mark.usefixtures("converged")]
LEAF = "leaf-p1-r0"


def test_the_healthy_lab_passes_its_drills_and_is_as_before():
    """Every drill is noticed and over in time; all quiet stages pass after it, nothing is left."""
    found = validate_site(SELECTION, 80, (), silent, frozenset({80}))
    mine = [one for one in found.findings if one.stage == 80]
    assert {one.verdict for one in mine} == {Verdict.PASS}, bad(mine)
    assert {one.check for one in mine} == {"soak", "steady", "detect", "switchover", "back"}
    after = validate_site(SELECTION, 44, (), silent)
    assert after.verdict is Verdict.PASS, bad(after.findings)
    assert "railbed_drill" not in inside(LEAF, "nft list ruleset")
    assert inside(LEAF, "systemctl list-timers --all --no-legend 'railbed-drill*'") == ""


def test_without_bfd_a_silent_cable_is_noticed_too_late_and_the_device_is_named(tmp_path):
    """Nine seconds of BGP's hold time are longer than the drill: detection and streams fail."""
    port = next(one.port for one in drills(plan(), everything()) if one.how == "silent")
    asn = inside(LEAF, "grep -m1 '^router bgp' /etc/frr/frr.conf").strip()
    inside(LEAF, f"vtysh -c 'conf t' -c '{asn}' -c 'no neighbor {port} bfd'")
    try:
        mine = drilled(tmp_path)
    finally:
        inside(LEAF, RELOAD)
    failed = [one for one in mine if one.check in ("detect", "switchover")]
    assert {one.verdict for one in failed} == {Verdict.FAIL}, failed
    assert {one.suspect for one in failed} == {f"device {LEAF}"}


def drilled(folder: Path) -> list[Finding]:
    """The silent drill alone, judged."""
    context = open_context(SELECTION, silent, no_journal)
    transport, store = SshTransport(context.ssh_config), EvidenceStore(folder)
    chosen = tuple(one for one in drills(plan(), everything()) if one.how == "silent")
    run(context.plan, everything(), transport, store, silent, chosen)
    others = frozenset(ladder()) - {80}
    found = validate(context.plan, 80, store, transport, everything(), leave_out=others)
    return [one for one in found.findings if "silent:" in one.expectation]


def plan() -> Plan:
    return open_context(SELECTION, silent, no_journal).plan


def everything() -> frozenset[str]:
    return deployable(plan())


def bad(findings: Iterable[Finding]) -> list[Finding]:
    return [one for one in findings if one.verdict is not Verdict.PASS]
