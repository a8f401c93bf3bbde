"""The answers of a whole fabric as evidence: each switch in its own system's form."""

from __future__ import annotations

from inventory.plan import Plan
from validation.evidence.store import EvidenceStore

from ..healthy import answered
from . import eos, linux, nxos
from .state import Device

SAYS = {"eos": eos.says, "nxos": nxos.says}


def devices(plan: Plan) -> frozenset[str]:
    """All but the OOB server, which takes no part."""
    return frozenset(plan.switch) | frozenset(plan.node)


def evidence(plan: Plan, state: dict[str, Device]) -> EvidenceStore:
    """What every device answers to every line."""
    said = {
        name: SAYS[plan.switch[name].dialect](one) if name in plan.switch else linux.says(one)
        for name, one in state.items()
    }
    return answered(plan, said)
