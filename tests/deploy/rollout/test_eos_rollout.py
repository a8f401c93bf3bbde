"""The switch part of `apply` on models of EOS over real SSH; no real switch has had one.

Each switch tells of its links, sessions and routes as a healthy fabric's would, once its running
configuration has its routing: the model forwards nothing itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

import pytest

from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.imports.new_site import Answers, new_site
from deploy.record.journal import Record
from deploy.rollout import change, gatekeeper, runbook, switch_wave
from deploy.rollout.preconditions import refuse_unable, untried
from deploy.rollout.runbook import ApplyResult, preview, rollout, waves_of
from deploy.rollout.survey import survey
from deploy.switches.push_result import PushResult
from deploy.switches.switch_push import connect
from deploy.switches.typed_run import SwitchTransport
from inventory import open_site
from inventory.plan import Plan
from inventory.switches.abilities import abilities
from switch_configs import cli, dialect, intent
from switch_configs.answers.typed import decoded
from switch_configs.intent import SwitchIntent
from tests.deploy.fake_eos import FakeEos
from tests.deploy.switches.test_eos_push import key
from tests.generated.sites import make_up_asbuilt
from tests.validation import modules_shown
from tests.validation.shows import eos
from tests.validation.shows.state import Device, healthy
from validation.evidence.gather import Reply, Transport

HASH = "$6$aB3dE5fG$Zx9cV8bN7mQ"
VALUE = "Sw0rdfish"
Model = TypeVar("Model")
ACCOUNT = "  accounts: [{name: %s, role: admin, ssh_keys: 1}]\n"
SERVICES = """
switch_services:
%s  tacacs: {servers: [172.16.3.8, 172.16.3.9], key: tacacs_key}
"""


def leaf_and_spine(folder: Path, system: str, account: str, nodes: int = 2, over: int = 1) -> Plan:
    """A leaf and a spine, as `railbed init` makes a site, with the login that they come with.

    "" for a system whose logins no plan names.
    """
    answers = Answers(
        nodes=nodes, node_profile="hgx-h100", dialect=system, kind="two-tier", storage="none",
        business="none", oob_switches=False, growth=1.0,
    )  # fmt: skip
    new_site(folder, answers, None, dry_run=False)
    path = folder / "fabric.yml"
    text = path.read_text()
    for word, number in (("homes", 1), ("spines", 1), ("uplinks_per_spine", 8 * nodes // over)):
        text = re.sub(rf"(?m)^( +{word}:) \d+", rf"\1 {number}", text)
    text = re.sub(r"(oversubscription: {leaf: )[\d.]+", rf"\g<1>{over}", text)
    text = text.replace("credentials:\n", "credentials:\n  tacacs_key: env:TACACS\n")
    path.write_text(text + SERVICES % (ACCOUNT % account if account else ""))
    make_up_asbuilt(folder)
    return open_site(folder)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "eos", "admin")


class Nobody:
    """Servers, which are not there yet."""

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        return Reply(b"", None, f"{device}: no route to host ({len(script)}, {timeout_s})")


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


@dataclass
class Site(Generic[Model]):
    context: Context
    transport: Transport
    switches: dict[str, Model]
    state: dict[str, Device]
    said: list[str] = field(default_factory=list)

    def apply(self) -> ApplyResult:
        record = Record(self.context.state_dir / "record.sqlite")
        try:
            run = record.begin_run(self.context.site, self.context.plan.digest)
            return rollout(self.context, self.transport, record, run, "switches")
        finally:
            record.close()


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[FakeEos]]:
    monkeypatch.setattr(gatekeeper, "settle_s", lambda _: 0.0)
    monkeypatch.setattr(runbook, "pending", lambda _: "")
    monkeypatch.setenv("TACACS", VALUE)
    text, login = key()
    (tmp_path / "id_ed25519").write_text(text)
    (tmp_path / "id_ed25519").chmod(0o600)
    state, hosts, known = healthy(plan), [], []
    with ExitStack() as opened:
        switches: dict[str, FakeEos] = {}
        for name, one in plan.switch.items():
            host_key = key()[1]
            start = factory(plan, name, login.get_base64())
            switch = FakeEos(start, one.management.mac or "", host_key, login.get_base64())
            switches[name] = opened.enter_context(switch)
            switch.shows = partial(shows, switch, state[name])
            hosts.append(f"Host {name}\n  HostName 127.0.0.1\n  Port {switch.port}\n  User admin\n")
            where = f"[127.0.0.1]:{switch.port}"
            known.append(f"{where} {host_key.get_name()} {host_key.get_base64()}\n")
        (tmp_path / "config").write_text("".join(hosts))
        (tmp_path / "known_hosts").write_text("".join(known))
        said: list[str] = []
        context = Context(
            plan, plan.site, tmp_path, tmp_path / "config", tmp_path / "known_hosts",
            said.append, no_journal,
        )  # fmt: skip
        yield Site(context, SwitchTransport(Nobody(), context), switches, state, said)


def held(folder: Path) -> str:
    return "\n".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in folder.rglob("*")
        if path.is_file() and path.name != "id_ed25519"
    )


def test_a_new_site_goes_from_survey_to_pushed_to_read_back(site, plan, tmp_path):
    refuse_unable(plan, "switches", waves_of(plan, "switches"))
    result = site.apply()
    assert result.exit_code == 0, (result.outcome, result.findings)
    assert result.changed == tuple(sorted(plan.switch))
    assert {one.decision for one in result.waves} == {"go"}
    checks = {(one.stage, one.check) for one in result.findings if one.device in plan.switch}
    assert {(20, "bgp"), (20, "lldp"), (20, "route"), (25, "running"), (40, "mtu")} <= checks
    for switch in site.switches.values():
        assert switch.store.startup == switch.store.running
        assert switch.store.running.count(" key 7 ") == 2
    found = survey(site.context, site.transport)
    assert found.as_planned >= set(plan.switch)
    for switch in site.switches.values():
        switch.commands.clear()
    again = site.apply()
    assert (again.exit_code, again.changed) == (0, ())
    for switch in site.switches.values():
        assert all(one.startswith(("show ", "terminal ")) for one in switch.commands)
    told = held(tmp_path) + repr((site.said, result, again))
    kept = set(re.findall(r" key 7 (\S+)", site.switches["spine1"].store.running))
    assert not [value for value in (HASH, VALUE, *kept) if value in told]
    assert preview(site.context, site.transport, "switches").differences == ()


@pytest.mark.full
def test_sessions_that_do_not_come_up_stop_the_rollout_at_the_gate(site):
    for one in site.state["leaf-p1-1"].sessions:
        one.state = "Active"
    result = site.apply()
    assert result.exit_code == 1
    assert "stop at the gate after 'leaves-canary'" in result.outcome
    assert "leaf-p1-1" in result.outcome


def type_in(site: Site[FakeEos], name: str, lines: str) -> None:
    folder = site.context.state_dir
    session = connect(name, "arista_eos", site.context, folder / "id_ed25519", cli("eos"))
    assert session.run(lines, 20.0).exit_status == 0
    session.close()


def test_a_drain_is_typed_and_taken_back_and_a_survey_tells_it(site, plan):
    name = "spine1"
    switch, wanted = site.switches[name], intent(plan, name)
    assert isinstance(wanted, SwitchIntent)
    tongue = dialect("eos")
    (file,) = tongue.render(wanted).files
    users = "".join(re.findall(r"username .*\n", switch.store.running))
    file = replace(file, text=file.text.replace("<<secret:tacacs_key>>", VALUE))
    before = f"{file.text.removesuffix('end' + chr(10))}{users}!\n"
    switch.store.startup = switch.store.running = before
    refused = site.transport.run(name, tongue.drain_command(wanted, drained=True), 20.0)
    assert {one.status for one in decoded(refused.stdout)} == {1}, "who asks changes nothing"
    assert switch.store.running == before
    type_in(site, name, tongue.drain_command(wanted, drained=True))
    assert "   set community GSHUT additive\n" in switch.store.running
    assert switch.store.startup == before, "a restart ends it"
    assert name not in survey(site.context, site.transport).as_planned
    type_in(site, name, tongue.drain_command(wanted, drained=False))
    assert switch.store.running == before
    assert name in survey(site.context, site.transport).as_planned


def test_what_nobody_has_tried_is_told_and_changed_one_at_a_time(plan, monkeypatch):
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
    nothing: Any = None
    change._able_context(nothing, "switches", said.append, supplied=False)
    change._able_context(nothing, "nodes", said.append, supplied=False)
    assert said == [told]
    names: list[str] = []

    def push(_, name: str, **__: object) -> PushResult:
        names.append(name)
        return PushResult(name, ok=name == "spine1", changed=True, message="refused")

    monkeypatch.setattr(switch_wave, "push", push)
    context: Any = SimpleNamespace(plan=plan, say=print)
    changed: list[str] = []
    for devices, reached in (
        (("spine1", "leaf-p1-1"), ["spine1", "leaf-p1-1"]),
        (("leaf-p1-1", "spine1"), ["leaf-p1-1"]),
    ):
        names.clear()
        with pytest.raises(RailbedError, match="leaf-p1-1: refused"):
            switch_wave.push_switches(context, devices, lambda _: (), changed)
        assert names == reached
    trials = {release: "a transcript"}
    monkeypatch.setitem(
        abilities(), "eos", abilities()["eos"].model_copy(update={"trials": trials})
    )
    assert untried(plan, plan.devices) == ()
