"""A gate that comes again: while earlier stages do not pass, later ones are not asked, nor pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy import measure as room
from deploy.measure import measure
from deploy.record import Record
from deploy.stages import NODE_STATE_STAGE, QUIET_STAGE
from tests.deploy.nowhere import context_to_nowhere
from tests.deploy.test_gatekeeper import Nobody
from validation.evidence import EvidenceStore
from validation.expect import expectations
from validation.gate import Word, decide
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
