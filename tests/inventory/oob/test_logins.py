"""Who railbed is on servers: one plan, and what OpenSSH, Ansible and pyinfra make of it."""

from __future__ import annotations

from typing import Any

import paramiko
import pytest

from inventory import InventoryError, ansible_source, pyinfra_source
from inventory.oob.logins import become, server_logins, users
from inventory.oob.ssh_config import ssh_config
from inventory.plan import Plan
from tests.switch_configs.sites import Mapping, small_with

SAID = [
    {"user": "jump", "devices": ["oob*"]},
    {"user": "root", "devices": ["node-p1-1"]},
    {"user": "ubuntu", "devices": ["node-p1-*"], "password": "node_password"},
]


def site(dialect: str, said: list[dict[str, Any]]) -> Plan:
    def change(read: Mapping) -> None:
        read["logins"] = said
        read["credentials"]["node_password"] = "env:NODE_PASSWORD"

    return small_with(dialect, change)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return site("cumulus", SAID)


def test_the_first_entry_that_names_a_server_counts(plan):
    who = users(plan)
    assert (who[plan.oob.name], who["node-p1-1"], who["node-p1-2"]) == ("jump", "root", "ubuntu")
    assert who["node-p2-1"] == "root"
    assert who["leaf-p1-r0"] == "cumulus"  # of switches their own logins are asked
    assert list(who) == list(plan.devices)
    assert server_logins(plan)["node-p1-2"].password == "node_password"
    assert set(become(plan)) == {name for name, user in who.items() if user in ("jump", "ubuntu")}


def test_every_tool_begins_as_that_login_and_becomes_root(plan, tmp_path):
    path = tmp_path / "config"
    path.write_text(ssh_config(plan, str(tmp_path), plan.oob.access, tmp_path / "id"))
    config = paramiko.SSHConfig.from_path(str(path))
    meta: Any = ansible_source.listed(plan, str(path))["_meta"]
    pyinfra = pyinfra_source.listed(plan, str(path), "known_hosts")["hosts"]
    for name, user in users(plan).items():
        assert config.lookup(name)["user"] == user
        is_server = name in plan.node or name == plan.oob.name
        changed = is_server and user != "root"
        ansible = meta["hostvars"][name]
        said = {key: ansible[key] for key in ("ansible_user", "ansible_become") if key in ansible}
        assert said == ({"ansible_user": user, "ansible_become": True} if changed else {})
        assert pyinfra[name].get("_sudo", False) is changed


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([{"user": "ops", "devices": ["leaf-p1-r0"]}], "of switches: switch_services.logins"),
        ([{"user": "Ops"}], "lower case letters"),
        ([{"user": "ops", "password": "tacacs"}], "logins.0..password: found `tacacs`"),
        ([{"user": "ops", "sudo": "yes"}], "sudo"),
    ],
)
def test_what_names_no_server_or_no_secret_is_refused(said, why):
    with pytest.raises(InventoryError, match=why):
        site("linux_frr", [*said, {"user": "x", "password": "node_password"}])
