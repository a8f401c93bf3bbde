"""A gate that comes again, and what it sends: nothing in vain, and all that it may side by side."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier

import pytest

from deploy.measuring import measure as room
from deploy.measuring.measure import measure
from deploy.measuring.stages import NODE_STATE_STAGE, QUIET_STAGE
from deploy.record.journal import Record
from inventory import open_site
from tests.deploy.nowhere import context_to_nowhere
from tests.deploy.rollout.test_gatekeeper import Nobody
from validation.evidence.store import EvidenceStore, Frame, Identity
from validation.expect import expectations
from validation.judging.gate import Word, decide
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Which last stages were asked; the first session that is expected is down."""
    asked: list[int] = []

    def validated(plan, last, store, transport, scope, *_, **__):
        asked.append(last)
        due = sorted(expectations(plan, scope, last), key=lambda one: (one.check != "bgp", one.id))
        verdicts = [Verdict.FAIL, *[Verdict.PASS] * (len(due) - 1)]
        found = [
            Finding(one.stage, one.check, one.device, one.id, verdict)
            for one, verdict in zip(due, verdicts, strict=True)
        ]
        return ValidationResult(plan.digest, last, tuple(found), {}, ())

    monkeypatch.setattr(room, "validate", validated)
    return asked


def test_while_a_session_is_down_nothing_later_is_asked_and_nothing_passes(tmp_path: Path, stages):
    context, record = context_to_nowhere(tmp_path), Record(tmp_path / "record.sqlite")
    plan, scope = context.plan, frozenset(context.plan.devices)
    store = EvidenceStore(tmp_path / "evidence")
    found = measure(context, Nobody(), store, scope, record, QUIET_STAGE, patient=True)
    record.close()
    assert stages == [NODE_STATE_STAGE]
    wanted = {one.id for one in expectations(plan, scope, QUIET_STAGE)}
    assert {one.expectation for one in found.findings} == wanted
    later = {one.verdict for one in found.findings if one.stage > NODE_STATE_STAGE}
    assert later == {Verdict.INCONCLUSIVE}
    assert decide(found, wanted).word is not Word.GO


def test_probes_and_cables_are_asked_side_by_side_and_both_are_kept(tmp_path: Path, monkeypatch):
    """Each waits until the other has begun; what cables told is in the store as well."""
    both, plan = Barrier(2, timeout=60), open_site("lab")
    frame = Frame("spine1", "wire", "d", datetime.now(UTC), Identity("", "", ""), 0, 0, "", b"")

    def probed(plan, probes, transport, store):
        both.wait()

    def worked(plan, steps, transport, store):
        both.wait()
        store.add([frame])
        store.silent["spine2"] = "no route"

    monkeypatch.setattr(room, "run_probes", probed)
    monkeypatch.setattr(room, "run_work", worked)
    store = EvidenceStore(tmp_path)
    room._probe(plan, frozenset(plan.devices), Nobody(), store)
    assert (store.get("spine1", "wire"), store.silent) == (frame, {"spine2": "no route"})
    assert (tmp_path / "spine1.frames").exists()


def test_what_stops_the_cables_stops_the_look(tmp_path: Path, monkeypatch):
    def worked(*_: object) -> None:
        raise OSError("no ssh")

    plan = open_site("lab")
    monkeypatch.setattr(room, "run_probes", lambda *_: None)
    monkeypatch.setattr(room, "run_work", worked)
    with pytest.raises(OSError, match="no ssh"):
        room._probe(plan, frozenset(plan.devices), Nobody(), EvidenceStore(tmp_path))
