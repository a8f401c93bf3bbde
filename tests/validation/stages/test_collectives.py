"""Stage 70: who runs with whom, what is asked of them, and whom slow groups point at."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest
import yaml

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from tests.generated.sites import Size
from tests.validation.healthy import frame
from tests.validation.pairing.test_schedule import site
from tests.validation.recorded import EVIDENCE, lab
from validation.evidence.store import EvidenceStore, Frame
from validation.parse.loads.collective_rows import CollectiveRow, Printed, Rank, Side, Table, factor
from validation.run import validate
from validation.stages.s70_collectives import terms as terms_file
from validation.stages.s70_collectives.expect import CollectiveExpected, expectations
from validation.stages.s70_collectives.groups import classes, counts, groups, halves
from validation.stages.s70_collectives.judge import Done, judged, slow
from validation.stages.s70_collectives.planned import most_us, planned_gbs
from validation.stages.s70_collectives.result import read
from validation.stages.s70_collectives.runs import JOBS, Run, run, steps
from validation.stages.s70_collectives.search import stragglers
from validation.stages.s70_collectives.terms import SIZES, Tool, terms_of
from validation.verdict import Finding, Verdict

RUNS = EVIDENCE / "collectives"
LARGE = 8589934592


def evidence(name: str) -> EvidenceStore:
    loaded = EvidenceStore.load(RUNS / name)
    assert not loaded.problems
    store = EvidenceStore()
    store.add(replace(one, plan_digest=lab().digest) for one in loaded)
    return store


def judge(store: EvidenceStore, plan: Plan | None = None) -> dict[str, Finding]:
    plan = plan or lab()
    others = frozenset({10, 15, 20, 30, 40, 45, 50, 60})
    found = validate(plan, 70, store, None, frozenset(plan.devices), leave_out=others)
    return {one.expectation: one for one in found.findings if one.stage == 70}


def test_a_healthy_lab_passes_and_every_figure_is_kept():
    found = judge(evidence("healthy"))
    assert len(found) == 42
    assert {one.verdict for one in found.values()} == {Verdict.PASS}
    assert all(one.figure and one.figure.unit == "GB/s" for one in found.values())
    figure = found["collective:all_reduce:4:node-p1-1:large"].figure
    assert figure
    assert figure.value == pytest.approx(0.033, abs=0.001)


def test_one_rail_of_one_node_at_a_tenth_and_the_node_is_named():
    """The straggler is in half of the groups; its partners are not blamed."""
    found = judge(evidence("slow_node"))
    bad = {name: one for name, one in found.items() if one.verdict is not Verdict.PASS}
    assert {one.verdict for one in bad.values()} == {Verdict.FAIL}
    assert {one.suspect for one in bad.values()} == {"device node-p2-2"}
    assert len(bad) == 9
    assert all(name.endswith(":large") for name in bad)
    assert "nearly certain" in bad["collective:all_reduce:2:node-p2-1:large"].found


def test_small_and_medium_sizes_a_thousand_times_slower_fail_without_peers_or_past():
    """In a lab no group has five peers; two small sizes were 14 us, and others take 14 ms."""
    now = re.compile(
        r"(row asked (?:4096|262144) size (\d+)) us (\S+) (\S+) (\S+) (\S+) .*?( wrong)"
    )

    def row(found: re.Match[str]) -> str:
        times = [1000 * float(one) for one in found.groups()[2:6]]
        rate = int(found[2]) / times[1] / 1e3
        ranks = 4 if " 4 " in command else 2
        share = (2 if "all_reduce" in command else 1) * (ranks - 1) / ranks
        shown = " ".join(f"{one:.3f}" for one in times)
        return f"{found[1]} us {shown} algbw {rate:.9f} busbw {rate * share:.9f}{found[7]}"

    store = EvidenceStore()
    for one in evidence("healthy"):
        command = one.command
        text, times = now.subn(row, one.payload.decode())
        assert times == (2 if command.startswith("probe collective") else 0)
        made = frame(lab(), one.device, command, text)
        store.add([replace(made, identity=one.identity, time=one.time)])
    verdicts = {name: one.verdict for name, one in judge(store).items()}
    passed = {name for name, one in verdicts.items() if one is Verdict.PASS}
    assert {one for one in passed if not one.endswith(":large")} == {
        f"collective:two-jobs:alltoall:2:node-p1-{node}:small" for node in (1, 2)
    }
    assert {one for name, one in verdicts.items() if name not in passed} == {Verdict.FAIL}


def test_without_the_search_the_group_is_the_suspect():
    store = EvidenceStore()
    store.add(one for one in evidence("slow_node") if " search" not in one.command)
    bad = [one for one in judge(store).values() if one.verdict is Verdict.FAIL]
    assert len(bad) == 9
    assert "nodes node-p2-1 to node-p2-2" in {one.suspect for one in bad}


def test_a_node_that_took_no_part_is_named_and_nothing_of_it_passes():
    store = EvidenceStore()
    store.add(
        one
        for one in evidence("healthy")
        if "node-p2-2" not in one.command and " 4 " not in one.command
    )
    store.silent["node-p2-2"] = "no MPI daemon: it ended"
    found = judge(store)
    lost = [one for one in found.values() if one.verdict is not Verdict.PASS]
    assert {one.verdict for one in lost} == {Verdict.INCONCLUSIVE}
    assert {one.suspect for one in lost} == {"device node-p2-2"}
    assert len(lost) == 27


LOST = """\
ORTE has lost communication with a remote daemon.

  HNP daemon   : [[56896,0],0] on node node-p1-1
  Remote daemon: [[56896,0],2] on node 10.16.32.1
