from __future__ import annotations

import io
import shutil
from dataclasses import dataclass

import pytest
from rich.console import Console

from deploy import show
from deploy.differences import Causes, keep
from deploy.errors import RefusedError
from deploy.rollout import saved_plan
from deploy.rollout.ordered import lines, order_since, refuse_wrong_waves
from deploy.rollout.survey import Survey
from inventory import open_site
from inventory.load.site import site_folder
from inventory.plan import Plan, Wave
from tests.validation.order.plans import changed, plan
from tests.validation.order.test_order import asn, lossless, mtu, one_spine
from validation.order.order import order


def test_an_order_is_told_step_by_step_with_its_reasons():
    told = list(lines(order(plan("two"), changed("two", lossless(dscp=34)))))
    assert told[0].startswith("order: the waves as planned are wrong: node-p1-1 > leaf-p1-r0: ")
    assert told[1].startswith("order: 7 steps of which no state is wrong (")
    assert told[2] == (
        "order: 1. spine1 and 3 more, together: old -> ready: takes DSCP 34 in priority 3; "
        "accepts both, so that it does not matter who sends which"
    )
    assert told[-1] == (
        "order: `moved` is a plan to apply by itself: "
        "fabric.yml with lossless.dscp: 34, lossless.also_dscps: [26]"
    )


def test_what_fabric_yml_cannot_say_is_told():
    (last,) = list(lines(order(plan("two"), changed("two", asn(spines=4200070000)))))[-1:]
    assert "remote-as external" in last
    told = "\n".join(lines(order(plan("two"), changed("two", lossless(priority=4)))))
    assert "which nobody uses, stands for 26 meanwhile" in told
    assert "two lossless priorities at once" in told


def test_right_waves_and_nothing_to_do_are_short():
    (told,) = lines(order(plan("two"), changed("two", mtu(4200, 4400))))
    assert told.startswith("order: waves as planned: no state of them is wrong")
    assert list(lines(order(plan("two"), plan("two")))) == []


def test_a_refusal_says_the_state_and_what_would_help():
    made = one_spine()
    told = list(lines(order(made, made, ["spine1"])))
    assert told[1].startswith("order: no order avoids this state: ")
    assert "spine1 away" in told[1]
    assert "another switch beside it" in told[2]


def test_a_saved_plan_has_the_order_since_the_last_apply(tmp_path):
    folder, state = tmp_path / "lab", tmp_path / "state"
    shutil.copytree(site_folder("lab"), folder)
    state.mkdir()
    before = open_site(folder)
    keep(str(folder), state, before.digest)
    path = folder / "fabric.yml"
    path.write_text(path.read_text().replace("hosts: 9000", "hosts: 9200"))
    now = open_site(folder)
    assert order_since(before, Causes(str(folder), state, before.digest)) == ()
    told = order_since(now, Causes(str(folder), state, now.digest))
    assert told[-1].startswith("order: waves as planned")
    survey = Survey(now.digest, frozenset(), (), (), {}, {})
    made = saved_plan.saved_plan("lab", "lab", "", survey, ("\x1b[2Jorder: evil", *told))
    saved_plan.write(made, tmp_path / "saved.json")
    read = saved_plan.read(tmp_path / "saved.json")
    assert read.order[1:] == told
    file = io.StringIO()
    show.saved_text(read, tmp_path / "saved.json", Console(file=file, width=400))
    text = file.getvalue()
    assert told[-1] in text
    assert "\x1b" not in text


@dataclass(frozen=True)
class Before:
    """What `Causes` says of an earlier plan."""

    plan: Plan | None
    is_first: bool = True


WAVES = (Wave("all", "switches", tuple(sorted({*plan("two").switch, *plan("two").node})), False),)


def test_waves_that_lose_packets_are_not_applied():
    old, new = plan("two"), changed("two", lossless(dscp=34))
    with pytest.raises(RefusedError, match="in which jobs lose packets: ") as refused:
        refuse_wrong_waves(new, Before(old), WAVES)  # type: ignore[arg-type] # what is asked of it
    assert "--accept-loss" in refused.value.hint


@pytest.mark.parametrize(
    "before",
    [Before(None, is_first=False), Before(plan("two")), Before(plan("two"), is_first=False)],
    ids=["the first apply", "the same", "taken up again"],
)
def test_what_has_no_step_before_it_is_applied(before):
    wrong = changed("two", lossless(dscp=34))
    new = plan("two") if before.plan and before.is_first else wrong
    refuse_wrong_waves(new, before, WAVES)


def test_waves_after_a_plan_that_nobody_can_read_are_not_applied():
    with pytest.raises(RefusedError, match="cannot be read"):
        refuse_wrong_waves(plan("two"), Before(None), WAVES)  # type: ignore[arg-type]


def test_of_one_step_its_own_waves_are_judged():
    """Larger packets of hosts: switches first are right, hosts first are not."""
    old, new = changed("two", mtu(4200, 4400)), plan("two")
    nodes = (Wave("nodes", "nodes", tuple(sorted(old.node)), False),)
    switches = (Wave("switches", "switches", tuple(sorted(old.switch)), False),)
    refuse_wrong_waves(new, Before(old), switches)  # type: ignore[arg-type]
    with pytest.raises(RefusedError, match="bytes"):
        refuse_wrong_waves(new, Before(old), nodes)  # type: ignore[arg-type]
