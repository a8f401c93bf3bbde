"""No slip in the policies that all dialects share is printed, read back and found as wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from switch_configs import dialects, policies
from switch_configs.policies import GRACEFUL_SHUTDOWN, Policy
from tests.switch_configs.sites import small
from tests.validation.slips import everywhere, no_memory, refused

__all__ = ["no_memory"]

SPINE = "spine-p1-1"
REAL = policies.policies
Change = Callable[[Policy], Policy]


def _out(**wrong: object) -> Change:
    return lambda one: one if one.is_in else replace(one, **wrong)  # type: ignore[arg-type]


def _in(**wrong: object) -> Change:
    return lambda one: replace(one, **wrong) if one.is_in else one  # type: ignore[arg-type]


SLIPS: dict[str, tuple[str, Change]] = {
    "a spine sends up what came from above": (SPINE, _out(refuses=())),
    "a spine does not mark what comes from above": (SPINE, _in(adds=())),
    "everybody is drained": (SPINE, _out(adds=(GRACEFUL_SHUTDOWN,))),
    "who is drained is used like any other": (SPINE, _in(drained_last=False)),
    "what goes out is asked who is drained": (SPINE, _out(drained_last=True)),
    "a spine learns one prefix less": (
        SPINE, lambda one: replace(one, permits=one.permits[1:]) if one.is_in else one,
    ),
    "a leaf is silent about one of its own": (
        "leaf-p1-r0", lambda one: one if one.is_in else replace(one, permits=one.permits[1:]),
    ),
    "prefixes of any length": (
        SPINE, lambda one: replace(one, permits=tuple((net, 32) for net, _ in one.permits)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SLIPS)
@pytest.mark.parametrize("name", ["cumulus", "linux_frr"])
def test_a_slip_in_the_shared_policies_is_found(name, what, monkeypatch):
    switch, change = SLIPS[what]
    plan = small(name)
    assert not refused(plan, switch)
    wrong = lambda switch, *, drained=False: tuple(map(change, REAL(switch, drained=drained)))  # noqa: E731
    everywhere(monkeypatch, REAL, wrong)
    assert refused(plan, switch)


@pytest.mark.parametrize("name", dialects())
def test_a_leaf_that_passes_on_what_it_learnt_is_found(name, monkeypatch):
    plan = small(name)
    leaf = plan.switch["leaf-p1-r0"]

    def transit(switch, *, drained=False):
        learns = {one.vrf: one.learns for one in switch.tables}
        return tuple(
            one if one.is_in else replace(one, permits=learns[one.vrf])
            for one in REAL(switch, drained=drained)
        )

    everywhere(monkeypatch, REAL, transit)
    assert refused(plan, leaf.name)