"""


@pytest.mark.parametrize(
    ("errors", "node"),
    [
        (LOST, "node-p2-1"),
        (
            "mpirun noticed that process rank 1 with PID 0 on node node-p1-2 exited on signal 9",
            "node-p1-2",
        ),
    ],
)
def test_a_node_that_was_lost_in_the_middle_is_named(errors, node):
    wanted = next(
        one.run
        for one in expectations(lab(), frozenset(lab().devices))
        if one.id == "collective:all_reduce:4:node-p1-1:large"
    )
    store = evidence("healthy")
    cut = frame(lab(), "node-p1-1", wanted.launch.command, "mpirun (Open MPI) 4.1.4\n")
    same = next(one for one in store if one.device == "node-p1-1")
    dead = replace(cut, exit_status=205, errors=errors, identity=same.identity, time=same.time)
    kept = EvidenceStore()
    kept.add([*(one for one in store if one.command != dead.command), dead])
    found = [one for name, one in judge(kept).items() if "all_reduce:4:node-p1-1" in name]
    assert {(one.verdict, one.suspect) for one in found} == {
        (Verdict.INCONCLUSIVE, f"device {node}")
    }
    assert "lost in the middle" in found[0].found


def test_wrong_data_is_a_failure():
    store = changed(r"wrong 0( sent \d+\n.*end 3)", r"wrong 9\1")
    found = judge(store)["collective:all_reduce:2:node-p1-1:large"]
    assert (found.verdict, "9 elements" in found.found) == (Verdict.FAIL, True)


def test_more_than_the_line_carries_is_never_a_pass():
    store = changed(
        r"(asked 8388608 size 8388608) us (\S+) (\S+) (\S+) (\S+) algbw \S+ busbw \S+",
        r"\1 us 1.000 83886.080 90000.000 90000.000 algbw 0.100000 busbw 0.100000",
    )
    found = judge(store)["collective:all_reduce:2:node-p1-1:large"]
    assert (found.verdict, "more than there is" in found.found) == (Verdict.INCONCLUSIVE, True)


def changed(old: str, new: str) -> EvidenceStore:
    """The healthy run, with the output of all_reduce on the first two nodes altered."""

    def touched(one: Frame) -> Frame:
        if "all_reduce" not in one.command or "node-p1-1..node-p1-2" not in one.command:
            return one
        text, times = re.subn(old, new, one.payload.decode(), flags=re.DOTALL)
        assert times == 1
        made = frame(lab(), one.device, one.command, text)
        return replace(made, identity=one.identity, time=one.time)

    store = EvidenceStore()
    store.add(touched(one) for one in evidence("healthy"))
    return store


@cache
def gpus() -> Plan:
    """A plan of nodes with eight GPUs and eight rails of 400G, in pods of four."""
    plan = site(Size(pods=3, spines=4, rails=8, nodes_per_pod=4))
    made = tuple(
        replace(
            node,
            profile="hgx-h100",
            rails=tuple(
                replace(nic, gpu=nic.index, rdma_device=f"mlx5_{nic.index}") for nic in node.rails
            ),
        )
        for node in plan.nodes
    )
    cables = tuple(replace(one, rate_gbps=400.0) for one in plan.cables)
    return replace(plan, nodes=made, cables=cables)


def runs(plan: Plan) -> list[Run]:
    return [one for step in steps(plan, frozenset(plan.devices)) for one in step]


def test_every_node_is_in_a_group_of_every_size_and_twice_in_no_step():
    plan = gpus()
    (nodes,) = classes(plan)
    assert counts(nodes) == (1, 2, 4, 8, 12)
    for step in steps(plan, frozenset(plan.devices)):
        busy = [node for one in step for node in one.nodes]
        assert len(busy) == len(set(busy))
    for count in counts(nodes):
        for collective in ("all_reduce", "all_gather", "reduce_scatter", "alltoall"):
            seen = {
                node
                for one in runs(plan)
                if (one.kind, len(one.nodes), one.collective) == ("group", count, collective)
                for node in one.nodes
            }
            assert seen == set(plan.node)


def test_a_small_group_stays_below_its_leaves_and_two_jobs_share_them():
    plan = gpus()
    (nodes,) = classes(plan)
    for group in groups(nodes, 4)[0]:
        assert len({plan.node[one].pod for one in group}) == 1
    one, other = halves(nodes)
    assert {plan.node[name].pod for name in one} == {plan.node[name].pod for name in other}
    jobs = [step for step in steps(plan, frozenset(plan.devices)) if step[0].kind == JOBS]
    assert [[len(job.nodes) for job in step] for step in jobs] == [[6, 6]]


def test_what_is_not_configured_takes_no_part_and_changes_nobody_elses_run():
    plan = gpus()
    whole = {one.id: one for one in runs(plan)}
    dropped = next(iter(plan.node))
    some = [one for step in steps(plan, frozenset(plan.devices) - {dropped}) for one in step]
    assert some
    assert all(whole[one.id] == one for one in some)
    assert not any(dropped in one.nodes for one in some)


def test_nccl_is_told_what_nccl_conf_says_and_the_ring_is_named_in_tests_only():
    plan = gpus()
    one = next(one for one in runs(plan) if one.id.startswith("all_reduce:2:"))
    env = dict(one.launch.env)
    assert env["NCCL_ALGO"] == "Ring"
    assert env["NCCL_IB_HCA"].startswith("=mlx5_0,mlx5_1")
    assert env["NCCL_IB_TC"] == str(plan.lossless.tos)
    assert one.launch.argv[:7] == (
        *("all_reduce_perf", "-b", "8192", "-e", "8589934592", "-f", "1024"),
    )
    alone = next(one for one in runs(plan) if one.id.startswith("all_reduce:1:"))
    assert "NCCL_ALGO" not in dict(alone.launch.env)
    assert (one.node_gbs, one.rank_gbs, one.launch.ranks) == (400, 50, 16)


def table(one: Run, busbw: float, p99: float = 1.1, networks: tuple[str, ...] = ("IB",)) -> Table:
    """A run at this busbw for every size, as a reader would give it."""
    each = one.launch.ranks_per_node
    ranks = tuple(
        Rank(n * each + device, node, 100 + device, device, "GPU")
        for n, node in enumerate(one.nodes)
        for device in range(each)
    )
    times = factor(one.collective, len(ranks)) or 1
    rows = []
    for name in one.sizes:
        size = one.terms.bytes_of(name)
        took = size / (busbw / times) / 1e3
        rate = Printed(busbw / times, 0.01)
        side = Side(
            Printed(took, 0.01), rate, Printed(busbw, 0.01), 0, took * 0.9, took * 2, took * p99
        )
        rows.append(CollectiveRow(size, size, size // 4, side, side))
    return Table(one.collective, ranks, tuple(rows), one.terms.iterations, frozenset(networks))


def done(plan: Plan, slow_nodes: dict[str, float] | None = None) -> list[Done]:
    """Every run of a plan; a group is as slow as the slowest of its nodes."""
    found = []
    for one in runs(plan):
        line = planned_gbs(one) or 400.0
        share = min((slow_nodes or {}).get(node, 0.95) for node in one.nodes)
        if len(one.nodes) == 1:
            share = 1.0
        found.append(Done(one, table(one, line * share)))
    return found


def test_a_healthy_cluster_is_healthy():
    all_of_it = done(gpus())
    for one in all_of_it:
        for size in SIZES:
            assert judged(one, size, all_of_it).bad == ()
            assert judged(one, size, all_of_it).unknown == ""


def test_one_slow_node_of_twelve_is_found_by_halving():
    plan = gpus()
    for name in plan.node:
        mine = {name: 0.4}

        def carry(step: tuple[Run, ...], mine: dict[str, float] = mine) -> dict[str, Table]:
            return {
                one.id: table(one, 400 * min(mine.get(node, 0.95) for node in one.nodes))
                for one in step
            }

        found = stragglers(plan, done(plan, mine), carry)
        assert found["hgx-h100"].suspects == ((name,),)


def test_nothing_is_searched_where_nothing_is_slow():
    def carry(step: tuple[Run, ...]) -> dict[str, Table]:
        raise AssertionError

    assert stragglers(gpus(), done(gpus()), carry) == {}


def first(plan: Plan, name: str) -> Run:
    return next(one for one in runs(plan) if one.id.startswith(name))


@pytest.mark.parametrize(
    ("name", "share", "why"),
    [
        ("all_reduce:2:", 0.80, "asked is 85%"),
        ("all_gather:4:", 0.80, "asked is 85%"),
        ("all_reduce:1:", 0.80, "asked is 92%"),
        ("alltoall:12:", 0.70, "asked is 80%"),
    ],
)
def test_less_than_its_share_of_the_line(name, share, why):
    one = first(gpus(), name)
    line = planned_gbs(one)
    assert line
    found = judged(Done(one, table(one, line * share)), "large", done(gpus()))
    assert why in found.bad[0]


def test_a_group_is_judged_by_its_peers_where_the_line_is_not_asked():
    """At a medium size nothing is said of the line; one of twelve groups is a tenth slower."""
    plan = gpus()
    all_of_it = [one for one in done(plan) if not one.run.id.startswith("all_reduce:1:")]
    odd = Done(first(plan, "all_reduce:1:"), table(first(plan, "all_reduce:1:"), 430))
    alone = [one for one in done(plan) if one.run.id.startswith("all_reduce:1:")][1:]
    found = judged(odd, "medium", [odd, *all_of_it, *alone])
    assert "fleet's median" in found.bad[0]


@pytest.mark.parametrize(
    ("name", "size", "allowed", "healthy"),
    [
        ("all_reduce:2:", "small", 1700, 590),
        ("all_reduce:2:", "medium", 1746, 907),
        ("all_gather:2:", "small", 950, 90),
        ("alltoall:12:", "small", 4950, 600),
        ("all_reduce:1:", "medium", 933, 162),
    ],
)
def test_a_first_run_without_peers_is_asked_for_the_time_of_its_steps(name, size, allowed, healthy):
    """What others published passes; a call that is slower than any step explains fails."""
    one = first(gpus(), name)
    assert most_us(one, size) == pytest.approx(allowed, rel=0.01)
    for took, bad in ((healthy, False), (allowed * 1.02, True)):
        times = factor(one.collective, one.launch.ranks)
        busbw = one.terms.bytes_of(size) * times / took / 1e3
        found = judged(Done(one, table(one, busbw)), size, [])
        assert found.unknown == ""
        assert [text.startswith("a call takes") for text in found.bad] == [True] * bad


def test_other_collectives_on_one_node_are_asked_for_half_of_the_published_figure():
    one = first(gpus(), "all_gather:1:")
    assert judged(Done(one, table(one, 0.6 * 478)), "large", []).bad == ()
    assert "asked is 50%" in judged(Done(one, table(one, 0.4 * 478)), "large", []).bad[0]


def test_growth_that_loses_more_than_a_tenth():
    plan = gpus()
    one = first(plan, "all_reduce:12:")
    pairs = [Done(two.run, table(two.run, 390)) for two in done(plan) if len(two.run.nodes) == 2]
    found = judged(Done(one, table(one, 345)), "large", pairs)
    assert found.bad == ("88% of what two nodes reach, asked is 90%",)
    assert "two nodes" in judged(Done(one, table(one, 345)), "large", []).unknown


def test_slow_iterations_and_none_timed():
    one = first(gpus(), "all_reduce:2:")
    assert "P99 is 1.8 times" in judged(Done(one, table(one, 380, 1.8)), "large", []).bad[0]
    quiet = table(one, 380)
    rows = tuple(
        replace(row, out_of_place=replace(row.out_of_place, p99_us=None)) for row in quiet.rows
    )
    assert "no P99" in judged(Done(one, replace(quiet, rows=rows)), "large", []).unknown


def test_a_profile_without_a_figure_is_not_passed():
    plan = gpus()
    plan = replace(plan, nodes=tuple(replace(one, profile="hgx-new") for one in plan.nodes))
    for name in ("all_reduce:1:", "alltoall:1:"):
        one = first(plan, name)
        for size in SIZES:
            assert "hgx-new" in judged(Done(one, table(one, 500)), size, []).unknown


NCCL = (EVIDENCE / "nccl_tests/all_reduce_2_nodes_per_iteration.txt").read_text()


def of_two(text: str, one: Run) -> str:
    for node, name in zip(one.nodes, ("gpu-p1-1", "gpu-p1-2"), strict=True):
        text = text.replace(name, node)
    return text


def test_a_run_of_nccl_tests_as_it_was_asked():
    one = first(gpus(), "all_reduce:2:")
    found = read(one, 0, of_two(NCCL, one), "")
    assert found.row(LARGE).busbw_gbs == pytest.approx(379, abs=2)
    assert not slow(Done(one, found), [])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace("network IB", "network Socket"), "ran over Socket, no HCA"),
        (lambda text: text.replace("NCCL INFO", "x"), "a network that it does not name"),
        (lambda text: text.replace("'mlx5_5'", "'mlx5_9'"), "mlx5_9 of node"),
        (lambda text: re.sub(r".*p1-02:.*'mlx5_5'\n|.*p1-2:.*'mlx5_5'\n", "", text), "ran over IB"),
        (lambda text: re.sub(r"NET/IB : GPU.*'", "x", text), "no HCA that it names"),
        (lambda text: re.sub(r"node-p1-2|node-p1-02", "other", text), "others"),
        (lambda text: text.replace("iters: 100", "iters: 20"), "20 iterations ran"),
    ],
)
def test_a_run_of_nccl_tests_that_was_another(change, why):
    one = first(gpus(), "all_reduce:2:")
    text = (
        change(of_two(NCCL, one))
        if "other" not in why
        else of_two(NCCL, one).replace(one.nodes[1], "stranger")
    )
    with pytest.raises(Unreadable, match=why):
        read(one, 0, text, "")
    with pytest.raises(Unreadable, match="status 3"):
        read(one, 3, of_two(NCCL, one), "")


@pytest.mark.parametrize("tool", ["nccl", "mpi"])
def test_every_term_has_a_source(tool: Tool):
    terms = terms_of(tool)
    assert all(one.source for _, one in terms.collectives)
    assert terms.one_node.source
    assert terms.time_source
    least, middle, most = (terms.bytes_of(size) for size in SIZES)
    if tool == "nccl":
        assert middle // least == most // middle, "one factor leads from size to size"


def test_terms_with_a_key_too_many_are_refused(monkeypatch, tmp_path):
    said = yaml.safe_load(terms_file.THRESHOLDS.read_text())
    said["nccl"]["collectives"]["all_reduce"]["lest"] = 1
    (tmp_path / "collectives.yml").write_text(yaml.safe_dump(said, sort_keys=False))
    monkeypatch.setattr(terms_file, "THRESHOLDS", tmp_path / "collectives.yml")
    with pytest.raises(ValueError, match="lest"):
        terms_of.__wrapped__("nccl")


def test_expectations_say_what_they_ask():
    found = list(expectations(gpus(), frozenset(gpus().devices)))
    assert len({one.id for one in found}) == len(found)
    one = next(one for one in found if one.id.startswith("collective:all_reduce:2:"))
    assert isinstance(one, CollectiveExpected)
    large = next(other for other in found if other.run == one.run and other.size == "large")
    assert "340 of 400 GB/s" in large.says


def test_a_search_run_has_a_name_of_its_own():
    plan = gpus()
    group = tuple(sorted(plan.node))[:2]
    names = {run(plan, kind, "all_reduce", group, ("large",)).launch.command for kind in ("a", "b")}
    assert len(names) == 2
