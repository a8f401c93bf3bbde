"""A leaf and a spine as models of their system, for the switch part of `apply`.

Each switch tells of its links, sessions and routes as a healthy fabric's would, once its running
configuration has its routing: a model forwards nothing itself.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

import pytest

from deploy.context import Context, no_journal
from deploy.imports.new_site import Answers, new_site
from deploy.record.journal import Record
from deploy.rollout import gatekeeper, runbook
from deploy.rollout.fabric_check import FabricCheck
from deploy.rollout.preconditions import refuse_unable, untried
from deploy.rollout.runbook import ApplyResult, preview, rollout, waves_of
from deploy.rollout.survey import survey
from deploy.switches.switch_push import connect
from deploy.switches.typed_run import SwitchTransport
from inventory import open_site
from inventory.plan import Plan
from switch_configs import cli, dialect, intent
from switch_configs.answers.typed import decoded
from switch_configs.intent import SwitchIntent
from tests.deploy.fake_eos import Served
from tests.deploy.switches.test_eos_push import key
from tests.generated.sites import make_up_asbuilt
from tests.validation.shows.state import Device, healthy
from validation.evidence.gather import Reply, Transport
from validation.verdict import Verdict

CHECKS = {(20, "bgp"), (20, "lldp"), (20, "route"), (25, "running"), (40, "mtu")}
SECRETS = {"tacacs_key": "Sw0rdfish", "snmp_auth": "Tr0ut-22", "snmp_priv": "P1ke-333"}
Model = TypeVar("Model")
Kind = TypeVar("Kind", bound=Served)
ACCOUNT = "  accounts: [{name: %s, role: admin, ssh_keys: 1}]\n"
SERVICES = """
switch_services:
%s  tacacs: {servers: [172.16.3.8, 172.16.3.9], key: tacacs_key}
"""
SNMP = "  snmp: {user: reader, auth: snmp_auth, priv: snmp_priv}\n"


def leaf_and_spine(
    folder: Path,
    system: str,
    account: str,
    nodes: int = 2,
    over: int = 1,
    more: str = "",
    spines: int = 1,
) -> Plan:
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
    uplinks = 8 * nodes // over // spines
    for word, number in (("homes", 1), ("spines", spines), ("uplinks_per_spine", uplinks)):
        text = re.sub(rf"(?m)^( +{word}:) \d+", rf"\1 {number}", text)
    text = re.sub(r"(oversubscription: {leaf: )[\d.]+", rf"\g<1>{over}", text)
    services = SERVICES % (ACCOUNT % account if account else "") + more
    lines = "".join(f"  {one}: env:{one.upper()}\n" for one in SECRETS if one in services)
    text = text.replace("credentials:\n", f"credentials:\n{lines}")
    path.write_text(text + services)
    make_up_asbuilt(folder)
    return open_site(folder)


class Nobody:
    """Servers, which are not there yet."""

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        return Reply(b"", None, f"{device}: no route to host ({len(script)}, {timeout_s})")


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

    def applies(self) -> ApplyResult:
        """A run that ends well; else all that did not pass is told."""
        result = self.apply()
        bad = [str(one) for one in result.findings if one.verdict is not Verdict.PASS]
        assert result.exit_code == 0, (result.outcome, bad)
        return result


def made_quick(monkeypatch) -> None:
    """No packages, routes settle at once, the secrets are there.

    Gates look twice, as they do on a site: one answer of a busy machine may come too late.
    """
    monkeypatch.setattr(gatekeeper, "settle_s", lambda _: 0.5)
    monkeypatch.setattr(runbook, "pending", lambda _: "")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name.upper(), value)


@contextmanager
def behind_ssh(
    plan: Plan,
    folder: Path,
    model: type[Kind],
    factory: Callable[[Plan, str, str], str],
    shows: Callable[[Kind, Device], Mapping[str, str]],
) -> Iterator[Site[Kind]]:
    """The site's switches, each a model behind SSH that began with what `factory` makes.

    `shows` are the answers of one whose fabric is in this state.
    """
    text, login = key()
    (folder / "id_ed25519").write_text(text)
    (folder / "id_ed25519").chmod(0o600)
    state, hosts, known = healthy(plan), [], []
    with ExitStack() as opened:
        switches: dict[str, Kind] = {}
        for name, one in plan.switch.items():
            host_key = key()[1]
            start = factory(plan, name, login.get_base64())
            switch = model(start, one.management.mac or "", host_key, login.get_base64())
            opened.enter_context(switch)
            switches[name] = switch
            switch.shows = partial(shows, switch, state[name])
            hosts.append(f"Host {name}\n  HostName 127.0.0.1\n  Port {switch.port}\n  User admin\n")
            where = f"[127.0.0.1]:{switch.port}"
            known.append(f"{where} {host_key.get_name()} {host_key.get_base64()}\n")
        (folder / "config").write_text("".join(hosts))
        (folder / "known_hosts").write_text("".join(known))
        said: list[str] = []
        context = Context(
            plan, plan.site, folder, folder / "config", folder / "known_hosts",
            said.append, no_journal,
        )  # fmt: skip
        yield Site(context, SwitchTransport(Nobody(), context), switches, state, said)


def held(folder: Path) -> str:
    """All that a run has written."""
    return "\n".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in folder.rglob("*")
        if path.is_file() and path.name != "id_ed25519"
    )


def is_pushed(site: Site[Model], *more: tuple[int, str]) -> ApplyResult:
    """A new site is pushed, one switch at a time, and judged by all of `CHECKS`, and `more`."""
    plan = site.context.plan
    refuse_unable(plan, "switches", waves_of(plan, "switches"))
    (told,) = untried(plan, plan.devices)
    assert "only on a model of it" in told
    result = site.applies()
    assert result.changed == tuple(sorted(plan.switch))
    assert {one.decision for one in result.waves} == {"go"}
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        changes = record.changes(result.run or 0)
    assert changes
    assert "drain" not in {one.phase for one in changes}, "nothing crosses a new fabric"
    judged = {(one.stage, one.check) for one in result.findings if one.device in plan.switch}
    assert judged >= {*CHECKS, *more}
    return result


def is_settled(
    site: Site[Model], asked: Callable[[Model], list[str]], looks: tuple[str, ...]
) -> ApplyResult:
    """All switches are as planned, and a second run asks them no more than `looks`."""
    found = survey(site.context, site.transport)
    assert found.as_planned >= set(site.switches), found.differences
    before = {name: len(asked(switch)) for name, switch in site.switches.items()}
    again = site.apply()
    assert (again.exit_code, again.changed) == (0, ())
    for name, switch in site.switches.items():
        lines = asked(switch)[before[name] :]
        assert lines
        assert all(one.startswith(looks) for one in lines)
    return again


def goes_from_survey_to_read_back(
    site: Site[Kind], looks: tuple[str, ...], kept: str, *more: tuple[int, str]
) -> None:
    """A new site is pushed, judged and read back; a second run only `looks`.

    `kept` finds what the switches' own forms of secrets hold, which may be nowhere.
    """
    result = is_pushed(site, *more)
    for switch in site.switches.values():
        assert switch.store.startup == switch.store.running
    again = is_settled(site, lambda switch: switch.commands, ("terminal ", *looks))
    running = "".join(switch.store.running for switch in site.switches.values())
    secrets = set(re.findall(kept, running))
    assert len(secrets) > 1, "the test itself must have secrets to lose"
    everything = held(site.context.state_dir) + repr((site.said, result, again))
    assert not [one for one in (*SECRETS.values(), *secrets) if one in everything]
    assert preview(site.context, site.transport, "switches").differences == ()


def is_drained_and_taken_back(site: Site[Kind], name: str, before: str, mark: str) -> None:
    """A switch that runs this is drained by hand; `mark` is a line that says so."""
    plan, switch = site.context.plan, site.switches[name]
    wanted = intent(plan, name)
    assert isinstance(wanted, SwitchIntent)
    tongue = dialect(plan.switch[name].dialect)
    switch.store.startup = switch.store.running = before
    refused = site.transport.run(name, tongue.drain_command(wanted, drained=True), 20.0)
    assert {one.status for one in decoded(refused.stdout)} == {1}, "who asks changes nothing"
    assert switch.store.running == before
    _type_in(site, name, tongue.drain_command(wanted, drained=True))
    assert f"\n{mark}\n" in switch.store.running
    assert switch.store.startup == before, "a restart ends it"
    assert name not in survey(site.context, site.transport).as_planned
    _type_in(site, name, tongue.drain_command(wanted, drained=False))
    assert switch.store.running == before
    assert name in survey(site.context, site.transport).as_planned


def _type_in(site: Site[Kind], name: str, lines: str) -> None:
    word, folder = site.context.plan.switch[name].dialect, site.context.state_dir
    platform, spoken = dialect(word).platform, cli(word)
    session = connect(name, platform, site.context, folder / "id_ed25519", spoken)
    assert session.run(lines, 20.0).exit_status == 0
    session.close()


LEAF = "leaf-p1-1"


def is_taken_back(
    site: Site[Kind], monkeypatch: pytest.MonkeyPatch, broken: Callable[[], str]
) -> None:
    """The leaf runs its plan and answers, and the fabric is `broken`, which says what is told."""
    leaf, said, asked = site.switches[LEAF], list[str](), FabricCheck.missing
    before = leaf.store.running

    def missing(
        check: FabricCheck, switch: str, deadline: float, *, whole: bool
    ) -> tuple[str, ...]:
        if switch == LEAF:
            said.extend([] if said else [broken()])
            deadline = time.monotonic() + 2
        return asked(check, switch, deadline, whole=whole)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    result = site.apply()
    assert result.exit_code == 1
    assert f"leaves-canary: {LEAF}: the fabric does not work with it: " in result.outcome
    assert said[0] in result.outcome
    assert "the device has its old configuration again" in result.outcome
    assert leaf.store.running == leaf.store.startup == before
    assert result.changed == ("spine1",)


def loses(switch: Served, line: str) -> str:
    """It no longer runs the first of these lines, by which a port pauses."""
    assert line in switch.store.running
    switch.store.running = switch.store.running.replace(line, "", 1)
    return "PFC of none, planned 3"
