"""Stage 45: healthy and broken nodes, each fault at the part that has it, and the power ramp."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import pairwise

import pytest

from inventory import open_site
from inventory.plan import Plan
from tests.validation import single_says as says
from tests.validation.healthy import answered, frame
from tests.validation.healthy.stage_45 import healthy
from tests.validation.recorded import lab
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.stages.s45_single_node import nics, work
from validation.stages.s45_single_node.expect import expectations
from validation.stages.s45_single_node.ramp import Draw, Feed, RampError, draws, waves
from validation.stages.s45_single_node.terms import made_of, terms
from validation.stages.s45_single_node.work import steps
from validation.verdict import Figure, Finding, Verdict

CASE = healthy()
NAME = sorted(CASE.configured)[1]
NODE = CASE.plan.node[NAME]
BURN = work.burn_command("/opt/gpu-burn/gpu_burn")
SITES = ("pod-256", "superpod-10k")


def judged(**changed: str):
    """The findings where one node says something else; those that do not pass, by check."""
    said = {name: says.node_says(CASE.plan, name) for name in sorted(CASE.configured)}
    said[NAME] |= changed
    return findings(answered(CASE.plan, said))


def findings(store: EvidenceStore, plan: Plan = CASE.plan) -> list[Finding]:
    others = frozenset(range(100)) - {45}
    found = validate(plan, 45, store, None, CASE.configured, leave_out=others).findings
    return [one for one in found if one.verdict is not Verdict.PASS]


def test_healthy_nodes_pass_and_keep_their_figures():
    others = frozenset(range(100)) - {45}
    found = validate(CASE.plan, 45, CASE.store, None, CASE.configured, leave_out=others).findings
    assert {one.verdict for one in found} == {Verdict.PASS}
    checks = {"memory", "disk", "nvlink", "dcgm", "burn", "nic_self", "nvlink_reduce"}
    assert {one.check for one in found} == checks
    figure = {one.expectation: one.figure for one in found}
    copied = "probe memory_copy seconds=2 of 307.2"
    assert figure[f"memory:{NAME}:numa1"] == Figure(240.0, "GB/s", copied)
    burnt = f"probe burn /opt/gpu-burn/gpu_burn seconds=120 on {says.MODEL}"
    assert figure[f"burn:{NAME}:gpu2"] == Figure(401800.0, "Gflop/s", burnt)


@pytest.mark.parametrize(
    ("command", "text", "expectation", "suspect", "found"),
    [
        (
            work.burn_command("/opt/gpu-burn/gpu_burn"),
            says.burn(NODE, slow=3),
            f"burn:{NAME}:gpu3",
            f"GPU {NAME}:0000:61:00.0 (serial {says.serial(NODE, 3)})",
            "worse than the fleet's median",
        ),
        (
            work.burn_command("/opt/gpu-burn/gpu_burn"),
            says.burn(NODE, faulty=5),
            f"burn:{NAME}:gpu5",
            f"GPU {NAME}:0000:c3:00.0 (serial {says.serial(NODE, 5)})",
            "wrong values",
        ),
        (
            work.NVLINK,
            says.nvlink(NODE, slow=(6, 11)),
            f"nvlink:{NAME}:gpu6",
            f"GPU {NAME}:0000:d1:00.0 (serial {says.serial(NODE, 6)})",
            "link 11: 13.281 GB/s",
        ),
        (
            work.dcgm_command(3),
            says.dcgm(NODE, ("memory", 2, "Fail")),
            f"dcgm:{NAME}:gpu2",
            f"GPU {NAME}:0000:52:00.0 (serial {says.serial(NODE, 2)})",
            "memory: fail",
        ),
    ],
)
def test_a_bad_gpu_is_named_by_address_and_serial(command, text, expectation, suspect, found):
    bad = {one.expectation: one for one in judged(**{command: text})}
    assert bad[expectation].verdict is Verdict.FAIL
    assert (bad[expectation].suspect, found in bad[expectation].found) == (suspect, True)
    assert set(bad) <= {expectation, f"dcgm:{NAME}"}


def test_a_hot_gpu_is_slowed_down_by_its_heat():
    command = work.burn_command("/opt/gpu-burn/gpu_burn")
    bad = judged(**{command: says.burn(NODE, hot=83)})
    assert {one.expectation for one in bad} == {f"burn:{NAME}:gpu{at}" for at in range(4, 8)}
    assert all("below 87 is asked" in one.found for one in bad)


def test_a_burn_without_its_heat_is_no_pass():
    """gpu_burn prints `--` where nvidia-smi failed: nobody knows how hot it was."""
    bad = judged(**{BURN: says.burn(NODE, hot=None)})
    assert {one.expectation for one in bad} == {f"burn:{NAME}:gpu{at}" for at in range(8)}
    assert {one.verdict for one in bad} == {Verdict.INCONCLUSIVE}
    assert all("no heat" in one.found and "nvidia-smi" in one.hint for one in bad)
    also_slow = judged(**{BURN: says.burn(NODE, slow=3, hot=None)})
    assert [one.expectation for one in also_slow if one.verdict is Verdict.FAIL] == [
        f"burn:{NAME}:gpu3"
    ]


def test_a_burn_of_a_model_without_a_limit_of_heat_is_no_pass():
    """On a whole fleet of it, so that its rate has a norm."""
    for model in ("NVIDIA B300 SXM6 AC", "NVIDIA X900"):
        said = {name: says.node_says(CASE.plan, name) for name in sorted(CASE.configured)}
        for name, mine in said.items():
            told = {work.WHO: mine[work.WHO], BURN: mine[BURN]}
            mine.update({key: text.replace(says.MODEL, model) for key, text in told.items()})
            assert model in said[name][BURN]
        bad = [one for one in findings(answered(CASE.plan, said)) if one.check == "burn"]
        assert {one.verdict for one in bad} == {Verdict.INCONCLUSIVE}
        assert len(bad) == 8 * len(CASE.configured)
        assert all("how hot" in one.found and "tlimit" in one.hint for one in bad)


@pytest.mark.parametrize("status", ["Skip", "Warn", "Not Run"])
def test_a_test_of_dcgm_that_did_not_run_is_no_pass(status):
    bad = judged(**{work.dcgm_command(3): says.dcgm(NODE, ("targeted_power", 0, status))})
    ids = {f"dcgm:{NAME}", f"dcgm:{NAME}:gpu0"}
    assert {(one.expectation, one.verdict) for one in bad} == {
        (one, Verdict.INCONCLUSIVE) for one in ids
    }


def test_a_test_of_dcgm_that_passed_without_its_memory_is_no_pass():
    """github.com/NVIDIA/DCGM/issues/284: it could not allocate what it tests, and says Pass."""
    document = json.loads(says.dcgm(NODE))
    tests = document["DCGM Diagnostic"]["test_categories"][1]["tests"]
    memory = next(one for one in tests if one["name"] == "memory")
    memory["results"][1]["info"] = ["Couldn't allocate at least 75.0% of GPU memory on GPU 1"]
    bad = judged(**{work.dcgm_command(3): json.dumps(document)})
    assert [(one.expectation, one.verdict) for one in bad] == [
        (f"dcgm:{NAME}:gpu1", Verdict.INCONCLUSIVE)
    ]
    assert "Couldn't allocate" in bad[0].found


def test_a_gpu_that_a_test_of_dcgm_says_nothing_of_is_no_pass():
    """What it says of the others is no result of this one."""
    document = json.loads(says.dcgm(NODE))
    tests = document["DCGM Diagnostic"]["test_categories"][1]["tests"]
    memory = next(one for one in tests if one["name"] == "memory")
    memory["results"] = [one for one in memory["results"] if one["entity_id"] != 1]
    bad = judged(**{work.dcgm_command(3): json.dumps(document)})
    assert [(one.expectation, one.verdict) for one in bad] == [
        (f"dcgm:{NAME}:gpu1", Verdict.INCONCLUSIVE)
    ]
    assert "memory tells nothing of it" in bad[0].found


def test_dcgm_of_a_lower_level_is_no_pass():
    text = says.dcgm(NODE).replace("targeted_power", "something_else")
    bad = judged(**{work.dcgm_command(3): text})
    assert len(bad) == 9
    assert all("targeted_power did not run" in one.found for one in bad)


@pytest.mark.parametrize(
    ("status", "bad", "verdict"),
    [
        (226, None, Verdict.INCONCLUSIVE),
        (205, None, Verdict.INCONCLUSIVE),
        (226, ("pcie", 1, "Fail"), Verdict.FAIL),
    ],
)
def test_dcgms_status_makes_no_pass_and_hides_no_failure(status, bad, verdict):
    store = healthy().store
    one = frame(CASE.plan, NAME, work.dcgm_command(3), says.dcgm(NODE, bad))
    other = says.frame_less(store, NAME, one.command)
    other.add([replace(one, exit_status=status)])
    found = {one.expectation: one.verdict for one in findings(other)}
    assert found[f"dcgm:{NAME}:gpu1"] is verdict


def test_slow_memory_and_disk_are_told_by_the_fleet_and_the_plan():
    files = work.scratch(NODE)
    assert files
    bad = judged(
        **{
            work.memory_command(NODE, None): says.memory(NODE, 150.0),
            work.disk_command(files): says.fio(files, read_bps=2e9),
        }
    )
    found = {one.expectation: one for one in bad}
    assert set(found) == {f"memory:{NAME}:numa0", f"memory:{NAME}:numa1", f"disk:{NAME}:read"}
    assert found[f"disk:{NAME}:read"].suspect == f"disk /dev/md0 of {NAME}"
    assert "49% of 307.2" in found[f"memory:{NAME}:numa0"].found


def test_a_nic_in_a_narrow_slot_is_named_with_its_slot():
    mine = [one for one in nics.paths(NODE) if one.device == "mlx5_3"]
    bad = judged(**{work.nic_command(one): says.nic(one, 195) for one in mine})
    assert {one.suspect for one in bad} == {f"NIC {NAME}:enp64s0np0 (0000:40:00.0)"}
    assert len(bad) == len(mine)
    more = judged(**{work.nic_command(mine[0]): says.nic(mine[0], 800)})
    assert [(one.verdict, "more than there is" in one.found) for one in more] == [
        (Verdict.INCONCLUSIVE, True)
    ]


@pytest.mark.parametrize(
    ("text", "verdict", "suspect", "found"),
    [
        (says.all_reduce(NODE, 430), Verdict.FAIL, f"NVLinks of {NAME}", "90% of 480"),
        (says.all_reduce(NODE, wrong=3), Verdict.FAIL, f"GPUs of {NAME}", "3 values"),
        (
            says.all_reduce(NODE).replace("478.00", "978.00"),
            Verdict.INCONCLUSIVE,
            f"device {NAME}",
            "",
        ),
    ],
)
def test_a_node_that_reduces_slowly_or_wrong_is_named(text, verdict, suspect, found):
    bad = judged(**{work.all_reduce_command(NODE): text})
    assert [(one.expectation, one.verdict, one.suspect) for one in bad] == [
        (f"nvlink_reduce:{NAME}", verdict, suspect)
    ]
    assert found in bad[0].found


def reduced(gpus: int, busbw: float) -> list[Finding]:
    """Nodes of so many GPUs, all reducing at 300 GB/s but for one: what does not pass of that."""
    few = tuple(replace(one, gpus=one.gpus[:gpus]) for one in CASE.plan.nodes)
    plan = replace(CASE.plan, nodes=few)
    said = {name: says.node_says(plan, name) for name in sorted(CASE.configured)}
    for name, node in ((one, plan.node[one]) for one in said if gpus > 1):
        text = says.all_reduce(node, busbw if name == NAME else 300)
        said[name] |= {work.all_reduce_command(node): text}
    made = [one for one in expectations(plan, CASE.configured) if one.check == "nvlink_reduce"]
    assert len(made) == (len(said) if gpus > 1 else 0)
    jobs = [job.command for step in steps(plan, CASE.configured) for job in step]
    assert any("all_reduce" in job for job in jobs) == bool(made)
    return findings(answered(plan, said), plan)


def test_the_figure_of_eight_gpus_is_asked_of_eight():
    """Four meet over fewer links, so their fleet is the norm; one alone has nobody to meet."""
    assert reduced(1, 0) == reduced(4, 300) == []
    assert [(one.expectation, one.verdict) for one in reduced(4, 250)] == [
        (f"nvlink_reduce:{NAME}", Verdict.FAIL)
    ]
    assert len(reduced(8, 300)) == len(CASE.configured)


def test_a_driver_that_tells_no_link_has_none():
    """As an H200's did in a virtual machine that was given no NVSwitch."""
    bad = judged(**{work.NVLINK: "end 0\n"})
    assert {one.expectation for one in bad} == {f"nvlink:{NAME}:gpu{at}" for at in range(8)}
    assert {one.verdict for one in bad} == {Verdict.FAIL}
    assert all("18 of 18 links" in one.found and "NvLinkDisable" in one.hint for one in bad)
    lines = says.nvlink(NODE).splitlines()[:-20]  # all but the last GPU's
    bad = judged(**{work.NVLINK: "\n".join([*lines, f"end {len(lines)}"]) + "\n"})
    assert {one.verdict for one in bad} == {Verdict.INCONCLUSIVE}


