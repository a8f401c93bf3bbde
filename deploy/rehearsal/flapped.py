"""What flapped, was reset or failed during an act, by two looks of stage 80 at each device."""

from __future__ import annotations

from deploy.context import no_journal
from deploy.loads.work_run import run
from deploy.session import Selection, open_context
from deploy.switches.typed_run import way
from inventory.plan import Plan
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.stages.s80_soak.expect import SteadyExpected
from validation.stages.s80_soak.work import steady_step
from validation.verdict import Verdict

_STAGE, _CHECK = SteadyExpected.stage, SteadyExpected.check


def look(selection: Selection, plan: Plan, when: str, store: EvidenceStore) -> None:
    """Ask each switch and node what it counts of ports and sessions, `before` or `after`.

    `plan` is the one that the act began with, at both looks: what was there is compared. After it
    they are reached as the selected site's own plan says, and the SSH files are left so.
    """
    reached = plan if when == "before" else None
    context = open_context(selection, lambda _: None, no_journal, reached)
    run(plan, (steady_step(plan, _all(plan), when),), way(context), store)


def flapped(plan: Plan, store: EvidenceStore) -> tuple[str, ...]:
    """What is not as before, device by device, and of whom that is not known."""
    found = validate(
        plan, _STAGE, store, None, _all(plan), leave_out=frozenset(range(_STAGE)),
        checks=frozenset({_CHECK}),
    )  # fmt: skip
    return tuple(
        f"{one.device}: {'' if one.verdict is Verdict.FAIL else 'not known: '}{one.found}"
        for one in sorted(found.findings, key=lambda one: one.device)
        if one.verdict is not Verdict.PASS
    )


def _all(plan: Plan) -> frozenset[str]:
    return frozenset({*plan.switch, *plan.node})
