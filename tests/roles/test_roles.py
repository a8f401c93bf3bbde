"""The contract of each role: both faces read the same values and write the same bytes."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest
import yaml

from inventory.hostvars import vars_for
from roles.face import ROLES, defaults, variables

from .rendering import HOST_OF, PLAN, by_ansible, by_pyinfra

NAMES = sorted(one.parent.name for one in ROLES.glob("*/tasks"))


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every file of every role, by name; the parity test says both engines agree on it."""
    return {
        name: text.decode() for name, text in by_pyinfra(tmp_path_factory.mktemp("pyinfra")).items()
    }


def read(role: str, path: str) -> object:
    return yaml.safe_load((ROLES / role / path).read_text())


def options(role: str) -> dict[str, dict[str, object]]:
    spec = read(role, "meta/argument_specs.yml")
    assert isinstance(spec, dict)
    found = spec["argument_specs"]["main"]["options"]
    assert isinstance(found, dict)
    return found


# -- the contract ------------------------------------------------------------------------------


def test_there_are_roles():
    assert sorted(HOST_OF) == NAMES


@pytest.mark.parametrize("role", NAMES)
def test_every_variable_has_the_roles_prefix(role):
    assert all(one.startswith(f"{role}_") for one in options(role))


@pytest.mark.parametrize("role", NAMES)
def test_defaults_and_argument_specs_say_the_same(role):
    """Ansible takes defaults from one file and checks against the other."""
    told = {name: one["default"] for name, one in options(role).items() if "default" in one}
    assert told == defaults(role)


@pytest.mark.parametrize("role", NAMES)
def test_what_is_required_has_no_default_and_comes_from_the_inventory(role):
    host = vars_for(PLAN, HOST_OF[role])
    required = {name for name, one in options(role).items() if one.get("required")}
    assert required.isdisjoint(defaults(role))
    assert required <= set(host)


@pytest.mark.parametrize("role", NAMES)
def test_every_key_of_a_list_item_is_documented_and_there(role):
    host = vars_for(PLAN, HOST_OF[role])
    for name, one in options(role).items():
        if "options" not in one:
            continue
        items = host[name]
        assert isinstance(items, list)
        assert items
        for item in items:
            assert set(one["options"]) <= set(item)  # type: ignore[call-overload]


@pytest.mark.parametrize("role", NAMES)
def test_defaults_are_plain_values(role):
    """An expression would be text to pyinfra."""
    assert "{{" not in (ROLES / role / "defaults/main.yml").read_text()


def test_a_missing_variable_is_named():
    with pytest.raises(KeyError, match="role roce_nic: the inventory gives no roce_nic_rails"):
        variables("roce_nic", {})


def test_the_inventory_goes_before_the_defaults():
    data = {"roce_nic_rails": [], "roce_nic_rp_filter": 0}
    found = variables("roce_nic", data)
    assert found["roce_nic_rp_filter"] == 0
    assert found["roce_nic_arp_ignore"] == 1


def test_both_engines_write_the_same_bytes(tmp_path, rendered):
    by_other = {name: text.decode() for name, text in by_ansible(tmp_path).items()}
    assert set(by_other) == set(rendered)
    for name, text in rendered.items():
        assert by_other[name] == text, name


def test_both_faces_put_the_same_templates_in_the_same_places():
    """Each template that the Ansible face names is named by the pyinfra face, and the reverse."""
    for role in NAMES:
        tasks = read(role, "tasks/main.yml")
        assert isinstance(tasks, list)
        key = "ansible.builtin.template"
        ansible = {one[key]["src"] for one in tasks if key in one}
        there = {one.name for one in (ROLES / role / "templates").iterdir()}
        assert ansible == there
        text = (ROLES / role / "deploy.py").read_text()
        named = {one for one in there if f'"{one}"' in text}
        # Units are named without their suffix.
        named |= {one for one in there if f'"{one.removesuffix(".j2")}"' in text}
        named |= {"applied.j2"} if "face.note_applied()" in text else set()
        assert named == there


def test_what_services_have_read_is_every_file_of_the_role(rendered):
    """A file that it left out could stay unread after a run that was cut off."""
    for role in NAMES:
        applied = rendered[f"{role}.applied.j2.0"]
        others = [name for name in rendered if name.startswith(role) and "applied" not in name]
        assert len(others) > 3
        assert [name for name in others if rendered[name] not in applied] == []


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
    lines = rendered["oob_server.dhcp-hosts.j2.0"].splitlines()
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
        text = rendered[f"roce_nic.rail.network.j2.{number}"]
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
        name for name, text in rendered.items() if name.startswith("roce_nic") and port in text
    ]


def test_the_firewall_denies_by_default_and_lets_ssh_in_from_the_controller_alone(rendered):
    text = rendered["oob_server.firewall.nft.j2.0"]
    assert text.count("policy drop;") == 2
    assert [line.strip() for line in text.splitlines() if "dport 22" in line] == [
        'iifname "up0" tcp dport 22 accept'
    ]


def test_the_playbook_gives_every_role_once():
    plays = yaml.safe_load((ROLES.parent / "deploy/playbooks/nodes.yml").read_text())
    assert sorted(one["role"] for play in plays for one in play["roles"]) == NAMES


def test_templates_use_no_variable_that_the_role_does_not_declare(rendered):
    """Both engines render with the declared variables alone and refuse undefined ones."""
    assert len(rendered) == len(list(Path(ROLES).glob("*/templates/*.j2"))) + 4
