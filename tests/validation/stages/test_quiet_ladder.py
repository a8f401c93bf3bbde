"""All that is asked of the switches of a lossless fabric before anything is loaded, at once.

Every other test takes a check alone; this one shows that none is left that could never pass.
"""

from __future__ import annotations

from collections import Counter

import pytest

from switch_configs import dialect, render
from tests.switch_configs.sites import small
from tests.validation import lossless_site, running_says
from tests.validation.healthy import answered
from tests.validation.lossless_says import WELL
from tests.validation.shows.fabric import evidence
from tests.validation.shows.state import healthy
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.verdict import Finding, Verdict

STAGES = {20: {"bgp", "lldp", "route", "routes", "up"}, 25: {"running"}, 40: {"lossless", "mtu"}}
TELLS_PFC = {"nxos"}


def told(system: str) -> EvidenceStore:
    """What the switches of a healthy fabric answer to everything."""
    plan = small(system)
    store, said = evidence(plan, healthy(plan)), dict[str, dict[str, str]]()
    for name in sorted(plan.switch):
        said[name] = {
            dialect(system).state_command(): running_says.says(render(plan, name)),
        }
        if system in TELLS_PFC:
            ports = dict.fromkeys(lossless_site.carrying(plan, name), WELL)
            said[name] |= lossless_site.said(system, ports) if ports else {}
    store.add(answered(plan, said))
    return store


def of_switches(system: str) -> list[Finding]:
    plan = small(system)
    every = frozenset(plan.switch) | frozenset(plan.node)
    found = validate(plan, 40, told(system), None, every, leave_out=frozenset({10, 15, 30}))
    return [one for one in found.findings if one.device in plan.switch]


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_every_switch_passes_all_of_it(system):
    found = of_switches(system)
    assert [one for one in found if one.verdict is not Verdict.PASS] == []
    checks = {stage: {one.check for one in found if one.stage == stage} for stage in STAGES}
    more = {"pfc"} if system in TELLS_PFC else set[str]()
    assert checks == STAGES | {40: STAGES[40] | more}
    of_each = Counter(one.device for one in found if one.check in ("running", "lossless"))
    assert of_each == dict.fromkeys(small(system).switch, 2)
