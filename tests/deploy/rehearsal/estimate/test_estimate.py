"""An estimate of a whole site is the sum that the test's own schedule of its waves gives."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from math import ceil
from typing import Any

import pytest
import yaml

from deploy.errors import RailbedError
from deploy.rehearsal.estimate.acts import ServerChange, SwitchChange, between, from_nothing
from deploy.rehearsal.estimate.arithmetic import Range
from deploy.rehearsal.estimate.estimate import (
    Known,
    estimated,
    loads_of,
    on_record_of,
    refuse_unmeasured,
)
from deploy.rehearsal.estimate.impacts import Impacts, kind_of_switch
from deploy.rehearsal.estimate.measured import (
    OOB,
    EngineTime,
    GateTime,
    PushTime,
    Samples,
)
from deploy.session import Selection
from inventory import open_site
from inventory.load.durations import DURATIONS
from inventory.load.site import PROFILES
from inventory.plan import Plan
from inventory.problems import InventoryError
from switch_configs import render
from switch_configs.intent import Impact, Rendered
from tests.deploy.rehearsal.stock import of, site
from tests.deploy.rehearsal.test_makers import other_driver
from tests.shipped import loaded

from .test_arithmetic import ticked

ALL = frozenset[str]()
TABLE = loaded(PROFILES / DURATIONS)
# A push of 11 to 14 s without what it waits for, engines of one host, gates of one round.
TWIN = Samples(
    runs=1,
    pushes=(PushTime("eos", "link flap", 15, 2, 2), PushTime("eos", "link flap", 20, 3, 3)),
    engines=(
        EngineTime("pyinfra", "hgx-h100", ALL, 1, 30),
        EngineTime("pyinfra", "storage-cpu", ALL, 1, 20),
        EngineTime("pyinfra", "mgmt-cpu", ALL, 1, 20),
        EngineTime("pyinfra", OOB, ALL, 1, 25),
    ),
    gates=(GateTime(3, 6), GateTime(7, 8)),
    last=(GateTime(7, 9),),
    around=(GateTime(7, 20),),
)


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """48 HGX nodes, rails of eight, storage; nobody knows its MACs yet."""
    folder = site(tmp_path_factory.mktemp("estimate") / "site", of(nodes=48))
    return folder, open_site(folder)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two nodes on eight rails."""
    folder = site(tmp_path_factory.mktemp("estimate") / "site", of(storage="none"))
    return folder, open_site(folder)


def seconds(name: str, end: int) -> float:
    return float(TABLE[name]["seconds"][end])


def engine(some: list[ServerChange], end: int, plan: Plan) -> float:
    """Of a run: the twin's time, at most for each host of a kind anew, acts; packages of all."""
    took = [
        {"hgx-h100": 30, OOB: 25}.get(kind, 20) * [1, len(mine)][end]
        + sum(seconds(act, end) for act in mine[0].acts)
        for kind in {one.kind for one in some}
        if (mine := [one for one in some if one.kind == kind])
    ]
    rates = {cable.a.device: cable.rate_gbps for cable in plan.cables if cable.plane == "oob"}
    rates |= {cable.b.device: cable.rate_gbps for cable in plan.cables if cable.plane == "oob"}
    server = rates[plan.oob.name]
    least = max(one.least_bytes for one in some) / min(rates.get(one.name, server) for one in some)
    sent = [least, sum(one.most_bytes for one in some) / server][end]
    return max(took) + sent * 8 / 1e9


def by_hand(plan: Plan, end: int, width: int) -> float:
    """The least (0) or the most (1) that a rollout from nothing takes, in seconds."""
    changes = from_nothing(plan)
    push = [11, 14][end] + seconds("apply_eos", end) + seconds("link_up", end)
    timers = next(iter(plan.switches)).timers
    push += [0, 2 * (timers.bgp_hold_s + timers.bgp_connect_s)][end]
    left, took, configured = {**changes}, 0.0, 0
    waves = [*waves_of(plan)]
    for at, devices in enumerate(waves, start=1):
        configured += len(devices)
        mine = [left.pop(name) for name in devices]
        if isinstance(mine[0], SwitchChange):
            took += ticked([1] * len(mine), width) * push
        else:
            servers = [one for one in mine if isinstance(one, ServerChange)]
            assert {(one.engine, one.roles) for one in servers} == {("pyinfra", ALL)}
            took += engine(servers, end, plan)
        gate = [9, 9] if at == len(waves) else [6, 8]
        took += gate[end] * [1, ceil(configured / 32)][end]
    assert not left
    return took + 20 * [1, ceil(len(plan.devices) / 32)][end]


