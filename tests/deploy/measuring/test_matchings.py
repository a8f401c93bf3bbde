"""`validate --matchings`: refused or told, run beside the plan, judged whole or not passed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.loads.loading import Loading, runner
from deploy.measuring import measure
from deploy.measuring.measure import validate_site
from deploy.measuring.preview import preview
from deploy.measuring.requested import matchings, refuse_empty
from deploy.report.coverage import coverage
from deploy.session import Selection
from tests.deploy.loads.test_load_run import PLAN, ROUNDS, Hashing
from tests.generated.sites import Size
from tests.validation.pairing.test_schedule import site
from validation.evidence.store import EvidenceStore, Frame, Identity
from validation.ladder import ladder
from validation.pairing.matchings import Matchings, rounds
from validation.run import validate
from validation.verdict import Finding, Verdict

EVERY = frozenset(PLAN.devices)
TWO = Matchings(2, 7)
MATCHED = tuple(rounds(PLAN, EVERY, [TWO]))
FLOWS = [flow for _, row in MATCHED for flow in row]
OTHERS = frozenset(ladder()) - {50}


class Fabric(Hashing):
    """Each round that crosses leaves fills both uplinks; the NIC at `slow` gets a tenth."""

    def __init__(self, slow: str = "") -> None:
        super().__init__([{"swp5", "swp6"}] * 40)
        self.slow = slow


def ran(folder: Path, slow: str = "") -> EvidenceStore:
    """What stage 50's runner leaves of a run that was asked for two matchings."""
    store, said = EvidenceStore(folder), list[str]()
    store.asked.add(TWO.words)
    here = Path("nowhere")
    context = Context(PLAN, "lab", here, here, here, said.append, no_journal)
    runner(50)(Loading(context, Fabric(slow), store, EVERY))
    assert any(TWO.again in one for one in said)
    return believable(EvidenceStore.load(folder))


def believable(
    loaded: EvidenceStore, keep: Callable[[Frame], bool] = lambda _: True
) -> EvidenceStore:
    """The same from the devices of the plan: the stand-in has no MACs and boots of theirs."""
    store = EvidenceStore()
    store.asked |= loaded.asked
    for one in filter(keep, loaded):
        mac = PLAN.management_mac[one.device] or ""
        store.add([replace(one, identity=Identity(one.device, mac, "boot"))])
    return store


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> EvidenceStore:
    return ran(tmp_path_factory.mktemp("healthy"))


def judged(store: EvidenceStore) -> dict[str, Finding]:
    found = validate(PLAN, 50, store, None, EVERY, leave_out=OTHERS).findings
    return {one.expectation: one for one in found}


def bad(found: dict[str, Finding]) -> dict[str, Finding]:
    return {name: one for name, one in found.items() if one.verdict is not Verdict.PASS}


def test_matchings_run_beside_the_plan_and_pass(healthy):
    found = judged(healthy)
    assert not bad(found)
    planned = {f"bw:{flow.id}" for row in ROUNDS for flow in row}
    matched = {f"bw:{flow.id}" for flow in FLOWS}
    assert {name for name in found if name.startswith("bw:")} == planned | matched
    assert all(found[name].figure for name in matched)
    told = coverage(PLAN, tuple(found.values()), ())
    assert told.matched == (f"{TWO.words}: 8 of 8 flows pass; the same pairs: {TWO.again}",)
    assert told.nics == 8


def test_a_slow_nic_is_slow_in_matchings_too_and_named_by_all_rounds(tmp_path):
    """The judge asks for the same extra rounds as the run did, from planned and matched flows."""
    slow = FLOWS[0]
    found = bad(judged(ran(tmp_path, str(slow.source))))
    assert {one.verdict for one in found.values()} == {Verdict.FAIL}
    cable = PLAN.cable_at[_port(slow.sender, slow.sender_port)]
    assert {one.suspect for one in found.values()} == {f"cable {cable}"}
    assert f"bw:{slow.id}" in found
    assert any("matching" not in name for name in found)


def _port(node: str, port: str):
    return next(one for one in PLAN.cable_at if (one.device, one.port) == (node, port))


def test_one_slow_flow_of_a_matching_is_not_passed(healthy):
    """Its NICs are good in every planned round: only these two together are slow."""
    flow, store = FLOWS[0], believable(healthy)
    mine = store.get(flow.sender, flow.command)
    assert mine
    told = json.loads(mine.payload)
    for part in (told["end"]["sum_sent"], told["end"]["sum_received"]):
        part.update(bytes=part["bytes"] // 10, bits_per_second=part["bits_per_second"] / 10)
    told["end"]["streams"][0]["receiver"] = told["end"]["sum_received"]
    store.add([load_frame(mine, json.dumps(told).encode())])
    found = bad(judged(store))
    assert set(found) == {f"bw:{flow.id}"}
    assert found[f"bw:{flow.id}"].verdict is Verdict.FAIL


def load_frame(one: Frame, data: bytes) -> Frame:
    return replace(one, payload=data, byte_length=len(data), sha256=sha256(data).hexdigest())


@pytest.mark.parametrize("number", range(0, len(FLOWS), 3))
def test_a_flow_of_a_matching_that_is_missing_does_not_pass(healthy, number):
    flow = FLOWS[number]
    found = bad(judged(believable(healthy, lambda one: one.command != flow.command)))
    assert {name: one.verdict for name, one in found.items()} == {
        f"bw:{flow.id}": Verdict.INCONCLUSIVE
    }


def test_a_matching_that_nobody_counted_leaves_the_uplinks_open(healthy):
    name = f"probe uplinks round {TWO.names[1]} before"
    found = bad(judged(believable(healthy, lambda one: one.command != name)))
    assert {one.check for one in found.values()} == {"coverage"}
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}


