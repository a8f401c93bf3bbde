"""`railbed drift`: which hosts, what it makes of their answers, and how it is told."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from deploy import show
from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.servers.drift import DriftReport, drift, limited, servers_of
from inventory import open_site
from inventory.plan import Plan
from tests.validation.planned import Say, Servers, says
from validation.evidence.store import EvidenceStore
from validation.manifest import node_state
from validation.manifest.device import manifests
from validation.manifest.node_state import FILES, KERNEL, STRAYS, UNITS

PLAN = open_site("lab")
NODE, OTHER = "node-p1-1", "node-p1-2"
Change = Callable[[Say], object]


def as_planned(device: str) -> Say:
    mine = manifests(PLAN).of(device)
    return {line: text for line, text in says(mine).items() if line in node_state.lines(mine)}


@pytest.fixture
def context(tmp_path: Path) -> Context:
    nowhere = tmp_path / "none"
    return Context(PLAN, "lab", tmp_path, nowhere, nowhere, lambda _: None, no_journal)


def nothing(_: Say) -> None:
    """The server is as planned."""


def ask(context: Context, change: Change = nothing, **options) -> DriftReport:
    def said(device: str) -> Say:
        told = as_planned(device)
        if device == NODE:
            change(told)
        return told

    return drift(context, Servers(PLAN, said, **options), [OTHER, NODE])


def put(line: str, old: str, new: str) -> Change:
    def change(said: Say) -> None:
        assert old in said[line]
        said[line] = said[line].replace(old, new, 1)

    return change


def test_as_planned_is_exit_code_0_and_nothing_to_run(context):
    report = ask(context)
    assert report.exit_code == 0
    assert [one.device for one in report.devices] == [NODE, OTHER]
    assert all(one.is_as_planned and one.size > 30 for one in report.devices)
    assert report.roles_to_run(NODE) == ()


def test_one_trip_to_each_host(context):
    servers = Servers(PLAN, as_planned)
    drift(context, servers, [NODE, OTHER, PLAN.oob.name])
    assert sorted(servers.trips) == [NODE, OTHER, PLAN.oob.name]


def test_roles_that_differ_are_run_in_their_order(context):
    def change(said: Say) -> None:
        put(KERNEL, "arp_ignore:1", "arp_ignore:0")(said)
        put(UNITS, "ActiveState=active", "ActiveState=failed")(said)

    report = ask(context, change)
    assert report.exit_code == 1
    first = manifests(PLAN).of(NODE).units[0].role
    assert report.roles_to_run(NODE) == tuple(
        role for role in manifests(PLAN).of(NODE).roles if role in (first, "roce_nic")
    )
    assert report.roles_to_run(OTHER) == ()


def test_a_role_that_was_not_understood_is_run(context):
    report = ask(context, lambda said: said.update({UNITS: "Failed to connect to bus\n"}))
    owners = {one.role for one in manifests(PLAN).of(NODE).units}
    assert set(report.roles_to_run(NODE)) == owners
    assert report.exit_code == 3


def test_drift_weighs_more_than_what_is_not_known(context):
    def change(said: Say) -> None:
        put(FILES, "stat 644 root", "stat 666 root")(said)
        said[UNITS] = ""

    assert ask(context, change).exit_code == 1


def test_a_stray_is_drift_and_no_role_is_run_for_it(context):
    report = ask(context, lambda said: said.update({STRAYS: "/etc/sysctl.d/zz.conf\0\0\0"}))
    assert report.exit_code == 1
    assert report.roles_to_run(NODE) == ()


def test_a_silent_host_is_not_known_and_gets_all_its_roles(context):
    report = ask(context, silent=(NODE,))
    assert report.exit_code == 3
    assert report.of(NODE).silent == "ssh: no route to host"
    assert report.roles_to_run(NODE) == manifests(PLAN).of(NODE).roles
    assert report.of(OTHER).is_as_planned


def test_another_machines_answers_are_not_believed(context):
    servers = Servers(PLAN, as_planned)
    servers.hostname[NODE] = OTHER
    report = drift(context, servers, [NODE])
    assert report.exit_code == 3
    assert {one.why for one in report.of(NODE).found.unknowns}
    assert all("answered, not node-p1-1" in one.why for one in report.of(NODE).found.unknowns)
    assert report.roles_to_run(NODE) == manifests(PLAN).of(NODE).roles


def test_what_was_gathered_is_left_in_a_store(context):
    store = EvidenceStore()
    drift(context, Servers(PLAN, as_planned), [NODE], store)
    assert {one.command for one in store} == set(node_state.lines(manifests(PLAN).of(NODE)))


def hosts_of(plan: Plan, limit: list[str]) -> tuple[str, ...]:
    return limited(plan, limit, servers_of(plan), "server")


def test_hosts_are_named_or_a_group():
    servers = (*sorted(PLAN.node), PLAN.oob.name)
    assert hosts_of(PLAN, []) == servers
    assert hosts_of(PLAN, ["kind_node"]) == tuple(sorted(PLAN.node))
    assert hosts_of(PLAN, ["node-p2-1,oob1", "node-p1-1"]) == ("node-p1-1", "node-p2-1", "oob1")


@pytest.mark.parametrize("name", ["node-p9-1", "spine1", "tier_leaf"])
def test_a_limit_that_means_no_server_is_refused(name):
    """Silence about a host that does not exist would look like no drift."""
    with pytest.raises(RailbedError, match=f"--limit {name}"):
        hosts_of(PLAN, ["kind_node", name])


@pytest.mark.parametrize("limit", [[""], [","], ["", ","]])
def test_a_limit_that_names_nothing_is_refused(limit):
    """A variable that a shell left empty would look like no drift."""
    with pytest.raises(RailbedError, match="names nothing"):
        hosts_of(PLAN, limit)


def test_no_server_at_all_is_not_known():
    assert DriftReport("d", ()).exit_code == 3


def text_of(report: DriftReport) -> str:
    out = io.StringIO()
    show.drift_text(report, Console(file=out, width=200, highlight=False))
    return out.getvalue()


def test_people_read_wanted_and_found_under_the_role(context):
    text = text_of(ask(context, put(KERNEL, "rail0/arp_ignore:1", "rail0/arp_ignore:0")))
    assert text.splitlines()[:5] == [
        NODE,
        "  role roce_nic",
        "    sysctl net.ipv4.conf.rail0.arp_ignore",
        "      wanted 1",
        "      found  0",
    ]
    assert "1 as planned, 1 drifted, 0 not known" in text


def test_people_read_what_is_not_known_and_who_is_silent(context):
    assert "not known: unit: systemctl" in text_of(
        ask(context, lambda said: said.update({UNITS: "Failed to connect\n"}))
    )
    text = text_of(ask(context, silent=(NODE,)))
    assert f"{NODE} does not answer: ssh: no route to host" in text
    assert "1 as planned, 0 drifted, 1 not known" in text


def test_machines_read_the_same(context):
    report = ask(context, put(KERNEL, "rail0/arp_ignore:1", "rail0/arp_ignore:0"))
    told = json.loads(json.dumps(show.drift_json(report)))
    assert told["exit_code"] == 1
    assert [(one["device"], one["is_as_planned"]) for one in told["devices"]] == [
        (NODE, False),
        (OTHER, True),
    ]
    (found,) = told["devices"][0]["drifts"]
    assert (found["role"], found["wanted"], found["found"]) == ("roce_nic", "1", "0")


def test_a_reboot_that_is_due_is_told_and_is_no_drift(context):
    (mine,) = manifests(PLAN).of(NODE).arguments
    assert mine.words == ""  # the lab asks for none: one was taken back
    report = ask(
        context,
        lambda said: said.update(
            {
                KERNEL: said[KERNEL]
                .replace("cmdline quiet", "cmdline nosmt")
                .replace("asked ", "asked nosmt")
            }
        ),
    )
    assert report.exit_code == 0
    assert report.roles_to_run(NODE) == ()
    text = text_of(report)
    assert "kernel arguments nosmt: wanted no more, runs until the next reboot" in text
    (first, _) = json.loads(json.dumps(show.drift_json(report)))["devices"]
    assert [one["what"] for one in first["notes"]] == ["nosmt"]
