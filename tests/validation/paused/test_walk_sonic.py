"""Nothing in the QoS and buffer tables of SONiC can change and still be proved."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from inventory.plan import Plan
from switch_configs import intent, render
from switch_configs.intent import Rendered, SwitchIntent
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import broadcom, database, with_database
from tests.validation.paused.walk import judged, mutants
from validation.proof.configuration import proof

SITES: dict[str, tuple[Callable[[], Plan], str]] = {
    "broadcom dedicated": (lambda: broadcom("dedicated"), "leaf-p1-r0"),
    "broadcom shared": (lambda: broadcom("shared"), "leaf-p1-r0"),
    "spectrum": (lambda: small("sonic"), "leaf-p1-r0"),
    "users": (lambda: small("sonic"), "business-leaf-b1-1"),
}
# What the proof does not name, by site and mutant, with why it harms nobody. Each of these must
# pass, so that no line here hides more than it says.
HARMLESS = {
    r".*: DSCP_TO_TC_MAP\|ROCE (?!(26|48) )\d+ = [14]": "class 1 and 4 lead where class 0 leads",
    r".*: TC_TO_\w+_MAP\|ROCE [12457]": "no DSCP has this class",
    r".*: TC_TO_QUEUE_MAP\|ROCE [12457] = [14]": "no DSCP has this class, and the queue is lossy",
    r"users: DSCP_TO_TC_MAP\|UNTRUSTED \d+ = [14]": "all classes lead to one queue and group",
    r"users: TC_TO_\w+_MAP\|UNTRUSTED [1-7]": "no DSCP has this class",
    r"users: TC_TO_\w+_MAP\|UNTRUSTED \d = [14]": "nothing is paused; one queue is as good",
    r"broadcom \w+: BUFFER_PROFILE\|(egress_lossless|ingress_lossy)_profile static_th = "
    r"(1661154920|16611549[36])": "a threshold above all memory is none, as at all memory",
    r"broadcom \w+: BUFFER_PROFILE\|pg_lossless_\w+ xon": "xon is 0 without it",
    r".*: DEFAULT_LOSSLESS_BUFFER_PARAMETER\|AZURE over_subscribe_ratio": "without it nothing is "
    "shared, as with 0 (buffermgrdyn.cpp)",
    r".*: SCHEDULER\|\w+ meter_type": "bytes are the default",
    r".*: SCHEDULER\|[\w-]+ meter_type \+ bytes": "no cap is there, and bytes are the default",
}  # fmt: skip


@cache
def device(site: str) -> tuple[SwitchIntent, Rendered]:
    """A leaf as asked for and as rendered; it is proved as it stands."""
    plan, name = SITES[site][0](), SITES[site][1]
    made, asked = render(plan, name), intent(plan, name)
    assert isinstance(asked, SwitchIntent)
    assert proof(asked, made, None).wrong == ()
    return asked, made


TABLES = [(site, table) for site in SITES for table in judged(database(device(site)[1]))]


@pytest.mark.instances(keep=6)
@pytest.mark.parametrize(("site", "table"), TABLES)
def test_no_token_of_a_table_can_change(site, table, sampled):
    asked, made = device(site)
    passed: set[str] = set()
    named: set[str] = set()
    for what, wrong in sampled(mutants(database(made), table), 10):
        found = proof(asked, with_database(made, wrong), None)
        (named if found.wrong or found.unproved else passed).add(what)
    assert {one for one in passed if not _harmless(site, one)} == set()
    assert {one for one in named if _harmless(site, one)} == set()


def _harmless(site: str, what: str) -> bool:
    return any(re.fullmatch(one, f"{site}: {what}") for one in HARMLESS)