def test_a_run_that_ended_before_its_matchings_does_not_pass(healthy):
    """The list says what was asked; without it, the one frame that is left does."""

    def is_planned(one: Frame) -> bool:
        return "matching" not in one.command

    cut = believable(healthy, is_planned)
    assert {f"bw:{one.id}" for one in FLOWS} <= set(bad(judged(cut)))
    cut.asked.clear()
    assert not bad(judged(cut))
    last = FLOWS[-1]
    cut = believable(healthy, lambda one: is_planned(one) or one.command == last.command)
    cut.asked.clear()
    assert {f"bw:{one.id}" for one in FLOWS[:-1]} <= set(bad(judged(cut)))


# -- what a person types ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--matchings 2", "stage 50 is not asked"),
        ("--matchings 2 --only 60", "stage 50 is not asked"),
        ("--through 50 --seed 3", "--seed belongs to --matchings"),
        ("--through 50 --matchings 0", "expected 1 to 64"),
        ("--through 50 --matchings 65", "expected 1 to 64"),
        ("--through 50 --matchings 1 --seed -1", "expected 0 or more"),
    ],
)
def test_what_asks_for_nothing_is_refused(words, said):
    for more in ([], ["--dry-run"]):
        done = CliRunner().invoke(app, ["validate", *words.split(), *more])
        assert isinstance(done.exception, RailbedError)
        assert said in str(done.exception)
        assert done.exception.exit_code == 2


def test_a_fabric_without_a_second_leaf_has_nothing_to_match():
    one = site(Size(pods=1, spines=1, rails=1, nodes_per_pod=3))
    with pytest.raises(RailbedError, match="would have no pair"):
        refuse_empty(one, frozenset(one.devices), TWO)
    refuse_empty(PLAN, EVERY, TWO)


def test_a_seed_that_nobody_named_is_drawn_and_told():
    done = CliRunner().invoke(app, ["validate", "--dry-run", "--only", "50", "--matchings", "3"])
    assert done.exit_code == 0, done.output
    seed = int(done.stdout.rpartition("--matchings 3 --seed ")[2].split()[0])
    drawn = {matchings(3, None, 50, frozenset()) for _ in range(5)}
    assert len(drawn) > 1
    assert matchings(3, seed, 50, frozenset()) == Matchings(3, seed)


def test_a_dry_run_counts_them_beside_the_planned_rounds():
    plain, more = (preview(PLAN, EVERY, 50, {50}, asked)[0].parts for asked in (None, TWO))
    assert more[: len(plain)] == plain
    (part,) = more[len(plain) :]
    assert (part.rounds, part.count, part.impact) == (2, len(FLOWS) // 2, "slows")
    assert TWO.again in part.more


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    state = tmp_path / "state"
    state.mkdir()

    def opened(selection: Selection, say: Any, journal: Any) -> Context:
        return Context(PLAN, selection.site, state, state, state, say, no_journal)

    monkeypatch.setattr(measure, "open_offline", opened)
    return state


def test_a_saved_run_is_judged_by_what_it_was_asked_and_the_report_shows_it(
    healthy, tmp_path, offline
):
    said: list[str] = []

    def again(asked: Matchings | None = None) -> measure.Measured:
        folder = tmp_path / "saved"
        kept = EvidenceStore(folder)
        kept.asked |= healthy.asked
        kept.add(healthy)
        kept.save()
        select = Selection("lab", "lab")
        return validate_site(select, 50, [str(folder)], said.append, frozenset({50}), asked)

    first = again()
    good = {one.expectation for one in first.findings if one.verdict is Verdict.PASS}
    assert {f"bw:{flow.id}" for flow in FLOWS} <= good
    assert first.report
    for ending in (".html", ".md"):
        text = first.report.with_suffix(ending).read_text()
        assert f"Asked beyond the plan: {TWO.words}: 8 of 8 flows pass" in text
    other = again(Matchings(1, 8))
    open_ones = {one.expectation for one in other.findings if one.verdict is not Verdict.PASS}
    name = Matchings(1, 8).names[0]
    assert sum(name in one for one in open_ones) == 4
    assert "--matchings 1 --seed 8" in other.notes[-1]
