"""Stage 50: pairs recorded from real iperf3 in a lab, and counters of its uplinks made by hand."""

from __future__ import annotations

from dataclasses import replace

from inventory.plan import Plan
from validation.evidence.store import EvidenceStore

from ..recorded import EVIDENCE, lab
from . import Healthy

# Counters are read in each system's own form: as if one leaf each ran it.
_RUNS = {"leaf-p1-r1": "sonic", "leaf-p2-r0": "eos", "leaf-p2-r1": "nxos"}


def plan() -> Plan:
    """The lab's, with leaves of FRR, SONiC, EOS and NX-OS."""
    switches = (replace(one, dialect=_RUNS.get(one.name, one.dialect)) for one in lab().switches)
    return replace(lab(), switches=tuple(switches))


def healthy() -> Healthy:
    """Twelve flows, all at their rate; each leaf's uplinks loaded one after the other."""
    from ..uplinks import asked, counted

    store, of = EvidenceStore(), plan()
    loaded = EvidenceStore.load(EVIDENCE / "pairs" / "healthy")
    store.add(replace(one, plan_digest=of.digest) for one in loaded)
    for one in asked(of):
        first, *others = (up.port for up in one.uplinks)
        store.add(counted(of, one, one.rounds[0], [first]))
        store.add(counted(of, one, one.top_ups[0], others))
    return Healthy(50, of, frozenset(of.devices), store)
