"""Stage 40 on switches that work out headroom as their release does, and not as a later one.

What such a switch answers is summed here from the branches of the releases, by code that shares
nothing with the plan's.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest

from inventory.plan import Plan
from switch_configs.sonic.answers import lossless as sonic
from tests.switch_configs import sites
from tests.validation import lossless_says as says
from tests.validation.healthy import Healthy, answered
from tests.validation.roce_site import redis
from validation.ladder import ladder, open_ends
from validation.run import validate
from validation.verdict import Verdict

LEAF = "leaf-p1-r0"
PACKET_BYTES, MTU_BYTES, SMALL_PERCENT = 4178, 9216, 20
RELEASED = ("202405", "202411")
QUANTA = {"800000": 905, "400000": 905, "200000": 453, "100000": 394}


def worked_out(mbps: str, cable_m: int, small: int = SMALL_PERCENT) -> int:
    """Xoff in bytes of a port of Spectrum-4 whose headroom is its own.

    sonic-swss, branches 202405 to 202511, cfgmgr/buffer_headroom_mellanox.lua; what PR 4757 adds to
    it is in master and 202605 alone.
    """
    on_cable = 2 * cable_m * int(mbps) * 1_000_000_000 / 198_000_000 / (8 * 1000)
    on_tile = int(mbps) / 1000 * 120 / 8
    delay = MTU_BYTES + on_cable + 0.8 * 1024 + QUANTA[mbps] * 512 / 8 + on_tile
    by_bytes = 100 * 64 / ((small * 64 + (100 - small) * PACKET_BYTES) / 100)
    occupancy = (100 - by_bytes + by_bytes * 3) / 100
    return math.ceil((PACKET_BYTES + delay * occupancy) / 1024) * 1024


@cache
def plan_of(release: str, form: str = "dedicated", small: int = SMALL_PERCENT) -> Plan:
    """The small site on SN5600 of this release."""

    def change(site: sites.Mapping) -> None:
        site["lossless"] |= {"headroom": form, "small_packet_percentage": small}
        shipped = sites.profiles()["sn5600-sonic"]
        site["switch_profiles"] = {"mine": shipped | {"release": release}}
        for part in (site["compute"], site["storage"]["switches"], site["business"]["switches"]):
            part |= {key: "mine" for key, value in part.items() if value == "sn5600-sonic"}

    return sites.small_with("sonic", change)


def answers(plan: Plan, less: int = 0) -> dict[str, str]:
    """What the leaf says of its ports, with the headroom that its release works out."""
    ports = {port.name: port for port in plan.switch[LEAF].ports}
    told, rooms = {}, {}
    for name, port in ports.items():
        mbps, cable_m = f"{port.rate_gbps * 1000:.0f}", math.ceil(port.cable_m)
        profile = f"pg_lossless_{mbps}_{cable_m}m_mtu9216_profile"
        told[name] = says.Told(groups={"3": profile})
        xoff = str(worked_out(mbps, cable_m) - less)
        rooms[f"BUFFER_PROFILE_TABLE:{profile}"] = {"pool": "ingress_lossless_pool", "xoff": xoff}
    texts = says.sonic(told) | {"profiles": redis(rooms)}
    return {line: texts[name] for name, line in sonic.LINES.items()}


def verdicts(plan: Plan, less: int = 0) -> set[Verdict]:
    case = Healthy(40, plan, frozenset({LEAF}), answered(plan, {LEAF: answers(plan, less)}))
    others = frozenset(ladder()) - {40}
    found = validate(plan, 40, case.store, None, case.configured, leave_out=others)
    return {one.verdict for one in found.findings if one.check == "pfc"}


@pytest.mark.parametrize("release", RELEASED)
def test_a_switch_of_a_release_has_the_headroom_that_its_release_works_out(release):
    plan = plan_of(release)
    assert {one.release for one in plan.switches if one.buffers} == {release}
    assert verdicts(plan) == {Verdict.PASS}
    assert verdicts(plan, less=1024) == {Verdict.FAIL}


@pytest.mark.parametrize("release", RELEASED)
def test_that_a_release_works_out_less_than_its_maker_later_did_is_said(release):
    """Only where it does: nothing is added where headroom is shared, nor to the worst case."""

    def told(plan: Plan) -> list[str]:
        return [one for one in open_ends(plan) if "PR 4757" in one]

    (said,) = told(plan_of(release))
    assert said.startswith("stage 40 ")
    assert f"sonic {release}" in said
    assert "small_packet_percentage: 100" in said
    assert not told(plan_of(release, "shared"))
    by_table = tuple(
        replace(one, buffers=one.buffers and replace(one.buffers, asic="tomahawk5"))
        for one in plan_of(release).switches
    )
    assert not told(replace(plan_of(release), switches=by_table))
    assert not told(plan_of(release, small=100))
