"""The switch part of `apply` on models of EOS over real SSH; no real switch has had one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.backups.rollback import Wish, chosen, goals_of, rollback
from deploy.errors import RailbedError
from deploy.record.journal import Record
from deploy.rollout import change, switch_wave
from deploy.rollout.preconditions import untried
from deploy.rollout.reached import reached
from deploy.switches.push_result import PushResult
from deploy.switches.push_session import Pace, PushStopped, Reply, Session, unasked, unkept
from deploy.switches.switch_push import push_of
from deploy.switches.transcript import Recorder, on_record
from deploy.trial.push_trial import WORDS, PushTrial
from inventory import open_site
from inventory.plan import Plan
from inventory.switches.abilities import abilities
from switch_configs import render
from switch_configs.intent import Rendered
from tests.deploy.fake_eos import FakeEos, stored
from tests.deploy.rollout.models import (
    LEAF,
    SECRETS,
    SNMP,
    Site,
    behind_ssh,
    goes_from_survey_to_read_back,
    held,
    is_drained_and_taken_back,
    is_taken_back,
    leaf_and_spine,
    loses,
    made_quick,
)
from tests.deploy.rollout.trials import SPINE, lines_of, passes_a_trial, trial
from tests.validation import modules_shown
from tests.validation.shows import eos
from tests.validation.shows.state import Device

pytestmark = pytest.mark.instances(keep=1, files_of="a rollout by a switch system")

HASH = "$6$aB3dE5fG$Zx9cV8bN7mQ"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "eos", "admin", more=SNMP)


def factory(plan: Plan, name: str, login: str) -> str:
    """What a person types on a new switch: its name, a login, an address (its README)."""
    at = plan.switch[name].management
    return (
        f"hostname {name}\n!\n"
        f"username admin privilege 15 role network-admin secret sha512 {HASH}\n"
        f"username admin ssh-key ssh-ed25519 {login}\n!\n"
        f"vrf instance MGMT\n!\ninterface {at.port}\n   vrf MGMT\n   ip address {at.address}\n!\n"
    )


def shows(switch: FakeEos, here: Device) -> dict[str, str]:
    """What it tells of its links and routes, modules among them."""
    works = "\nrouter bgp " in switch.store.running
    told = eos.says(here if works else replace(here, sessions=[], routes={}, runs_bgp=False))
    del told[eos.LLDP_RUNS]  # which it has itself
    modules: dict[str, object] = {}
    phys: dict[str, object] = {}
    for port in here.ports:
        dom, phy = modules_shown.eos(port, modules_shown.Shown(f"{here.name}-{port}"))
        modules |= json.loads(dom)["interfaces"]
        phys |= json.loads(phy)["interfacePhyStatuses"]
    return told | {
        "show interfaces transceiver dom thresholds | json": json.dumps({"interfaces": modules}),
        "show interfaces phy detail | json": json.dumps({"interfacePhyStatuses": phys}),
    }


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[FakeEos]]:
    made_quick(monkeypatch)
    with behind_ssh(plan, tmp_path, FakeEos, factory, shows) as made:
        yield made


def test_a_new_site_goes_from_survey_to_pushed_to_read_back(site):
    goes_from_survey_to_read_back(site, ("show ",), rf"(?<= key 7 )\S+|{re.escape(HASH)}")
    for switch in site.switches.values():
        assert switch.store.running.count(" key 7 ") == 2


@pytest.mark.parametrize(
    "how", ["BGP does not come back", "half of the paths are lost", "a port does not pause"]
)
def test_a_change_that_breaks_the_fabric_goes_back_by_itself_and_is_named(site, monkeypatch, how):
    leaf = site.state[LEAF]

    def broken() -> str:
        if how == "BGP does not come back":
            for session in leaf.sessions:
                session.state = "Active"
            return "is Active"
        if how == "half of the paths are lost":
            for route in leaf.routes.values():
                route.ports = route.ports[: max(1, len(route.ports) // 2)]
            return "has 10."
        return loses(site.switches[LEAF], "   priority-flow-control on\n")

    is_taken_back(site, monkeypatch, broken)
    typed = " ".join(site.switches[LEAF].commands)
    assert "commit" not in typed.split("commit timer")[-1]


def test_a_drain_is_typed_and_taken_back_and_a_survey_tells_it(site, plan):
    name = "spine1"
    users = "".join(re.findall(r"username .*\n", site.switches[name].store.running))
    (file,) = render(plan, name).files
    text = re.sub(r"<<secret:(\w+)>>", lambda one: SECRETS[one[1]], file.text)
    before = f"{text.removesuffix('end' + chr(10))}{users}!\n"
    is_drained_and_taken_back(site, name, before, "   set community GSHUT additive")


def test_what_nobody_has_tried_is_told_and_changed_one_at_a_time(plan, tmp_path, monkeypatch):
    (told,) = untried(plan, plan.devices)
    release = plan.switch["spine1"].release
    assert told.startswith(f"eos {release} (leaf-p1-1, spine1): never tried on this system and")
    assert "only on a model of it" in told
    assert untried(open_site("lab"), open_site("lab").devices) == ()
    for name, gives in (
        ("require_up", None), ("open_plan", plan), ("refuse_unproved", {}), ("open_context", None),
    ):  # fmt: skip
        monkeypatch.setattr(change, name, lambda *_, gives=gives: gives)
    said: list[str] = []
    unasked: Any = SimpleNamespace(missing=lambda *_: ())
    undrained: Any = SimpleNamespace(of=lambda _: None, alone=lambda _: [])
    here: Any = SimpleNamespace(state_dir=tmp_path)
    change._able_context(here, "switches", said.append, supplied=False)
    change._able_context(here, "nodes", said.append, supplied=False)
    assert said == [told]
    names: list[str] = []

    def push(_, name: str, **__: object) -> PushResult:
        names.append(name)
        return PushResult(name, ok=name == "spine1", changed=True, message="refused")

    monkeypatch.setattr(switch_wave, "push", push)
    context: Any = SimpleNamespace(plan=plan, say=print, state_dir=tmp_path, at_once=32)
    changed: list[str] = []
    for devices, pushed in (
        (("spine1", "leaf-p1-1"), ["spine1", "leaf-p1-1"]),
        (("leaf-p1-1", "spine1"), ["leaf-p1-1"]),
    ):
        names.clear()
        with pytest.raises(RailbedError, match="leaf-p1-1: refused"):
            switch_wave.push_switches(
                context, devices, lambda _: (), changed, unasked, undrained, unkept
            )
        assert names == pushed
    trials = {release: "a transcript"}
    monkeypatch.setitem(
        abilities(), "eos", abilities()["eos"].model_copy(update={"trials": trials})
    )
    assert untried(plan, plan.devices) == ()


def test_a_trial_goes_back_by_itself_stays_and_is_taken_away(site, plan, monkeypatch):
    """The key of its servers, too, which is none of the site's."""
    spine = site.switches[SPINE]
    (file,) = render(plan, SPINE).files
    servers = "".join(re.findall(r"tacacs-server host .*\n", file.text))
    assert servers.count("<<secret:tacacs_key>>") == 2
    servers = stored(servers.replace("<<secret:tacacs_key>>", "Another-1"))
    text = f"{spine.store.running}{servers}interface Ethernet1/1\n   description bench\n!\n"
    spine.store.startup = spine.store.running = text
    spine.second_s = 0.1

    def runs(switch):
        return lines_of(switch.store.running), lines_of(switch.store.startup)

    passes_a_trial(site, monkeypatch, 12, runs)