def test_without_a_norm_nothing_is_known():
    few = frozenset(sorted(CASE.configured)[:2])
    others = frozenset(range(100)) - {45}
    found = validate(CASE.plan, 45, CASE.store, None, few, leave_out=others).findings
    disks = [one for one in found if one.check == "disk"]
    assert {one.verdict for one in disks} == {Verdict.INCONCLUSIVE}
    assert "2 are no fleet" in disks[0].found


def test_an_unknown_model_of_gpu_has_no_limits_to_pass():
    other = {work.WHO: says.who(NODE).replace("H100 80GB HBM3", "X900")}
    bad = judged(**other)
    assert {one.verdict for one in bad if one.check == "nvlink"} == {Verdict.INCONCLUSIVE}


def test_the_lab_is_asked_for_memory_and_disk_alone():
    some = steps(lab(), frozenset(lab().devices))
    assert [sorted({job.command.split()[1] for job in step}) for step in some] == [
        ["memory_copy"],
        ["disk"],
    ]


def test_nobody_is_asked_before_it_is_configured():
    assert steps(CASE.plan, frozenset()) == ()


@pytest.mark.parametrize("site", SITES)
def test_no_wave_of_a_site_adds_more_than_a_step(site):
    """Every GPU node once; on each PDU, rack and row at most the declared share of its limit."""
    plan, asked = open_site(site), terms().ramp
    nodes = [one.name for one in plan.nodes if one.gpus]
    order = waves(draws(plan, nodes, asked))
    assert sorted(name for wave in order for name in wave) == sorted(nodes)
    assert len(order) <= 8
    racks = {one.device: (rack, one.power_w) for rack in plan.racks for one in rack.devices}
    for wave in order:
        rack_w: dict[str, float] = {}
        row_w: dict[str, float] = {}
        for name in wave:
            rack, watts = racks[name]
            rack_w[rack.name] = rack_w.get(rack.name, 0) + watts
            row_w[rack.row] = row_w.get(rack.row, 0) + watts
        for rack in plan.racks:
            added = rack_w.get(rack.name, 0)
            assert added <= rack.limit_w * asked.rack_step
            assert added / (len(rack.pdus) - 1) <= rack.pdu_limit_w * asked.pdu_step
            whole = sum(one.limit_w for one in plan.racks if one.row == rack.row)
            assert row_w.get(rack.row, 0) <= whole * asked.row_step


