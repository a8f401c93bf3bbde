"""A step of servers on which nothing differs: one trip to each, no wave, judged from that trip."""

from __future__ import annotations

from collections.abc import Sequence

from deploy.context import Context
from deploy.measuring.stages import NODE_STATE_STAGE
from deploy.servers.drift import drift
from inventory.plan import Plan
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.judging.gate import GateDecision, decide
from validation.run import validate
from validation.verdict import Finding


def judged_as_they_are(
    context: Context, transport: Transport, hosts: Sequence[str], store: EvidenceStore
) -> tuple[tuple[Finding, ...], GateDecision] | None:
    """What stage 30 says of servers that all are as planned; None where any is not.

    Nothing else is measured: no role runs, so nothing that a load stage has shown can have
    changed by this run. What the trip did not bring is inconclusive, and holds.
    """
    report = drift(context, transport, hosts, store)
    if not report.devices or any(not one.is_as_planned for one in report.devices):
        return None
    result = validate(
        context.plan,
        NODE_STATE_STAGE,
        store,
        None,
        frozenset(hosts),
        context.state_dir / "learned.json",
        leave_out=frozenset(range(NODE_STATE_STAGE)),
    )
    if not result.findings:
        return None
    return result.findings, decide(result, (finding.expectation for finding in result.findings))


def servers_of(plan: Plan, step: str) -> tuple[str, ...]:
    """The deployable servers of one step of servers, sorted."""
    missing = set(plan.undeployable)
    devices = (name for wave in plan.waves if wave.step == step for name in wave.devices)
    return tuple(sorted(name for name in devices if name not in missing))