def test_a_trial_that_is_cut_off_claims_nothing(site, monkeypatch):
    """By a person, once the switch runs it and has it confirmed."""
    spine = site.switches[SPINE]
    text = f"{spine.store.running}interface Ethernet1/1\n   description bench\n!\n"
    spine.store.startup = spine.store.running = text

    def to(made: PushTrial, wanted: Rendered) -> str:
        assert replace(made.push, new=wanted).run().confirmed
        raise KeyboardInterrupt

    monkeypatch.setattr(PushTrial, "_left_alone", lambda *_: "")
    monkeypatch.setattr(PushTrial, "_to", to)
    with pytest.raises(KeyboardInterrupt):
        trial(site, monkeypatch, 3)
    assert WORDS in spine.store.startup
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        assert reached(record).of(SPINE) == {"", site.context.plan.digest}, "not as it was"
        with pytest.raises(RailbedError, match="has the words of a trial still"):
            trial(site, monkeypatch, 3)
        goals = goals_of(site.context, 1, chosen(record, Wish(1), frozenset({SPINE})))
        assert rollback(site.context, site.transport, record, Wish(1), goals).exit_code == 0
    assert lines_of(spine.store.startup) == lines_of(text)


def test_a_change_that_was_not_taken_is_no_way_back(site, monkeypatch):
    """It runs what it ran, and nothing went back by itself."""
    spine, secret = site.switches[SPINE], "Her1ng-44"
    odd = f"description {secret}"
    ports = f"interface Ethernet1/1\n   description bench\n!\ninterface Ethernet2/1\n   {odd}\n!\n"
    text = f"{spine.store.running}{ports}"
    spine.store.startup = spine.store.running = text
    spine.second_s = 0.1
    monkeypatch.setattr(spine, "commit", lambda *_: f"% Cannot commit {odd}")
    result = trial(site, monkeypatch, 3)
    told = held(site.context.state_dir / "trials") + repr((site.said, result))
    assert secret not in told, "what nobody planned is not shown"
    assert "(a line that nobody planned)" in told
    assert "it did not take the change: apply: " in result.trial.parts[-1].said
    assert (result.trial.passed, len(result.trial.parts)) == (False, 2)


