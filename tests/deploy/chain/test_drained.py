"""A spine of the real lab is drained, changed and used again, and no packet is lost."""

from __future__ import annotations

import re
import time
from contextlib import closing

import pytest

from deploy.measuring.stages import QUIET_STAGE
from deploy.record.journal import Record
from deploy.rollout import runbook
from deploy.rollout.change import apply_site
from deploy.rollout.fabric_check import FabricCheck
from inventory import open_site
from inventory.plan import Plan
from switch_configs.linux_frr.files import FRR, LLDPD
from tests.deploy.lab.mesh import machine, traffic

from .chain import NAME, SELECTION, STRAY, inside, mended, silent

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="a change of a converged lab"),
]
SPINE, OTHER = "spine1", "spine2"
RATE = 300
BY_HAND = "# by hand"
RUNS = "vtysh -c 'show running-config'"
DRAINED = "bgp graceful-shutdown"


def heard_bytes_s(plan: Plan, switch: str) -> float:
    """What all data ports of a switch hear in a second."""
    files = " ".join(
        f"/sys/class/net/{one.name}/statistics/rx_bytes" for one in plan.switch[switch].ports
    )
    before, after = (
        sum(map(int, one.split()))
        for one in inside(switch, f"cat {files}; sleep 1; echo next; cat {files}").split("next")
    )
    return after - before


def test_a_spine_is_drained_changed_and_used_again_without_a_lost_packet(monkeypatch):
    """What was done by hand, in FRR too, is undone while it is idle; then it is used again."""
    plan, asked, seen = open_site("lab"), FabricCheck.missing, dict[str, float]()
    monkeypatch.setattr(runbook, "LOADED_STAGE", QUIET_STAGE)

    def missing(
        check: FabricCheck, switch: str, deadline: float, *, whole: bool
    ) -> tuple[str, ...]:
        assert switch == SPINE
        assert DRAINED in inside(SPINE, RUNS)
        assert STRAY not in inside(SPINE, RUNS), "it is drained and changed"
        assert DRAINED not in inside(SPINE, f"cat {FRR}"), "a restart would end it"
        seen.update({one: heard_bytes_s(plan, one) for one in (SPINE, OTHER)})
        return asked(check, switch, deadline, whole=whole)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    inside(SPINE, f"echo '{BY_HAND}' >>{LLDPD}; vtysh -c 'configure terminal' -c '{STRAY}'")
    said: list[str] = []
    try:
        would = apply_site(SELECTION, "switches", dry_run=True, say=silent)
        assert [one.drain for one in would.differences] == [
            f"is drained first, if its sessions work: {OTHER} can take its traffic"
        ]
        with traffic(plan, NAME, RATE, into=machine) as told:
            time.sleep(1)
            before = heard_bytes_s(plan, SPINE)
            result = apply_site(SELECTION, "switches", dry_run=False, say=said.append)
            again = heard_bytes_s(plan, SPINE)
    finally:
        monkeypatch.undo()
        if DRAINED in inside(SPINE, RUNS):
            mended("switches")
    assert result.exit_code == 0, result.outcome
    assert told.sent > 3000
    assert told.lost == []
    ports = len(plan.switch[SPINE].ports)
    assert seen[SPINE] < 3000 * ports < min(before, again, seen[OTHER]), (before, seen, again)
    runs, file = inside(SPINE, RUNS), inside(SPINE, f"cat {FRR}")
    assert [one for one in (DRAINED, STRAY) if one in runs or one in file] == []
    assert BY_HAND not in inside(SPINE, f"cat {LLDPD}")
    with closing(Record(SELECTION.state_dir / "record.sqlite")) as record:
        rows = [one for one in record.changes(result.run or 0) if one.device == SPINE]
    phases = list(dict.fromkeys(one.phase for one in rows))
    assert phases.index("drain") < phases.index("stage") < phases.index("apply")
    assert phases.index("confirm") < phases.index("undrain") < phases.index("save")
    (counted,) = [one.detail for one in rows if one.phase == "drain" and "idle by" in one.detail]
    assert re.search(r"at most [\d,]+ B/s on swp\d", counted), counted
