"""Switches of a small full-lossless site, and how each system shows what it runs.

The frames are those of the fetch commands; the text in them is a rendered configuration, so a
switch that runs something else is one that was rendered from another plan, or edited.
"""

from __future__ import annotations

from inventory.plan import Plan
from switch_configs import dialect, render
from switch_configs.intent import Rendered
from tests.switch_configs.cumulus import test_push as cumulus
from tests.switch_configs.eos import test_push as eos
from tests.switch_configs.nxos import test_push as nxos
from tests.switch_configs.sites import small
from tests.switch_configs.sonic import test_push as sonic
from validation.evidence.store import EvidenceStore

from .healthy import Healthy, answered

DIALECTS = ("cumulus", "eos", "nxos", "sonic")
LEAF, SPINE = "leaf-p1-r0", "spine-p1-1"
SWITCHES = frozenset({LEAF, SPINE})


def says(made: Rendered) -> str:
    """What `state_command` prints on a switch that runs this."""
    match made.dialect:
        case "cumulus":
            return cumulus.answer(made)
        case "eos":
            return eos.answer(made.files[0].text)
        case "nxos":
            return nxos.fetched(made.files[0].text)
        case "sonic":
            held = {one.path.rpartition("/")[2]: one.text for one in made.files}
            return sonic.answer(made, held["config_db.json"], held["frr.conf"])
    raise LookupError(made.dialect)


def store(plan: Plan, runs: dict[str, Rendered]) -> EvidenceStore:
    """Evidence of switches that run these configurations."""
    said = {name: {dialect(one.dialect).state_command(): says(one)} for name, one in runs.items()}
    return answered(plan, said)


def healthy(system: str, stage: int) -> Healthy:
    """A leaf and a spine that run what is rendered."""
    plan = small(system)
    runs = {name: render(plan, name) for name in SWITCHES}
    return Healthy(stage, plan, SWITCHES, store(plan, runs))