def test_a_switch_that_says_half_is_looked_at_again(site, monkeypatch):
    """While it goes back: whatever else that raises would end the trial in the middle."""
    push = push_of(site.context, SPINE, False, lambda _: (), Pace(), unasked)
    connect, asked = push.connect, list[str]()

    def half(session: Session) -> Session:
        ask = session.run

        def run(command: str, timeout_s: float) -> Reply:
            asked.append(command)
            found = ask(command, timeout_s)
            return replace(found, stdout=found.stdout[: len(found.stdout) // 2])

        monkeypatch.setattr(session, "run", run)
        return session

    made = PushTrial(
        replace(push, connect=lambda: half(connect())), Recorder("", str), bool, site.said.append
    )
    with pytest.raises(PushStopped):
        made.run()
    assert asked == [push.dialect.fetch_command()]


def test_a_switch_whose_timer_does_nothing_does_not_pass_a_trial(site, monkeypatch):
    spine = site.switches[SPINE]
    text = f"{spine.store.running}interface Ethernet1/1\n   description bench\n!\n"
    spine.store.startup = spine.store.running = text
    spine.second_s = 1000
    result = trial(site, monkeypatch, 3)
    assert not result.trial.passed
    said = [part.said for part in result.trial.parts]
    assert said[1:] == ["it went back when it was asked, and not by itself"]
    assert untried(site.context.plan, [SPINE], on_record(site.context.state_dir))
    assert lines_of(spine.store.running) == lines_of(text)


def test_a_switch_of_another_release_is_in_no_state_for_a_trial(site, monkeypatch):
    spine = site.switches[SPINE]
    text = f"{spine.store.running}interface Ethernet1/1\n   description bench\n!\n"
    spine.store.startup = spine.store.running = text
    shown = spine.shown
    monkeypatch.setattr(spine, "shown", lambda *more: shown(*more).replace("4.36.0F", "4.30.1F"))
    with pytest.raises(
        RailbedError, match=r"it runs release 4\.30\.1F, and the plan says 4\.36\.0F"
    ):
        trial(site, monkeypatch, 3)
    assert not [line for line in spine.commands if line.startswith("configure session")]
