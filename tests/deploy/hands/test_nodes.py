"""The rails of a real node: set up by pyinfra, kept through a restart, left alone by Ansible."""

from __future__ import annotations

import json

import pytest

from deploy import lab
from deploy.servers import ansible_run
from deploy.servers.pyinfra_run import run

from .hands import LAB, PLAN, answers_as, inside, open_hands, until

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("leased")]

NODE = PLAN.node["node-p1-2"]


@pytest.fixture(scope="module", autouse=True)
def railed(leased: None) -> None:
    """The node has its rails."""
    until(lambda: answers_as(NODE.name, NODE.management.port)[0] == NODE.name)
    result = run(open_hands(), {NODE.name: ("roce_nic",)}, dry_run=False)
    assert result.ok, result.transcript
    assert result.hosts[0].changed


def ip(words: str) -> list[dict[str, object]]:
    """What iproute2 says inside the node."""
    status, said = inside(NODE.name, f"ip -j {words}")
    assert status == 0, said
    return list(json.loads(said))


def assert_rails() -> None:
    """Addresses, MTU, both routes and the rule of every rail, as the kernel has them."""
    rules = {(one["priority"], one["src"], one["table"]) for one in ip("rule") if "src" in one}
    for nic in NODE.rails:
        link = ip(f"addr show dev {nic.port}")[0]
        addresses = link["addr_info"]
        assert isinstance(addresses, list)
        found = [f"{one['local']}/{one['prefixlen']}" for one in addresses]
        assert found == [str(nic.address)]
        assert link["mtu"] == nic.ip_mtu_bytes
        gateways = {
            (table, str(one["dst"]), str(one["gateway"]))
            for table in ("main", str(nic.table))
            for one in ip(f"route show table {table} dev {nic.port}")
            if "gateway" in one
        }
        assert gateways == {
            ("main", str(nic.rail_prefix), str(nic.gateway)),
            (str(nic.table), str(nic.fabric_prefix), str(nic.gateway)),
        }
        source = "all" if "all" in str(nic.address) else str(nic.address.ip)
        assert (nic.rule_priority, source, str(nic.table)) in rules
        status, said = inside(NODE.name, f"sysctl -n net.ipv4.conf.{nic.port}.arp_ignore")
        assert (status, said.strip()) == (0, "1")


def test_every_rail_is_as_planned_in_the_kernel():
    """Addresses, MTU, routes and rules are there although no leaf is up yet."""
    assert_rails()


def test_the_management_port_is_left_alone():
    """Its lease is the installed system's; systemd-networkd does not know it."""
    status, said = inside(NODE.name, f"networkctl list --no-legend {NODE.management.port}")
    assert status == 0
    assert "unmanaged" in said


def test_a_second_run_changes_nothing():
    """The same role again: no operation has anything to do."""
    again = run(open_hands(), {NODE.name: ("roce_nic",)}, dry_run=False)
    assert again.ok, again.transcript
    assert not again.hosts[0].changed


def test_the_rails_come_back_after_a_restart():
    """The machine starts in an empty network namespace, and has all of it again."""
    lab.restart(LAB, NODE.name)
    until(lambda: answers_as(NODE.name, NODE.management.port)[0] == NODE.name)
    until(lambda: len(ip("rule")) == 3 + len(NODE.rails))
    assert_rails()


@pytest.mark.parametrize(("name", "role"), [(NODE.name, "roce_nic"), (PLAN.oob.name, "oob_server")])
def test_the_other_engine_finds_nothing_to_change(name, role):
    """Ansible's face of the same role, in its dry run, agrees with what pyinfra did."""
    look = ansible_run.run(open_hands(), {name: (role,)}, dry_run=True)
    assert look.ok, look.transcript
    assert not look.hosts[0].changed, look.hosts[0].operations
