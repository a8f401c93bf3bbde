"""The contract of each role: both engines read the same values and write the same bytes."""

from __future__ import annotations

import configparser
import os
import re

import pytest

from inventory.nodes.hostvars import vars_for
from roles.pyinfra_role import ROLES, defaults, variables

from .owned import CASES, HOST_OF, NAMES, PLAN, PLAN_OF, PLAYS, SHARED, options, owned
from .rendering import by_ansible, by_pyinfra, jobs


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    """Every file of every role, by name; the parity test says both engines agree on it."""
    return {name: text.decode() for name, text in by_pyinfra().items()}


# -- the contract ------------------------------------------------------------------------------


def test_the_playbook_gives_every_role_once():
    given = [one["role"] for play in PLAYS for one in play.get("roles", ())]
    assert sorted(given) == sorted(one.parent.name for one in ROLES.glob("*/tasks"))


@pytest.mark.parametrize("role", NAMES)
def test_every_variable_has_the_roles_prefix(role):
    """Ansible has one namespace for all; the package repository's are shared."""
    assert all(one.startswith((f"{role}_", *SHARED)) for one in options(role))


@pytest.mark.parametrize("role", NAMES)
def test_defaults_and_argument_specs_say_the_same(role):
    """Ansible takes defaults from one file and checks against the other."""
    told = {name: one["default"] for name, one in options(role).items() if "default" in one}
    assert told == defaults(role)


@pytest.mark.parametrize("role", NAMES)
def test_a_variable_comes_from_the_inventory_or_has_a_default(role):
    """And the inventory gives no variable of the role that the contract does not have."""
    host = vars_for(PLAN_OF[role], HOST_OF[role])
    required = {name for name, one in options(role).items() if one.get("required")}
    assert set(options(role)) == required | set(defaults(role))
    assert required.isdisjoint(defaults(role))
    assert required <= set(host)
    own = {name for name in host if name.startswith(f"{role}_")}
    assert own <= set(options(role))


@pytest.mark.parametrize("role", NAMES)
def test_every_key_of_a_list_item_is_documented_and_there(role):
    host = vars_for(PLAN_OF[role], HOST_OF[role])
    for name, one in options(role).items():
        items = host[name] if "options" in one else []
        assert isinstance(items, list)
        for item in items:
            assert set(one["options"]) == set(item)


@pytest.mark.parametrize("role", NAMES)
def test_defaults_are_plain_values(role):
    """An expression would be text to pyinfra."""
    assert "{{" not in (ROLES / role / "defaults/main.yml").read_text()


def test_a_missing_variable_is_named():
    given: dict[str, object] = {
        name: [] for name in options("roce_nic") if name != "roce_nic_interfaces"
    }
    with pytest.raises(KeyError, match="role roce_nic: the inventory gives no roce_nic_interfaces"):
        variables("roce_nic", given)


def test_the_inventory_goes_before_the_defaults():
    required: dict[str, object] = {
        name: [] for name, one in options("oob_server").items() if one.get("required")
    }
    found = variables("oob_server", {**required, "oob_server_lease_s": 0})
    assert found["oob_server_lease_s"] == 0
    assert found["oob_server_name_ttl_s"] == 60


@pytest.mark.skipif(os.geteuid() != 0, reason="files of the roles are root's")
def test_both_engines_write_the_same_bytes(tmp_path, rendered):
    by_other = {name: text.decode() for name, text in by_ansible(tmp_path).items()}
    assert set(by_other) == set(rendered)
    for name, text in rendered.items():
        assert by_other[name] == text, name


def test_every_text_ends_in_exactly_one_newline(rendered):
    """About any other end the engines differ."""
    odd = [name for name, text in rendered.items() if text[-1:] != "\n" or text[-2:] == "\n\n"]
    assert odd == []


# What no service reads, or what is compared with what runs.
READ_BY_NO_SERVICE = {
    "gds": {"cufile-gate.json.j2", "cufile.json.j2"},
    "kernel_tuning": {"sysctl.conf.j2"},
    "nccl": {"nccl.conf.j2", "topology.xml.j2", "ucx.conf.j2"},
    "ofed": {"preferences", "rdma-names.rules"},
    "oob_server": {"railbed-oob-way-back"},
    "os_base": {
        "apt.conf", "hosts.j2", "limits.conf.j2", "pins.j2", "railbed.asc.j2",
        "railbed.repo.j2", "railbed.sources.j2", "sysctl.conf.j2",
    },
    "roce_nic": {"sysctl.conf.j2"},
}  # fmt: skip


@pytest.mark.parametrize(("role", "case"), CASES)
def test_what_services_have_read_is_every_file_that_they_read(role, case, rendered):
    """A file that it left out could stay unread after a run that was cut off."""
    mine = ".".join(filter(None, (role, case)))
    names = {f"{mine}.{src}" for src, *_ in owned(role, case).files.values()}
    files = {name: text for name, text in rendered.items() if name.rpartition(".")[0] in names}
    applied = files.pop(f"{mine}.applied.j2.0")
    assert files
    left_out = {name for name, text in files.items() if text not in applied}
    unread = READ_BY_NO_SERVICE.get(role, set())
    assert left_out <= {f"{mine}.{one}.0" for one in unread}


# -- what the files say ------------------------------------------------------------------------