def waves_of(plan: Plan) -> list[list[str]]:
    """By the names alone: the server, nodes (a canary of each kind), planes from the top down."""
    kinds: dict[str, list[str]] = {}
    for node in plan.nodes:
        kinds.setdefault(node.kind, []).append(node.name)
    first = [names[0] for names in kinds.values()]
    made = [[plan.oob.name], first]
    nodes = [one for one in plan.nodes if one.name not in first]
    for kind, pod in dict.fromkeys((one.kind, one.pod) for one in nodes):
        mine = [one.name for one in nodes if (one.kind, one.pod) == (kind, pod)]
        made += [mine[at : at + 32] for at in range(0, len(mine), 32)]
    for plane in ("compute", "storage"):
        spines, leaves = (
            [one for one in plan.switches if (one.plane, one.tier) == (plane, tier)]
            for tier in ("spine", "leaf")
        )
        made += [[one.name] for one in spines]
        made.append([leaves[0].name])
        words = sorted({one.name.rpartition("-")[2] for one in leaves})
        for word in words:
            mine = [one.name for one in leaves[1:] if one.name.rpartition("-")[2] == word]
            made += [mine[at : at + 8] for at in range(0, len(mine), 8)]
    return [one for one in made if one]


@pytest.mark.parametrize("tried", [False, True])
def test_the_sum_is_that_of_another_schedule_of_the_same_waves(stock, tried):
    """Of what nobody tried on the site, one switch after the other; of else as many as a wave."""
    folder, plan = stock
    releases = {(one.dialect, one.release) for one in plan.switches}
    known = Known(str(folder), Samples(), TWIN, tried=frozenset(releases if tried else ()))
    made = estimated("from nothing", known, plan)
    width = 8 if tried else 1
    assert made.takes.least_s == pytest.approx(by_hand(plan, 0, width))
    assert made.takes.most_s == pytest.approx(by_hand(plan, 1, width))
    assert any("one at a time" in note for note in made.notes) != tried
    assert any("as if asbuilt.csv" in note for note in made.notes)
    assert not made.unknown


def test_at_most_so_many_at_once_as_a_person_lets(stock):
    folder, plan = stock
    releases = frozenset((one.dialect, one.release) for one in plan.switches)
    known = Known(str(folder), Samples(), TWIN, tried=releases, at_once=1)
    assert estimated("x", known, plan).takes.most_s == pytest.approx(by_hand(plan, 1, 1))


def test_restarts_are_told_and_in_no_sum(stock):
    """No rollout restarts a node or a switch: people do, and how long each takes is told."""
    folder, plan = stock
    made = estimated("x", Known(str(folder), Samples(), TWIN), plan)
    found = {one.what: (one.devices, one.part.takes) for one in made.later}
    gpus = sum(one.profile == "hgx-h100" for one in plan.nodes)
    assert found["restart hgx-h100"] == (gpus, Range(300, 900))
    assert found["restart eos switches"] == (len(plan.switches), Range(180, 600))


def test_what_nobody_measured_is_named_and_not_taken_for_nothing(stock):
    folder, plan = stock
    made = estimated("x", Known(str(folder), Samples(), Samples()), plan)
    for name in ("gates", "push to eos: logins, files, looks", "pyinfra on hgx-h100"):
        assert name in made.unknown
    assert {one.basis for one in made.parts if one.name in made.unknown} == {"nobody knows"}


def test_the_site_itself_says_how_long_an_act_takes(stock, tmp_path):
    folder, plan = stock
    own = shutil.copytree(folder, tmp_path / "own")
    (own / "profiles").mkdir(exist_ok=True)
    said = {"apply_eos": {"seconds": [3, 4], "sure": "reported"}}
    (own / "profiles" / DURATIONS).write_text(yaml.safe_dump(said))
    made = estimated("x", Known(str(own), Samples(), TWIN), plan)
    (mine,) = [one for one in made.parts if one.name == "apply eos"]
    assert (mine.takes, mine.basis) == (Range(3, 4), "reported")
    assert "of the site" in mine.source
    whole = estimated("x", Known(str(folder), Samples(), TWIN), plan)
    switches = len(plan.switches)
    assert whole.takes.most_s - made.takes.most_s == pytest.approx(switches * (60 - 4))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"aply_eos": {"seconds": [1, 2], "sure": "assumed"}}, "did you mean 'apply_eos'"),
        ({"apply_eos": {"seconds": [2, 1], "sure": "assumed"}}, "the least, then the most"),
        ({"apply_eos": {"seconds": [float("nan"), 1], "sure": "assumed"}}, "seconds"),
        ({"apply_eos": {"seconds": [1], "sure": "assumed"}}, "seconds"),
        ({"apply_eos": {"seconds": [1, 2], "sure": "guessed"}}, "sure"),
    ],
)
def test_a_table_that_says_nonsense_is_refused_with_its_line(small, tmp_path, said, told):
    own = shutil.copytree(small[0], tmp_path / "own")
    (own / "profiles").mkdir(exist_ok=True)
    (own / "profiles" / DURATIONS).write_text(yaml.safe_dump(said))
    with pytest.raises(InventoryError, match=told) as raised:
        open_site(own)
    assert re.search(r"profiles/durations.yml:[1-5]:\d+ \w+_eos", str(raised.value))


