from __future__ import annotations

import io
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from deploy import show
from deploy.commands.main import app
from deploy.context import Context, no_journal
from deploy.differences import keep, kept_plan
from deploy.errors import RefusedError
from deploy.record.file import forget_history
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.rollout import change, ordered, saved_plan
from deploy.rollout.ordered import lines, order_since, refuse_wrong_waves
from deploy.rollout.outcome import MEASURED
from deploy.rollout.runbook import ApplyResult
from deploy.rollout.survey import Survey
from inventory import open_site
from inventory.load.site import site_folder
from inventory.plan import Plan, Wave
from tests.validation.order.plans import adaptive, changed, plan
from tests.validation.order.test_order import asn, lossless, mtu, one_spine
from validation.order.order import order

CNP_OF_BOTH = {"dscp": 48, "priority": 6, "also_dscps": [46]}


def test_an_order_is_told_step_by_step_with_its_reasons():
    told = list(lines(order(plan("two"), changed("two", lossless(dscp=34)))))
    assert told[0].startswith("order: the waves as planned are wrong: node-p1-1 > leaf-p1-r0: ")
    assert told[1].startswith("order: 7 steps of which no state is wrong (")
    assert told[2] == (
        "order: 1. spine1 and 3 more, together: old -> ready: takes DSCP 34 in priority 3; "
        "accepts both, so that it does not matter who sends which"
    )
    at = told.index("order: 3 plans, each a whole `railbed apply` before the next is written")
    assert told[at + 1 :] == [
        "order: plan 1, `ready`, everybody takes both: in fabric.yml",
        "order:   lossless:",
        "order:     dscp: 26",
        "order:     also_dscps: [34]",
        "order: plan 2, `moved`, hosts send the new, everybody takes both: in fabric.yml",
        "order:   lossless:",
        "order:     dscp: 34",
        "order:     also_dscps: [26]",
        "order: plan 3, `new`, as it shall be: in fabric.yml",
        "order:   lossless:",
        "order:     dscp: 34",
        "order:     also_dscps: []",
    ]


