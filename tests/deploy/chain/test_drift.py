"""What differs on a real node is found in one trip, and stage 30 says so."""

from __future__ import annotations

import json

import pytest

from deploy.context import Context, no_journal
from deploy.servers import ansible_run, pyinfra_run
from deploy.servers.drift import drift
from deploy.session import open_context
from deploy.transport.ssh_run import SshTransport
from inventory import open_site
from tests.bench.manifest import Device, change_each, one_of_each, said_of
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.verdict import Verdict

from .chain import NAME, SELECTION, inside, railbed, silent

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("converged"),
    pytest.mark.instances(keep=1, files_of="a change of a converged lab"),
]
SAMPLE = 24
NODE = "node-p2-1"
SYSCTL = "/etc/sysctl.d/60-railbed-roce-nic.conf"


@pytest.fixture(scope="module")
def context() -> Context:
    return open_context(SELECTION, silent, no_journal)


class Counted:
    """The real transport, and how often it went to each device."""

    def __init__(self, context: Context) -> None:
        self.inner = SshTransport(context.ssh_config)
        self.trips: list[str] = []

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        self.trips.append(device)
        return self.inner.run(device, script, timeout_s)


def servers() -> list[str]:
    plan = open_site("lab")
    return sorted([plan.oob.name, *plan.node])


def test_a_converged_site_has_no_drift_at_one_trip_each(context):
    counted = Counted(context)
    report = drift(context, counted, servers())
    assert [one for one in report.devices if not one.is_as_planned] == []
    assert report.exit_code == 0
    assert all(report.roles_to_run(host) == () for host in servers())
    assert all(one.size > 30 for one in report.devices)
    assert sorted(counted.trips) == servers()


def test_the_manifest_misses_nothing(context, is_full):
    """Each thing that roles own is changed alone: the probe names it and its role."""
    outcome = change_each(context, NAME, [NODE, "oob1"], None if is_full else SAMPLE, print)
    assert sum(outcome.changed.values()) >= SAMPLE
    assert outcome.missed == ()
    assert outcome.false == ()


@pytest.mark.parametrize("engine", [pyinfra_run, ansible_run], ids=["pyinfra", "ansible"])
def test_what_a_role_mends_is_found_and_then_mended_by_one_run(context, engine):
    """Nothing is undone by hand: a drift that no run mends would fail every apply."""
    there = Device(NAME, NODE)
    chosen = one_of_each(there.changes())
    assert len({one.kind for one in chosen}) > 15
    for one in chosen:
        there.run(one.do)
    found = drift(context, SshTransport(context.ssh_config), [NODE]).of(NODE)
    assert [one for one in chosen if not one.is_found_in(found)] == []
    ran = engine.run(context, {NODE: found.roles_to_run}, dry_run=False)
    assert ran.ok, ran.transcript[-4000:]
    after = drift(context, SshTransport(context.ssh_config), [NODE]).of(NODE)
    assert said_of(after) == []


def test_stage_30_is_judged_from_the_trip_of_drift_alone(context):
    """What drift brought is all that stage 30 needs, once its questions are learnt."""
    plan, learned = context.plan, context.state_dir / "learned.json"
    hosts = frozenset(servers())
    others = frozenset({10, 20, 40, 50})
    counted = Counted(context)
    validate(plan, 30, EvidenceStore(), counted, hosts, learned, leave_out=others)
    counted.trips.clear()
    store = EvidenceStore()
    drift(context, counted, hosts, store)
    assert sorted(counted.trips) == servers()
    found = validate(plan, 30, store, None, hosts, leave_out=others)
    assert {one.verdict for one in found.findings} == {Verdict.PASS}
    assert {one.check for one in found.findings} >= {"state", "units", "rail", "memlock"}


def test_the_command_line_says_wanted_and_found_role_by_role():
    inside(NODE, f"chmod 0600 {SYSCTL}; sysctl -qw net.ipv4.conf.rail0.arp_ignore=0")
    try:
        ran = railbed("drift", "--limit", "kind_node", "--json")
        out, err = ran.communicate(timeout=120)
        text, _ = railbed("drift", "--limit", NODE).communicate(timeout=120)
    finally:
        inside(NODE, f"chmod 0644 {SYSCTL}; sysctl -qw net.ipv4.conf.rail0.arp_ignore=1")
    assert ran.returncode == 1, err
    (drifted,) = (one for one in json.loads(out)["devices"] if not one["is_as_planned"])
    assert (drifted["device"], drifted["roles_to_run"]) == (NODE, ["roce_nic"])
    assert {(one["what"], one["wanted"], one["found"]) for one in drifted["drifts"]} == {
        (SYSCTL, "mode 0644", "mode 0600"),
        ("net.ipv4.conf.rail0.arp_ignore", "1", "0"),
    }
    assert "role roce_nic" in text
    assert "wanted mode 0644" in text


def test_a_node_with_its_own_routes_fails_stage_30_by_name(context):
    """A rule that sends a rail's traffic elsewhere is no file, and is found."""
    inside(NODE, "ip rule add priority 900 from all lookup main")
    try:
        transport = SshTransport(context.ssh_config)
        hosts = frozenset({NODE})
        found = validate(
            context.plan, 30, EvidenceStore(), transport, hosts, leave_out=frozenset({10, 20})
        )
    finally:
        inside(NODE, "ip rule del priority 900")
    failed = [one for one in found.findings if one.verdict is not Verdict.PASS]
    assert {one.check for one in failed} == {"rail"}
    assert {one.suspect for one in failed} == {f"role roce_nic on {NODE}"}
    assert "rule 900" in failed[0].found


def test_a_server_that_does_not_answer_is_not_known(context):
    """Silence is exit code 3, and all roles are to run."""

    class Dead:
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            return Reply(b"", 255, "ssh: connect to host port 22: No route to host")

    report = drift(context, Dead(), [NODE])
    assert report.exit_code == 3
    assert "No route to host" in report.of(NODE).silent
    assert report.roles_to_run(NODE) == report.of(NODE).roles
