"""Healthy evidence of any planned site: what its devices answer to each stage, made of its plan.

What is printed is written by hand in the forms of the tools, by the helpers beside this folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inventory.plan import Plan
from validation.evidence.store import EvidenceStore

from ..healthy import answered
from . import loads, servers, switches
from .loads import ACCEPTANCE
from .said import Said

SAYS: Mapping[int, tuple[Callable[[Plan], Said], ...]] = {
    10: (switches.addresses, servers.time, switches.clocks),
    15: (switches.modules, servers.modules),
    20: (switches.fabric,),
    25: (switches.running, switches.linux),
    30: (servers.state,),
    40: (switches.fabric, switches.running, switches.paused, servers.state, loads.df),
    42: (loads.cables,),
    45: (loads.alone,),
    50: (loads.pairs, loads.latency, loads.uplinks),
    60: (loads.incast,),
    70: (loads.collectives,),
    75: (loads.storage,),
    80: (loads.soak,),
}

_SOAK = 80


def evidence(plan: Plan, stage: int) -> EvidenceStore:
    """All that a healthy site answers to one stage."""
    found: dict[str, dict[str, str]] = {}
    for say in SAYS[stage]:
        for device, texts in say(plan).items():
            found.setdefault(device, {}).update(texts)
    store = answered(plan, found)
    if stage == _SOAK:
        store.asked.add(ACCEPTANCE.words)
    return store
