"""Nothing that the texts of other systems say of the lossless class can change and be proved."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from switch_configs import intent, render
from switch_configs.intent import Rendered, SwitchIntent
from tests.switch_configs.sites import small
from tests.validation.paused.walk_text import mutants
from validation.proof.configuration import proof

LEAF = "leaf-p1-r0"
# Lines about the class, by their path.
ABOUT = {
    "cumulus": r"qos",
    "eos": r"qos|priority-flow-control|service-profile",
    "nxos": r"class-map|policy-map|system qos|service-policy|priority-flow-control",
}
# What the proof does not name, with why it harms nobody. Each of these must pass.
CUMULUS = r"cumulus: - set: > qos: > "
HARMLESS = {
    r"cumulus: - set: > interface: > \S+ > qos: > (congestion-control|pfc): > profile: \S+: "
    r"profile roce-[48]00g-30m = roce-[48]00g-30m": "both profiles say the same here",
    CUMULUS
    + r"egress-queue-mapping: .* > '[036]':: gone": "a priority has the queue of its number",
    CUMULUS
    + r"mapping: > default-global:(?!.*trust: port: gone).*: "
    + r"(gone|trust port = l3|port-default-sp 0 = [14])": ("each port has a mapping of its own"),
    CUMULUS
    + r"mapping: > roce: > dscp: > '([0-9]|1\d|2[0-3]|3[2-9]|4[0-8]|5[6-9]|6\d|26)':: gone": (
        "without it a DSCP has an eighth of it for priority, which leads where this one leads"
    ),
    CUMULUS + r"mapping: > roce: > dscp: > '(?!26|48)\d+': > .*: switch-priority 0 = [14]": (
        "priorities 1 and 4 lead where 0 leads"
    ),
    CUMULUS + r"mapping: > roce: > port-default-sp: 0: (gone|port-default-sp 0 = [14])": (
        "what is not IP stays best effort"
    ),
    CUMULUS + r"pfc-watchdog: > polling-interval: 100: gone": "100 ms without it",
    r"eos: qos profile \S+ > qos trust dscp: (gone|qos = !)": "a routed port trusts DSCP",
    r"eos: qos profile \S+ > uc-tx-queue 6 > priority strict: gone": "a queue is strict by default",
    r"nxos: class-map .*: class-map type qos match-any = match-all": "it has one line to match",
    r"nxos: policy-map .* > class class-default: gone": "its group is 0 without it",
    r"nxos: policy-map .* > shape .*: shape min 1 = (10|2|5)": "a floor below the cap, and strict",
    r"nxos: policy-map .* > shape .*: shape min 1 mbps = [gk]bps": "the same",
}


@cache
def device(name: str) -> tuple[SwitchIntent, Rendered, list[tuple[str, str]]]:
    """A leaf as asked for, as rendered, and all mutants of its text."""
    plan = small(name)
    made, asked = render(plan, LEAF), intent(plan, LEAF)
    assert isinstance(asked, SwitchIntent)
    assert proof(asked, made, None).wrong == ()
    return asked, made, list(mutants(made.files[0].text, ABOUT[name]))


@pytest.mark.parametrize("name", ABOUT)
def test_no_token_of_the_class_can_change_in_text(name, sampled):
    asked, made, every = device(name)
    passed: set[str] = set()
    named: set[str] = set()
    for what, text in sampled(every, 120):
        files = (replace(made.files[0], text=text), *made.files[1:])
        found = proof(asked, replace(made, files=files), None)
        (named if found.wrong or found.unproved else passed).add(what)
    assert {one for one in passed if not _harmless(name, one)} == set()
    assert {one for one in named if _harmless(name, one)} == set()


def _harmless(name: str, what: str) -> bool:
    return any(re.fullmatch(one, f"{name}: {what}") for one in HARMLESS)