def test_a_change_prices_those_alone_that_differ(small, tmp_path):
    """Where they log to, which nothing that forwards reads: no link, no drain, no restart."""
    folder, before = small
    later = shutil.copytree(folder, tmp_path / "later")
    with (later / "fabric.yml").open("a") as file:
        file.write("switch_services: {syslog: [172.16.3.9]}\n")
    after = open_site(later)
    changes = between(before, after)
    assert set(changes) == set(before.switch)
    assert {one.impact for one in changes.values() if isinstance(one, SwitchChange)} == {"none"}
    assert not any(one.drains for one in changes.values() if isinstance(one, SwitchChange))
    made = estimated("x", Known(str(folder), Samples(), TWIN), after, before)
    assert {one.step for one in made.waves} == {"switches"}
    assert "link up" not in {one.name for one in made.parts}
    assert not made.later
    assert estimated("x", Known(str(folder), Samples(), TWIN), before, before).waves == ()


def test_a_node_role_that_changes_is_its_wave_and_its_restart(small, tmp_path):
    folder, before = small
    later = shutil.copytree(folder, tmp_path / "later")
    profile: dict[str, Any] = dict(loaded(PROFILES / "nodes.yml")["hgx-h100"])
    profile["tuning"] = {**profile["tuning"], "kernel_arguments": ["quiet"]}
    (later / "profiles").mkdir(exist_ok=True)
    (later / "profiles/nodes.yml").write_text(yaml.safe_dump({"own": profile}))
    text = (later / "fabric.yml").read_text()
    (later / "fabric.yml").write_text(text.replace("hgx-h100", "own"))
    changes = between(before, open_site(later))
    nodes = {one.name for one in before.nodes if one.profile == "hgx-h100"}
    assert set(changes) == nodes
    one = changes[min(nodes)]
    assert isinstance(one, ServerChange)
    assert one.roles == {"kernel_tuning"}
    assert "kernel command line" in one.reboot


def test_loads_of_the_last_gate_are_its_own_planners(small):
    _, plan = small
    part = loads_of(plan, recorded=False)
    assert part
    assert part.takes
    assert 0 < part.takes.least_s <= part.takes.most_s
    assert loads_of(plan, recorded=True) is None


def test_a_site_without_a_run_is_none_to_measure_by(monkeypatch, tmp_path):
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: tmp_path))
    assert on_record_of(Selection("lab", "lab")) == Samples()
    with pytest.raises(RailbedError, match="no run of lab is on record"):
        refuse_unmeasured(["lab"])


def test_spines_are_drained_first_and_alone_and_leaves_of_rails_are_not(small, tmp_path):
    """Nobody can take the traffic of a leaf's own nodes, and spines take each other's."""
    folder, before = small
    later = shutil.copytree(folder, tmp_path / "later")
    text = (folder / "fabric.yml").read_text()
    assert text.count("bfd_interval_ms: 300") == 1
    (later / "fabric.yml").write_text(text.replace("bfd_interval_ms: 300", "bfd_interval_ms: 400"))
    changes = between(before, open_site(later))
    assert set(changes) == set(before.switch)
    tiers = {
        (before.switch[name].tier, one.drains, one.alone)
        for name, one in changes.items()
        if isinstance(one, SwitchChange)
    }
    assert tiers == {("spine", True, True), ("leaf", False, False)}
    made = estimated("x", Known(str(folder), Samples(), TWIN), open_site(later), before)
    (drain,) = [one for one in made.parts if one.name == "drain until seen idle"]
    assert drain.basis == "plan"
    spines = [one for one in made.waves if one.name.startswith("spines")]
    leaves = [one for one in made.waves if one.name.startswith("leaves-canary")]
    assert drain.takes
    assert spines[0].work == leaves[0].work + drain.takes


