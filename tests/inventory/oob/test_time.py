"""One clock for a site: who asks whom, from the file to what nodes and switches are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory import open_site
from inventory.load.site import SITES
from inventory.nodes.hostvars import vars_for
from inventory.plan import Plan, Service, SiteTime

LAB = (SITES / "lab/fabric.yml").read_text()
TIME = next(line for line in LAB.splitlines(keepends=True) if line.startswith("  time:"))


def site(folder: Path, text: str) -> Plan:
    (folder / "fabric.yml").write_text(text)
    (folder / "asbuilt.csv").write_text((SITES / "lab/asbuilt.csv").read_text())
    return open_site(folder)


def ledger(plan: Plan) -> list[str]:
    return [one.value for one in plan.assumptions if one.name == f"time of {plan.oob.name}"]


def test_without_a_word_the_servers_own_clock_is_the_sites_and_the_ledger_says_so(tmp_path):
    plan = site(tmp_path, LAB.replace(TIME, ""))
    assert plan.oob.time == SiteTime((), "set")
    [said] = ledger(plan)
    assert said.startswith("its own clock")


def test_sources_are_the_servers_and_no_assumption(tmp_path):
    said = "  time: {sources: [192.0.2.5, time.example.org, 2001:db8::5]}\n"
    plan = site(tmp_path, LAB.replace(TIME, said))
    sources = ["192.0.2.5", "time.example.org", "2001:db8::5"]
    assert plan.oob.time == SiteTime(tuple(sources), "set")
    assert ledger(plan) == []
    told = vars_for(plan, plan.oob.name)
    assert (told["oob_server_time_sources"], told["oob_server_clock"]) == (sources, "set")


@pytest.mark.parametrize("name", ["lab", "pod-256"])
def test_every_zone_has_the_time_and_its_devices_ask_for_it_there(name):
    plan = open_site(name)
    served = {zone.name: zone.server_address.ip for zone in plan.oob.zones}
    assert all(Service("ntp", "udp", 123) in zone.services for zone in plan.oob.zones)
    for node in plan.nodes:
        asked = vars_for(plan, node.name)["os_base_time_servers"]
        assert asked == [str(served[node.management.zone])]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("", ("10.88.0.1",)),
        ("switch_services: {ntp: []}\n", ()),
        ("switch_services: {ntp: [192.0.2.7]}\n", ("192.0.2.7",)),
    ],
)
def test_switches_ask_the_oob_server_unless_the_site_says_otherwise(tmp_path, said, asked):
    assert site(tmp_path, LAB + said).switch_services.ntp == asked
