"""Stage 25 tells what a switch keeps as its own beside the plan, by what its own mask leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from switch_configs import render
from tests.switch_configs.shells import SHOWN, state
from tests.switch_configs.sites import small
from tests.switch_configs.test_own import ALTERED, CANARY, SHIPPED, WAYS_IN, with_more
from tests.validation.running_says import DIALECTS, LEAF
from validation.stages.s25_switch_state.running import own_otherwise
from validation.verdict import Verdict

from .test_running import judged, planned

# What NX-OS's mask has to take away whole.
UNSEEN = ("rmon", "passphrase", "role network-operator")
CASES = [
    (name, kind.partition(":")[0], more)
    for name in DIALECTS
    for kind, more in (*WAYS_IN[name].items(), *ALTERED[name])
    if name != "nxos" or not any(one in more for one in UNSEEN)
]


def as_shown(name: str, more: str) -> str:
    """The lines as the fake switch of this system takes them."""
    if name == "cumulus" and more:
        tree = yaml.load(more, Loader=yaml.BaseLoader)  # noqa: S506  it makes texts only
        return str(yaml.safe_dump([{"set": tree}], default_flow_style=False))
    return json.dumps(json.loads("{" + more.rstrip(",\n") + "}")) if name == "sonic" else more


def told(name: str, more: str, folder: Path) -> tuple[str, ...]:
    """What stage 25 has of a switch that holds these lines too."""
    plan = small(name)
    shown = SHOWN[name](render(plan, LEAF), as_shown(name, more))
    return own_otherwise(plan, LEAF, state(name, shown, folder))


@pytest.mark.instances(keep=2, by="name")
@pytest.mark.parametrize(("name", "kind", "more"), CASES)
def test_what_nobody_planned_is_told_by_its_kind_alone(tmp_path, name, kind, more):
    found = told(name, more, tmp_path)
    assert [one.partition(" of ")[2] for one in found] == [f"{kind} that nobody planned"]
    assert CANARY not in str(found)


@pytest.mark.parametrize("name", DIALECTS)
def test_what_a_new_switch_holds_is_not_told(tmp_path, name):
    assert told(name, SHIPPED[name], tmp_path) == ()
    assert told(name, "", tmp_path) == ()


@pytest.mark.parametrize("name", DIALECTS)
def test_a_way_in_fails_the_stage_and_is_named_first(name):
    plan = small(name)
    runs = planned(plan)
    kind, more = next(iter(WAYS_IN[name].items()))
    held = with_more(runs[LEAF], more)
    (one,) = judged(plan, runs | {LEAF: held})["running"]
    assert (one.verdict, one.suspect) == (Verdict.FAIL, f"device {LEAF}")
    assert one.found.startswith(f"1 of {kind} that nobody planned")
    assert CANARY not in repr(one)