@pytest.mark.parametrize("seed", range(60))
def test_waves_of_any_feeds_keep_their_steps(seed):
    """Property: all nodes once, no feed beyond its step, and no two neighbours could be joined."""
    rng = random.Random(seed)
    feeds = [Feed(f"feed{at}", rng.choice([500, 900, 2000])) for at in range(rng.randint(1, 12))]
    some = tuple(
        Draw(
            f"n{at:03d}",
            tuple(
                (feed, rng.uniform(1, feed.step_w))
                for feed in rng.sample(feeds, rng.randint(1, min(3, len(feeds))))
            ),
        )
        for at in range(rng.randint(0, 80))
    )
    order = waves(some)
    on = {one.node: one.on for one in some}
    assert sorted(name for wave in order for name in wave) == sorted(on)

    def added(wave: tuple[str, ...]) -> dict[str, float]:
        sums: dict[str, float] = {}
        for feed, watts in (each for name in wave for each in on[name]):
            sums[feed.name] = sums.get(feed.name, 0) + watts
        return sums

    steps_w = {feed.name: feed.step_w for feed in feeds}
    for wave in order:
        assert all(watts <= steps_w[name] for name, watts in added(wave).items())
    for first, second in pairwise(order):
        both = added((*first, second[0]))
        assert any(watts > steps_w[name] for name, watts in both.items())


