"""Stage 75: mounts under few and many nodes; who is blamed, and what is no result."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from inventory.plan import Mount
from tests.validation import storage_says as says
from tests.validation.healthy import answered, frame
from tests.validation.healthy.stage_75 import healthy
from tests.validation.recorded import lab
from tests.validation.single_says import frame_less as without
from validation.run import validate
from validation.stages.s75_storage.expect import expectations
from validation.stages.s75_storage.groups import groups
from validation.stages.s75_storage.terms import terms
from validation.stages.s75_storage.work import gds_command, steps
from validation.verdict import Finding, Verdict

NAMES = sorted(says.configured())
GROUPS = says.steps()
LAST = GROUPS[-1]
OTHERS = frozenset(range(100)) - {75}


def judged(slow: says.Rates | None = None, ended: dict[str, float] | None = None, direct: str = ""):
    said = {name: {gds_command(says.MOUNT): direct or says.gdsio(110)} for name in NAMES}
    for group in GROUPS:
        for node in group.nodes:
            end = (ended or {}).get(node, 1795318512.0)
            said[node][group.command] = says.fio(group, node, slow, end)
    return findings(said)


def findings(said: dict[str, dict[str, str]]) -> dict[str, Finding]:
    store = answered(says.plan(), said)
    found = validate(says.plan(), 75, store, None, says.configured(), leave_out=OTHERS).findings
    return {one.expectation: one for one in found}


def bad(found: dict[str, Finding]) -> dict[str, Finding]:
    return {key: one for key, one in found.items() if one.verdict is not Verdict.PASS}


def test_one_two_four_and_all_nodes_are_asked():
    assert [len(one.nodes) for one in GROUPS] == [1, 2, 4, 5]
    assert [len(step) for step in steps(says.plan(), says.configured())] == [1, 2, 4, 5, 5]
    # The mount promises 600 Gb/s to readers; a node's NIC here carries 200.
    assert [one.total_gbps("read") for one in GROUPS] == [200, 400, 600, 600]
    assert LAST.part_gbps(NAMES[0], "write") == 80


def test_a_healthy_mount_passes_with_its_figures():
    found = judged()
    assert not bad(found)
    assert {one.check for one in found.values()} == {
        "store",
        "store_total",
        "store_fair",
        "store_gds",
    }
    whole = found["store_total:/mnt/data:5.1:read"].figure
    assert whole is not None
    assert whole.value == pytest.approx(570, rel=1e-3)


def test_a_slow_node_is_named_where_others_are_good():
    found = bad(judged({NAMES[2]: (0.4, 1.0)}))
    assert {one.device for one in found.values() if one.check == "store"} == {NAMES[2]}
    assert {one.suspect for one in found.values() if one.check == "store"} == {
        f"mount /mnt/data on {NAMES[2]}"
    }
    assert f"store_fair:{LAST.id}:read" in found
    assert all(key.rpartition(":")[0].endswith("read") or key.endswith("read") for key in found)


def test_a_storage_that_gives_all_too_little_is_named_itself():
    found = bad(judged(dict.fromkeys(NAMES, (0.5, 1.0))))
    several = [one for key, one in found.items() if ":1.1:" not in key]
    assert {one.suspect for one in several} == {"storage /mnt/data"}
    assert f"store_total:{LAST.id}:read" in found
    assert f"store_fair:{LAST.id}:read" not in found


def test_rates_that_were_not_at_once_are_no_sum():
    found = bad(judged(ended={NAMES[0]: 1795318512.0 + 25}))
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}
    assert f"store_total:{LAST.id}:write" in found
    assert "all ran at once for 17% of" in found[f"store_fair:{LAST.id}:read"].found


def test_a_missing_node_leaves_its_steps_unknown():
    said = {name: {gds_command(says.MOUNT): says.gdsio(110)} for name in NAMES}
    for group in GROUPS:
        for node in group.nodes:
            said[node][group.command] = says.fio(group, node)
    del said[NAMES[3]][LAST.command]
    found = bad(findings(said))
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}
    assert len(found) == 2 * (5 + 2)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"iodepth": "16"', '"iodepth": "1"', "ran with {'iodepth': '1'}"),
        ('"direct": "1"', '"direct": "0"', "ran with {'direct': '0'}"),
        ('"numjobs": "8"', '"numjobs": "2"', "ran with {'numjobs': '2'}"),
        ('"runtime": "30"', '"runtime": "5"', "ran with {'runtime': '5'}"),
    ],
)
def test_fio_that_ran_otherwise_proves_nothing(old, new, why):
    """Less deep, through the page cache, with fewer files, or shorter: another measurement."""
    text = says.fio(LAST, NAMES[1]).replace(old, new)
    assert new in text
    proves_nothing(text, why)


def test_fio_that_ended_too_early_proves_nothing():
    """Whole and at its rate, but 26 of 30 seconds: something ended it."""
    head, _, rest = says.fio(LAST, NAMES[1]).partition("\n")
    document = json.loads(rest)
    for job in document["jobs"]:
        one = job[job["jobname"]]
        one |= {"runtime": 26000, "io_bytes": one["bw_bytes"] * 26}
    proves_nothing(f"{head}\n{json.dumps(document)}\n", "for 26 s, not as asked")


def proves_nothing(text: str, why: str) -> None:
    """Where one node says this of the last step, neither it nor the step passes."""
    said = {name: {gds_command(says.MOUNT): says.gdsio(110)} for name in NAMES}
    for group in GROUPS:
        for node in group.nodes:
            said[node][group.command] = says.fio(group, node)
    said[NAMES[1]][LAST.command] = text
    found = bad(findings(said))
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}
    for way in ("read", "write"):
        assert why in found[f"store:{LAST.id}:{way}:{NAMES[1]}"].found
        assert f"store_total:{LAST.id}:{way}" in found


def test_a_mount_that_is_not_there_is_named():
    one = frame(says.plan(), NAMES[1], LAST.command, "")
    store = without(healthy().store, NAMES[1], LAST.command)
    store.add([replace(one, exit_status=76, errors="/mnt/data is not mounted\n")])
    found = validate(says.plan(), 75, store, None, says.configured(), leave_out=OTHERS).findings
    told = {one.expectation: one for one in found}
    for way in ("read", "write"):
        mine = told[f"store:{LAST.id}:{way}:{NAMES[1]}"]
        assert (mine.verdict, mine.suspect) == (Verdict.FAIL, f"mount /mnt/data on {NAMES[1]}")
        assert told[f"store_total:{LAST.id}:{way}"].verdict is Verdict.INCONCLUSIVE


def test_more_than_the_nics_carry_is_another_mount():
    found = bad(judged({NAMES[0]: (3.0, 1.0)}))
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}
    last = f"{LAST.id}:read"
    assert set(found) >= {
        f"store:/mnt/data:1.1:read:{NAMES[0]}",
        f"store:{last}:{NAMES[0]}",
        f"store_total:{last}",
        f"store_fair:{last}",
    }


@pytest.mark.parametrize("gbps", [201, 110000])
def test_direct_reads_above_the_nics_are_another_mount(gbps):
    found = bad(judged(direct=says.gdsio(gbps)))
    assert set(found) == {f"store_gds:/mnt/data:{name}" for name in NAMES}
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}
    assert all("more than its NICs carry" in one.found for one in found.values())
    assert not bad(judged(direct=says.gdsio(199)))


def test_direct_reads_that_went_through_the_cpu_fail():
    found = bad(judged(direct=says.gdsio(110, way="CPU_GPU")))
    assert {one.suspect for one in found.values()} == {
        f"GPUDirect Storage of {name}" for name in NAMES
    }
    slow = bad(judged(direct=says.gdsio(60)))
    assert all("50% of 120" in one.found for one in slow.values())
    assert len(slow) == len(NAMES)


def test_a_site_without_a_mount_is_asked_nothing():
    assert steps(lab(), frozenset(lab().devices)) == ()
    assert list(expectations(lab(), frozenset(lab().devices))) == []


def test_everybody_is_in_a_group_that_can_start_at_once():
    """More nodes than can be reached at once are split evenly, and nobody is left out."""
    plan = says.plan()
    one = next(node for node in plan.nodes if node.gpus)
    nodes = tuple(replace(one, name=f"node-{at:04d}", position=at) for at in range(1280))
    mount = Mount("/mnt/data", ("gpu",), 9000.0, 4000.0, gds=False)
    big = replace(plan, nodes=nodes, mounts=(mount,))
    found = groups(big, frozenset(each.name for each in nodes))
    assert [each.size for each in found] == [1, 2, 4, 8, 16, 32, 64, 128, *[256] * 5]
    assert len({name for each in found[-5:] for name in each.nodes}) == 1280
    assert max(len(each.nodes) for each in found) <= terms().fio.together