def test_of_a_change_that_is_begun_only_the_plans_that_are_left_are_told():
    """With DSCP 24 taken for another reason, which stays so, and larger packets."""

    def both(site):
        lossless(dscp=34, also_dscps=[24], cnp={"dscp": 46, "priority": 6})(site)
        mtu(4200, 4400)(site)

    begun = changed("two", lossless(also_dscps=[24, 34], cnp=CNP_OF_BOTH))
    told = list(lines(order(begun, changed("two", both))))
    at = told.index("order: 2 plans, each a whole `railbed apply` before the next is written")
    assert "\n".join(line.removeprefix("order: ") for line in told[at + 2 :]) == (
        "  lossless:\n    dscp: 34\n    also_dscps: [24, 26]\n"
        "    cnp:\n      dscp: 46\n      also_dscps: [48]\n"
        "    ip_mtu_bytes:\n      hosts: 4200\n      switches: 9216\n"
        "plan 2, `new`, as it shall be: in fabric.yml\n"
        "  lossless:\n    dscp: 34\n    also_dscps: [24]\n"
        "    cnp:\n      dscp: 46\n      also_dscps: []\n"
        "    ip_mtu_bytes:\n      hosts: 4200\n      switches: 4400"
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


def test_a_saved_plan_has_the_order_since_the_last_apply(site, tmp_path):
    folder, state = tmp_path / "lab", tmp_path / "state"
    shutil.copytree(site_folder("lab"), folder)
    state.mkdir()
    before = open_site(folder)
    keep(str(folder), state, before.digest)
    site.run(before, MEASURED)
    path = folder / "fabric.yml"
    path.write_text(path.read_text().replace("hosts: 9000", "hosts: 9200"))
    now = open_site(folder)
    assert order_since(before, state, site.record, before.waves) == ()
    told = order_since(now, state, site.record, now.waves)
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


NODES, SWITCHES = (
    Wave(step, step, tuple(sorted(names)), canary=False)
    for step, names in (("nodes", plan("two").node), ("switches", plan("two").switch))
)
OOB = Wave("oob", "oob", (plan("two").oob.name,), canary=False)
ALL = Wave("all", "switches", (*NODES.devices, *SWITCHES.devices), canary=False)
SMALL = changed("two", mtu(4200, 4400))


@dataclass(frozen=True)
class Site:
    """A record of runs, and the plans that can still be read."""

    record: Record
    kept: dict[str, Plan]

    def run(self, made: Plan, outcome: str, *waves: Wave, word: str = "go") -> int:
        """A run whose waves' gates all said the word."""
        run = self.record.begin_run("lab", made.digest)
        for wave in waves:
            self.record.begin_wave(run, wave.name, wave.step, wave.devices)
            self.record.end_wave(run, wave.name, word, ())
        self.record.end_run(run, outcome)
        return run

    def note(self, made: Plan, phase: str, detail: str, devices: tuple[str, ...]) -> None:
        """A run that stopped after these changes."""
        run = self.run(made, "stop", ALL, word="stop")
        for name in devices:
            self.record.change(run, ChangeRow("all", name, phase, "", "runtime", "", "", detail))

    def ask(self, made: Plan, *waves: Wave) -> str:
        return refuse_wrong_waves(made, Path(), self.record, waves)

    def tell(self, made: Plan, *waves: Wave) -> str:
        return "\n".join(order_since(made, Path(), self.record, waves))


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A site of which the smaller packets' plan was applied well."""
    record = Record(tmp_path / "record.sqlite")
    made = Site(record, {one.digest: one for one in (SMALL, plan("two"))})

    def kept(state: Path, digest: str) -> Plan | None:
        return made.kept.get(digest) if state == Path() else kept_plan(state, digest)

    monkeypatch.setattr(ordered, "kept_plan", kept)
    made.run(SMALL, MEASURED, ALL)
    yield made
    record.close()


def left(*waves: Wave) -> str:
    names = ", ".join(name for wave in waves for name in wave.devices)
    return f"what is configured is measured so; not yet as planned: {names}"


def test_waves_that_lose_packets_are_not_applied(site):
    with pytest.raises(RefusedError, match="in which jobs lose packets: ") as refused:
        site.ask(changed("two", lossless(dscp=34)), ALL)
    assert "--accept-loss" in refused.value.hint


def test_a_refusal_names_the_plans_to_write(site):
    site.run(plan("two"), MEASURED, ALL)
    with pytest.raises(RefusedError) as refused:
        site.ask(changed("two", lossless(dscp=34)), ALL)
    assert refused.value.hint.startswith(
        "3 plans, each a whole `railbed apply` before the next is written: "
        "lossless.dscp: 26, lossless.also_dscps: [34]; then "
        "lossless.dscp: 34, lossless.also_dscps: [26]; then "
        "lossless.dscp: 34, lossless.also_dscps: []; "
    )


IN_WAVES = NODES, SWITCHES
SWITCHES_FIRST = "no state is wrong by `railbed apply --only switches`, and then `railbed apply`"


def test_of_larger_packets_it_is_told_who_goes_first(site):
    made = replace(plan("two"), waves=IN_WAVES)
    with pytest.raises(RefusedError, match="bytes") as refused:
        site.ask(made, *made.waves)
    assert refused.value.hint.startswith(f"{SWITCHES_FIRST}; ")
    assert f"order: {SWITCHES_FIRST}" in site.tell(made, *made.waves)
    site.ask(made, SWITCHES)
    site.ask(replace(SMALL, waves=IN_WAVES), *made.waves)


def test_of_adaptive_routing_it_is_told_who_goes_first(site):
    """Off as on: NICs take packets in any order as long as any switch spreads them."""
    off, on = (
        replace(adaptive(plan("two"), switches=one, nics=one), digest=str(one), waves=IN_WAVES)
        for one in (False, True)
    )
    site.kept.update({one.digest: one for one in (off, on)})
    site.run(off, MEASURED, ALL)
    site.ask(on, NODES, SWITCHES)
    site.run(on, MEASURED, ALL)
    with pytest.raises(RefusedError, match="in order") as refused:
        site.ask(off, NODES, SWITCHES)
    assert refused.value.hint.startswith(f"{SWITCHES_FIRST}; ")


def test_of_one_step_its_own_waves_are_judged(site):
    """Larger packets of hosts: switches first are right, hosts first are not."""
    site.ask(plan("two"), SWITCHES)
    with pytest.raises(RefusedError, match="bytes"):
        site.ask(plan("two"), NODES, SWITCHES)


def test_a_run_of_another_step_or_of_nothing_is_no_answer(site):
    site.run(plan("two"), left(NODES, SWITCHES), OOB)
    site.run(plan("two"), "refused: no way to the site")
    with pytest.raises(RefusedError, match="bytes"):
        site.ask(plan("two"), NODES, SWITCHES)


def test_the_right_steps_by_hand_are_applied(site):
    site.run(plan("two"), left(NODES), SWITCHES)
    site.ask(plan("two"), NODES)
    site.ask(plan("two"), NODES, SWITCHES)


def test_after_the_wrong_step_the_rest_ends_the_loss(site):
    """To refuse would keep the site in the state that loses packets."""
    site.run(plan("two"), left(SWITCHES), NODES)
    told = site.ask(plan("two"), SWITCHES)
    assert told.startswith("packets are lost now: ")
    assert told.endswith(
        "bytes, IP MTU 4400 (with leaf-p1-r0 old, node-p1-1 new, node-p1-2 new); these waves end it"
    )
    assert told in site.tell(plan("two"), SWITCHES)


LEAF = Wave("leaf", "switches", ("leaf-p1-r0",), canary=False)


def test_out_of_a_wrong_state_the_ways_back_and_on_are_free(site):
    """A run of smaller packets moved one leaf and stopped: less is accepted than is sent."""
    site.run(plan("two"), MEASURED, ALL)
    site.run(SMALL, "stop", LEAF)
    assert site.ask(plan("two"), SWITCHES).endswith("these waves end it")
    assert site.ask(SMALL, NODES).endswith("these waves end it")
    assert site.ask(SMALL, NODES, SWITCHES).endswith("these waves end it")
    assert site.ask(SMALL, LEAF).endswith("these waves do not end it")
    with pytest.raises(RefusedError, match=r"bytes.*packets are lost now: .*do not end it"):
        site.ask(SMALL, SWITCHES)
    told = site.tell(SMALL, SWITCHES)
    assert "order: packets are lost now: " in told
    assert "no other is looked for" in told


@pytest.mark.parametrize(("waves", "is_right"), [((LEAF,), False), ((NODES,), True)])
def test_a_leaf_that_may_have_moved_is_moved_by_no_wave(site, waves, is_right):
    site.run(plan("two"), MEASURED, ALL)
    site.note(SMALL, "apply", "begins: it", LEAF.devices)
    if is_right:
        assert site.ask(SMALL, *waves).startswith("packets may be lost now: ")
    else:
        with pytest.raises(RefusedError, match="bytes"):
            site.ask(SMALL, *waves)


@pytest.mark.parametrize(
    ("phase", "detail", "is_right"),
    [
        ("save", "done: saved", True),
        ("confirm", "done: it", True),
        ("undo", "done: the device had confirmed the new configuration", True),
        ("undo", "done: the device has its old configuration again", False),
        ("apply", "begins: it", False),
        ("diff", "+mtu", False),
        ("undo", "failed: the device was not seen to go back", False),
    ],
)
def test_after_a_gate_that_stopped_what_was_changed_is_taken_as_done(site, phase, detail, is_right):
    site.note(plan("two"), phase, detail, SWITCHES.devices)
    if is_right:
        site.ask(plan("two"), NODES)
    else:
        with pytest.raises(RefusedError, match="bytes"):
            site.ask(plan("two"), NODES)


@pytest.mark.parametrize(
    ("detail", "is_right"), [("begins: pyinfra", False), ("failed: x", False), ("mtu", True)]
)
def test_of_servers_too(site, detail, is_right):
    """Back to smaller packets: hosts first is right, once they are."""
    site.run(plan("two"), MEASURED, ALL)
    site.note(SMALL, "roles", detail, NODES.devices)
    if is_right:
        site.ask(SMALL, SWITCHES)
    else:
        with pytest.raises(RefusedError, match="bytes"):
            site.ask(SMALL, SWITCHES)


def test_after_a_whole_good_run_nothing_is_asked(site):
    new = changed("two", lossless(dscp=34))
    site.run(new, f"{MEASURED}, but for 1 parked as unvalidated: node-p1-1", ALL)
    site.kept.clear()
    site.ask(new, ALL)


def test_back_to_the_plan_before_is_judged_from_where_devices_are(site):
    site.run(plan("two"), "stop", SWITCHES)
    site.ask(SMALL, SWITCHES)
    site.run(plan("two"), "stop", NODES)
    with pytest.raises(RefusedError, match="bytes"):
        site.ask(SMALL, SWITCHES)


def test_what_has_no_step_before_it_is_applied(site, tmp_path):
    site.ask(SMALL, ALL)
    empty = Record(tmp_path / "empty" / "record.sqlite")
    first = Site(empty, {})
    first.ask(plan("two"), ALL)
    first.run(plan("two"), left(NODES), SWITCHES)
    first.ask(plan("two"), ALL)
    empty.close()


def test_where_the_record_cannot_say_nothing_is_applied(site, tmp_path):
    new = changed("two", lossless(dscp=34))
    site.run(plan("two"), "stop", SWITCHES)
    with pytest.raises(RefusedError, match="2 earlier plans") as refused:
        site.ask(new, ALL)
    assert "--accept-loss" in refused.value.hint
    site.run(plan("two"), MEASURED, ALL)
    site.kept.clear()
    with pytest.raises(RefusedError, match="cannot be read"):
        site.ask(new, ALL)
    path = tmp_path / "forgotten" / "record.sqlite"
    Record(path).close()
    forget_history(path)
    forgotten = Record(path)
    with pytest.raises(RefusedError, match="lost one"):
        Site(forgotten, {}).ask(new, ALL)
    forgotten.close()


def test_a_plan_that_reached_no_device_is_not_kept_for_one_that_did(tmp_path):
    for digest, held in (("a", ()), ("b", ("a",)), ("c", ("a",)), ("d", ("a", "c"))):
        keep("lab", tmp_path, digest, held)
    found = [(tmp_path / "applied" / one / "plan.digest").read_text() for one in ("now", "before")]
    assert found == ["d\n", "c\n"]
    assert kept_plan(tmp_path, "b") is None
    assert kept_plan(tmp_path, "c") is not None


STRAGGLER = "node-p1-1"


def without_row(made: Plan) -> Plan:
    return replace(made, undeployable=(STRAGGLER,))


def test_a_device_without_a_row_is_nowhere(site, tmp_path):
    """It is at an older plan, or at none that is known: no reason to refuse what others get."""
    gone = Wave("gone", "nodes", (STRAGGLER,), canary=False)
    site.run(plan("two"), left(gone))
    new = without_row(changed("two", lossless(also_dscps=[34])))
    site.ask(new, ALL)
    with pytest.raises(RefusedError, match=f"2 earlier plans: {STRAGGLER} not at") as refused:
        site.ask(replace(new, undeployable=()), ALL)
    assert "no jobs" in refused.value.hint
    path = tmp_path / "forgotten" / "record.sqlite"
    Record(path).close()
    forget_history(path)
    forgotten = Site(Record(path), site.kept)
    forgotten.run(plan("two"), left(gone))
    forgotten.ask(new, ALL)
    forgotten.record.close()


def test_a_switch_without_a_row_is_on_no_path(site):
    """It keeps its small packets, and nobody's larger ones go there."""
    gone = replace(plan("two"), undeployable=("spine2",))
    built = tuple(name for name in SWITCHES.devices if name != "spine2")
    site.ask(gone, replace(SWITCHES, devices=built), NODES)


def test_what_holds_neither_is_not_known(site):
    detail = "done: the device holds neither the old nor the new configuration"
    site.note(plan("two"), "undo", detail, LEAF.devices)
    with pytest.raises(RefusedError, match="leaf-p1-r0: seen to hold neither"):
        site.ask(plan("two"), SWITCHES)
    assert "seen to hold neither" in site.tell(plan("two"), SWITCHES)
    site.run(plan("two"), left(NODES), SWITCHES)
    site.ask(plan("two"), NODES)


def test_a_plan_says_of_waves_what_apply_says(site):
    """Whole, the waves of larger packets are wrong; once switches have them, they are right."""
    assert "order: the waves as planned are wrong: " in site.tell(plan("two"), NODES, SWITCHES)
    site.run(plan("two"), "stop", SWITCHES)
    assert site.tell(plan("two"), NODES, SWITCHES).startswith("order: waves as planned: no state")
    site.run(plan("two"), "stop", LEAF)
    site.kept.clear()
    assert "cannot be read" in site.tell(plan("two"), NODES)


@pytest.fixture
def apply(site, tmp_path, monkeypatch):
    """The command, up to where devices would be changed; its output, and whether it came there."""
    context = Context(plan("two"), "lab", tmp_path, tmp_path, tmp_path, print, no_journal)
    went: list[str] = []

    def rollout(_context, _transport, _record, run, only, **_):
        went.append(only)
        return ApplyResult(run, "", False, MEASURED, 0, (), (), (), ())

    monkeypatch.setattr(change, "_able_context", lambda *_, **__: context)
    monkeypatch.setattr(change, "way", lambda _: None)
    monkeypatch.setattr(change, "write_story", lambda *_: None)
    monkeypatch.setattr(change, "rollout", rollout)
    monkeypatch.setattr(ordered, "kept_plan", lambda _, digest: site.kept.get(digest))

    def run(*words: str) -> bool:
        went.clear()
        CliRunner().invoke(app, ["apply", *words])
        return bool(went)

    return run


def test_the_command_refuses_wrong_waves_of_its_own_step_unless_told(site, apply):
    assert not apply()
    assert site.record.runs()[-1].outcome.startswith("refused: the waves lead through")
    assert site.record.locks() == {}
    assert apply("--only", "switches")
    site.run(SMALL, MEASURED, ALL)
    assert apply("--accept-loss")


def test_a_damaged_time_of_old_refuses_only_what_is_judged_by_it(site, apply):
    run = site.run(SMALL, "stop")
    site.record.change(run, ChangeRow("w", "x", "diff", "2020, noon", "none", "", "", ""))
    assert not apply("--only", "switches")
    assert "damaged" in site.record.runs()[-1].outcome
    assert apply("--only", "switches", "--accept-loss")