def sections(text: str, name: str) -> list[dict[str, str]]:
    """All sections of this name in a systemd file; a section may come more than once."""
    found: list[dict[str, str]] = []
    for block in text.split(f"[{name}]\n")[1:]:
        parser = configparser.ConfigParser(strict=True, interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(f"[{name}]\n" + block.partition("\n[")[0])
        found.append(dict(parser[name]))
    return found


def test_every_reservation_is_the_plans(rendered):
    lines = rendered["oob_server.dhcp-hosts.j2.0"].splitlines()[1:]
    managed = {one.name: one.management for one in PLAN.switches}
    managed |= {one.name: one.management for one in PLAN.nodes}
    planned = {f"{one.mac},{one.address.ip},{name}" for name, one in managed.items()}
    assert set(lines) == planned
    assert len(lines) == len(planned) == 10


def test_every_name_is_the_plans(rendered):
    told = [line.split() for line in rendered["oob_server.hosts.j2.0"].splitlines()[1:]]
    names = {name for _, name in told}
    assert names == set(PLAN.devices)
    assert [address for address, name in told if name == "oob1"] == ["10.88.1.1", "10.88.0.1"]


def test_dhcp_answers_only_the_plans_devices_and_gives_no_default_route(rendered):
    lines = rendered["oob_server.dnsmasq.conf.j2.0"].splitlines()
    ranges = [line for line in lines if line.startswith("dhcp-range=")]
    assert ranges == [
        "dhcp-range=set:hostmgmt,10.88.1.0,static,43200",
        "dhcp-range=set:netmgmt,10.88.0.0,static,43200",
    ]
    assert "dhcp-ignore=tag:!known" in lines
    assert "dhcp-authoritative" in lines
    assert "dhcp-option=option:router" in lines


def test_only_planned_ports_are_in_a_zone_and_apart(rendered):
    for number, zone in enumerate(PLAN.oob.zones):
        text = rendered[f"oob_server.ports.network.j2.{number}"]
        assert sections(text, "Match") == [{"Name": " ".join(zone.ports)}]
        assert sections(text, "Bridge") == [{"Isolated": "yes"}]
        assert sections(text, "Network")[0]["Bridge"] == f"br-{zone.name}"


def test_a_rail_has_its_address_its_two_routes_and_its_rule(rendered):
    for number, nic in enumerate(PLAN.nodes[0].rails):
        text = rendered[f"roce_nic.interface.network.j2.{number}"]
        assert sections(text, "Match") == [{"Name": nic.port}]
        assert sections(text, "Link")[0]["MTUBytes"] == str(nic.ip_mtu_bytes)
        assert sections(text, "Network")[0]["Address"] == str(nic.address)
        gateway, table = str(nic.gateway), str(nic.table)
        assert sections(text, "Route") == [
            {"Destination": str(nic.rail_prefix), "Gateway": gateway},
            {"Destination": str(nic.fabric_prefix), "Gateway": gateway, "Table": table},
        ]
        assert sections(text, "RoutingPolicyRule") == [
            {"From": f"{nic.address.ip}/32", "Table": table, "Priority": str(nic.rule_priority)}
        ]


def test_no_file_of_a_node_touches_the_management_port(rendered):
    port = PLAN.nodes[0].management.port
    assert not [
        name
        for name, text in rendered.items()
        if name.startswith("roce_nic") and port in re.split(r"[^A-Za-z0-9]+", text)
    ]


def test_the_firewall_denies_by_default_and_lets_ssh_in_from_the_controller_alone(rendered):
    text = rendered["oob_server.firewall.nft.j2.0"]
    assert text.count("policy drop;") == 2
    assert [line.strip() for line in text.splitlines() if "dport 22" in line] == [
        'iifname "up0" tcp dport 22 accept'
    ]


def test_the_firewall_lets_devices_of_each_zone_ask_for_the_time(rendered):
    text = rendered["oob_server.firewall.nft.j2.0"]
    assert [line.strip() for line in text.splitlines() if "dport 123" in line] == [
        f'iifname "br-{zone}" ip daddr {server} udp dport 123 accept comment "ntp"'
        for zone, server in (("hostmgmt", "10.88.1.1"), ("netmgmt", "10.88.0.1"))
    ]


def test_the_oob_server_serves_the_time_of_its_sources_to_its_zones_alone(rendered):
    said = rendered["oob_server.elsewhere.chrony.conf.j2.0"].splitlines()
    assert [line for line in said if line.startswith(("server", "pool", "peer"))] == [
        "server 192.0.2.5 iburst", "server time.example.org iburst",
    ]  # fmt: skip
    assert [line for line in said if line.startswith("allow")] == [
        "allow 10.88.1.0/24", "allow 10.88.0.0/24",
    ]  # fmt: skip
    assert {"local stratum 10", "cmdport 0"} <= set(said)


def test_a_lab_differs_in_one_option_of_chronyd_alone(rendered):
    """A container may not set its clock; what it serves, and to whom, is as on a real server."""
    unit = rendered["oob_server.railbed-chrony.service.j2.0"]
    real = rendered["oob_server.elsewhere.railbed-chrony.service.j2.0"]
    lab = [line for line in unit.splitlines() if not line.startswith("#")]
    assert [line.replace(" -x ", " ") for line in lab] == [
        line for line in real.splitlines() if not line.startswith("#")
    ]
    assert ("\n".join(lab).count(" -x "), real.count(" -x ")) == (1, 0)
    own = rendered["oob_server.chrony.conf.j2.0"].splitlines()
    assert [line for line in own if line.startswith("server")] == []
    asked = rendered["oob_server.elsewhere.chrony.conf.j2.0"].splitlines()
    assert [line for line in asked if not line.startswith("server")] == own


def test_templates_use_no_variable_that_the_role_does_not_declare(rendered):
    """Both engines render with the declared variables alone and refuse undefined ones."""
    assert len(rendered) == len(jobs()) > 40