def test_a_node_beyond_every_step_is_refused_by_name():
    heavy = Draw("node-p1-1", ((Feed("rack-p1-1-pdu1", 400.0), 3400.0),))
    with pytest.raises(RampError, match="node-p1-1 adds 3400 W to rack-p1-1-pdu1"):
        waves([heavy])


def test_nodes_of_unknown_power_burn_one_after_the_other():
    order = waves(draws(lab(), [one.name for one in lab().nodes], terms().ramp))
    assert [len(wave) for wave in order] == [1] * len(lab().nodes)


def test_heavy_work_runs_in_waves_and_nothing_else_does():
    """DCGM's targeted power is as heavy as a burn: both are in the wave of their node."""
    some = steps(CASE.plan, frozenset(one.name for one in CASE.plan.nodes))
    hot = [
        {job.device for job in step} for step in some if any("burn" in job.command for job in step)
    ]
    kinds = {job.command.split()[1] for step in some[-len(hot) :] for job in step}
    assert kinds == {"burn", "dcgm", "all_reduce"}
    assert sum(len(one) for one in hot) == 32
    assert len(hot) == 4


def test_thresholds_are_read_strictly():
    with pytest.raises(ValueError, match="nvlink: least: missing"):
        made_of(type(terms().nvlink), {"source": "x"}, "nvlink")
