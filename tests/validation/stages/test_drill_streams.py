"""Enough streams cross what a drill pulls, however wide the fabric: hashed flow by flow."""

from __future__ import annotations

import random

import pytest

from inventory import open_site
from inventory.plan import Plan
from inventory.starter import ASBUILT_CSV, Wish, starter_text
from tests.bench.init_space import shelf
from validation.on_node.stream import Flow
from validation.stages.s80_soak.crossing import Crossed, own_frames
from validation.stages.s80_soak.drills import Drill, drills
from validation.stages.s80_soak.terms import drilling

from ..hashed import frames_per_s

SEEDS = 10


def stock_site(folder, nodes: int, switch: str) -> Plan:
    """Two tiers whose leaves all rails share."""
    wish = Wish("wide", nodes, "hgx-h100", switch, "two-tier", "none", "none", None, 1.0)
    (folder / "fabric.yml").write_text(starter_text(wish, shelf()), encoding="utf-8")
    (folder / "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
    return open_site(folder)


def unshown(plan: Plan, drill: Drill, seed: str) -> str:
    """Why a healthy second says nothing of it."""
    switch = plan.switch[drill.device]
    ports = [drill.port] if drill.port else [one.name for one in switch.ports]
    counted = frames_per_s(plan, drill, seed=seed)
    before = sum(counted[port] for port in ports)
    own = own_frames(switch, ports, 1)
    least = drill.crossing.frames_per_s * drilling().least_crossing
    return Crossed(before, 0, own, own, 1, least).unshown(goes_on=False)


def seen(plan: Plan) -> list[str]:
    """The kinds of drills that are not refused, each shown by every seed."""
    every = [one for one in drills(plan, frozenset(plan.devices)) if not one.refusal]
    for drill in every:
        assert drill.crossing.source_ports < 64, drill.id
        assert [unshown(plan, drill, f"{seed}") for seed in range(SEEDS)] == [""] * SEEDS, drill.id
    return [one.how for one in every]


@pytest.mark.parametrize(
    ("nodes", "switch"),
    [
        (20, "whitebox-64x800-frr"),
        (128, "whitebox-64x800-frr"),
        (128, "sn5600-sonic"),
    ],
)
@pytest.mark.instances(keep=1, of="widths of a fabric under drills")
def test_streams_of_a_two_tier_site_cross_what_is_pulled(tmp_path, nodes, switch):
    """By ECMP only one flow in 32 or 64 is on a cable of a leaf, or over a spine."""
    how = ["drain", "off", "silent"] if switch.endswith("frr") else ["drain", "off"]
    assert seen(stock_site(tmp_path, nodes, switch)) == how


@pytest.mark.parametrize("seed", range(40))
def test_the_longest_gap_of_an_interval_is_that_of_all_packets_looked_at_one_by_one(seed):
    drawn = random.Random(seed)
    flow = Flow.__new__(Flow)
    flow.sent = sorted(drawn.sample(range(40), drawn.randrange(1, 20)))
    flow.back = {number: 0.0 for number in range(len(flow.sent)) if drawn.random() < 0.5}
    since = drawn.randrange(30)
    until = since + drawn.randrange(1, 12)
    assert flow.worst_gap_s(since, until) == one_by_one(flow, since, until)


def one_by_one(flow: Flow, since: float, until: float) -> float:
    """From the answered packet before each lost one of the interval to the answered one after."""
    worst = 0.0
    for lost in (n for n, at in enumerate(flow.sent) if since <= at < until and n not in flow.back):
        before = [flow.sent[n] for n in range(lost) if n in flow.back]
        after = [flow.sent[n] for n in range(lost, len(flow.sent)) if n in flow.back]
        worst = max(worst, min(after, default=until) - max(before, default=since))
    return worst


@pytest.mark.full
def test_streams_of_three_tiers_cross_what_is_pulled():
    """Of the streams between pods, the only ones that reach a spine's uplinks."""
    assert seen(open_site("superpod-10k")) == ["drain", "off", "off"]