@pytest.mark.parametrize(
    ("profile", "act"),
    [("sn5600-sonic", "reload_sonic"), ("nexus-9364e-sg2-nxos", "apply_nxos"),
     ("sn5600-cumulus", "cumulus")],
)  # fmt: skip
def test_a_model_says_nothing_of_how_long_its_system_takes(tmp_path, profile, act):
    """It answers at once: what the system itself needs comes from the table."""
    folder = site(tmp_path / "site", of(storage="none", switch_profile=profile))
    system = profile.rpartition("-")[2]
    quick = PushTime(system, "reload", 12, 1, 1)
    twin = Samples(1, (quick,), TWIN.engines, TWIN.gates, TWIN.last, TWIN.around)
    made = estimated("x", Known(str(folder), Samples(), twin), open_site(folder))
    names = {one.name.replace(" ", "_") for one in made.parts}
    assert any(name.endswith(act) for name in names)
    assert f"push to {system}: logins, files, looks" in {one.name for one in made.parts}


def test_a_driver_is_a_run_for_each_wave_of_its_nodes(stock, tmp_path):
    """Its gate holds until they have booted anew, so people restart them between waves."""
    folder, before = stock
    after = open_site(other_driver(folder, tmp_path / "later"))
    made = estimated("x", Known(str(folder), Samples(), TWIN), after, before)
    assert {one.step for one in made.waves} == {"nodes"}
    waits = [one for one in made.waves if one.again != Range(0, 0)]
    assert len(waits) == 3
    timers = before.switches[0].timers
    settle = 2 * (timers.bgp_hold_s + timers.bgp_connect_s)
    rounds = ceil(len(before.devices) / 32)
    assert {one.again for one in waits} == {Range(settle + 20, settle + 20 * rounds)}
    (later,) = made.later
    assert (later.what, later.devices, later.gates) == ("restart hgx-h100", 48, 3)
    first = estimated("x", Known(str(folder), Samples(), TWIN), after)
    assert {one.again for one in first.waves} == {Range(0, 0)}


def test_a_last_gate_is_a_figure_of_its_own(small):
    """Known from the twin alone, where others are on record; and unknown ones are named beside."""
    folder, plan = small
    record = Samples(gates=(GateTime(7, 3),))
    made = estimated("x", Known(str(folder), record, TWIN), plan)
    basis = {one.name: one.basis for one in made.parts}
    assert (basis["gates"], basis["last gate"]) == ("recorded", "twin")
    made = estimated("x", Known(str(folder), record), plan)
    assert "last gate" in made.unknown
    assert "gates" not in made.unknown


@pytest.mark.parametrize(
    ("profile", "said", "other"),
    [
        ("sn5600-cumulus", "bfd_interval_ms: 300", "bfd_interval_ms: 400"),
        ("arista-7060x6-64pe-eos", "  dscp: 26\n", "  dscp: 34\n"),
    ],
)
def test_a_kind_of_change_is_asked_once_and_means_the_same_on_each(
    tmp_path, monkeypatch, profile, said, other
):
    folder = site(tmp_path / "site", of(storage="none", switch_profile=profile, nodes=32))
    later = shutil.copytree(folder, tmp_path / "later")
    text = (folder / "fabric.yml").read_text()
    (later / "fabric.yml").write_text(text.replace(said, other, 1))
    before, after = open_site(folder), open_site(later)
    each = {
        name: Impacts(after).of(render(before, name), render(after, name)) for name in after.switch
    }
    asked = list[str]()
    ask = Impacts._asked

    def counted(self: Impacts, old: Rendered, new: Rendered) -> Impact | None:
        asked.append(new.device)
        return ask(self, old, new)

    monkeypatch.setattr(Impacts, "_asked", counted)
    changes = between(before, after)
    found = {one.name: one.impact for one in changes.values() if isinstance(one, SwitchChange)}
    assert found == each
    kinds = {kind_of_switch(after, name) for name in found}
    assert len(kinds) <= len(asked) < len(found) / 2


def test_changes_of_another_kind_are_no_others(small):
    """One port goes down, and on its neighbour a description is another."""
    _, plan = small
    one, other, *_ = (name for name, at in plan.switch.items() if at.tier == "leaf")
    impacts = Impacts(plan)

    def impact(name: str, said: str, instead: str) -> Impact | None:
        now = render(plan, name)
        text = now.files[0].text
        assert said in text
        then = replace(now.files[0], text=text.replace(said, instead, 1))
        return impacts.of(now, replace(now, files=(then, *now.files[1:])))

    mild = impact(one, "description", "description very")
    assert mild == "none"
    hard = impact(other, "   mtu ", "   mtu 1")
    assert hard != mild
