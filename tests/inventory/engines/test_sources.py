"""Both engines read the same: one inventory in two forms, and neither goes on when it breaks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from inventory import open_site, pyinfra_source
from inventory.ansible_source import _SHARED as SHARED
from inventory.nodes.hostvars import groups, node_site_vars, vars_for
from inventory.plan import Plan
from tests import broken

pytestmark = pytest.mark.instances(keep=9, of="what engines read", but="broken|both_engines")

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "inventory" / "ansible_source.py"


@pytest.fixture
def broken_site(tmp_path):
    return str(broken.site("lossless_class", tmp_path / "site"))


def ask(
    *arguments: str, python: str = sys.executable, **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, str(SCRIPT), *arguments],
        env={**os.environ, **env},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
    )


def listed(**env: str) -> dict[str, Any]:
    return dict(json.loads(_list(tuple(env.items()))))


@cache
def _list(env: tuple[tuple[str, str], ...]) -> str:
    answer = ask("--list", **dict(env))
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def references(plan: Plan) -> dict[str, str]:
    """How nodes read what they share."""
    where = f"hostvars['{plan.oob.name}'].{SHARED}"
    return {key: f"{{{{ {where}.{key} }}}}" for key in node_site_vars(plan)}


def test_both_engines_read_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path))
    by_group = pyinfra_source.hosts()
    by_host = {name: data for members in by_group.values() for name, data in members}
    ansible = listed(RAILBED_STATE=str(tmp_path))
    hostvars = ansible.pop("_meta")["hostvars"]
    own = {"ansible_ssh_common_args": f"-F {tmp_path}/ssh/config"}
    theirs = {
        "ssh_config_file": f"{tmp_path}/ssh/config",
        "ssh_known_hosts_file": f"{tmp_path}/ssh/known_hosts",
        "ssh_strict_host_key_checking": "yes",
        "ssh_paramiko_connect_kwargs": {"banner_timeout": 60.0, "auth_timeout": 60.0},
        "ssh_connect_retries": 2,
    }
    plan = open_site("lab")
    assert set(by_host) == set(hostvars) == set(plan.devices)
    # What all nodes share is said once, and their group reads it there.
    said = hostvars[plan.oob.name].pop(SHARED)
    assert ansible["kind_node"]["vars"] == references(plan)
    for name in ansible["kind_node"]["hosts"]:
        hostvars[name] |= said
    for name in plan.devices:
        shared = vars_for(plan, name)
        assert hostvars[name] == {**shared, **own}
        assert by_host[name] == {**shared, **theirs}
    assert {group: one["hosts"] for group, one in ansible.items()} == {
        group: [name for name, _ in members] for group, members in by_group.items()
    }


def test_ansible_itself_reads_what_the_script_says():
    """Through ansible-inventory: no value was taken for a template, no group was renamed."""
    tool = Path(sys.executable).with_name("ansible-inventory")
    found = subprocess.run(
        [str(tool), "-i", str(SCRIPT), "--list"],
        env={
            **os.environ,
            "PATH": f"{tool.parent}:{os.environ['PATH']}",
            "RAILBED_LAB": "nosuchlab",
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    read = json.loads(found.stdout)
    plan = open_site("lab")
    hostvars = read["_meta"]["hostvars"]
    assert hostvars[plan.oob.name].pop(SHARED) == node_site_vars(plan)
    expected = {name: vars_for(plan, name) for name in plan.devices}
    for node in plan.nodes:
        expected[node.name] |= references(plan)
    assert hostvars == expected
    for group, names in groups(plan).items():
        # It lists no group that nobody is in.
        assert sorted(read.get(group, {"hosts": []})["hosts"]) == sorted(names)


def test_one_host_as_in_the_list():
    hostvars = listed()["_meta"]["hostvars"]
    assert json.loads(ask("--host", "spine1").stdout) == hostvars["spine1"]
    assert json.loads(ask("--host", "stranger").stdout) == {}


@pytest.mark.parametrize("arguments", [(), ("--host",), ("--lists",), ("--list", "x")])
def test_usage_is_an_error(arguments):
    answer = ask(*arguments)
    assert answer.returncode == 2
    assert answer.stderr.startswith("usage:")
    assert not answer.stdout


def test_a_broken_site_stops_ansible(broken_site):
    answer = ask("--list", RAILBED_SITE=broken_site)
    assert answer.returncode == 2
    assert "lossless.mode" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not answer.stdout


def test_a_broken_site_stops_pyinfra(monkeypatch, tmp_path, broken_site):
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path))
    monkeypatch.setenv("RAILBED_SITE", broken_site)
    with pytest.raises(SystemExit, match=r"lossless\.mode"):
        pyinfra_source.hosts()


def test_pyinfra_needs_the_way_to_the_hosts(monkeypatch):
    monkeypatch.delenv("RAILBED_STATE", raising=False)
    monkeypatch.setenv("RAILBED_LAB", "nosuchlab")
    with pytest.raises(SystemExit, match="RAILBED_STATE is not set"):
        pyinfra_source.hosts()


def test_without_a_folder_the_sites_own_counts_where_it_is_there(monkeypatch, tmp_path):
    """Both tools work with nothing but the environment on PATH, once a lab is up."""
    from inventory import state
    from inventory.engines import source as engine_source

    monkeypatch.delenv("RAILBED_STATE", raising=False)
    monkeypatch.setattr(state, "STATE_ROOT", tmp_path)
    monkeypatch.setenv("RAILBED_LAB", "other")
    assert engine_source.source().ssh_config is None
    config = tmp_path / "labs" / "other" / "ssh" / "config"
    config.parent.mkdir(parents=True)
    config.write_text("")
    assert engine_source.source().ssh_config == str(config)


def test_pyinfra_itself_stops_on_a_broken_site(tmp_path, broken_site):
    """It would otherwise do nothing and exit 0."""
    tool = Path(sys.executable).with_name("pyinfra")
    found = subprocess.run(
        [str(tool), "-y", "inventory.pyinfra_source:hosts", "exec", "--", "true"],
        cwd=ROOT,
        env={**os.environ, "RAILBED_SITE": broken_site, "RAILBED_STATE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode != 0
    assert "lossless.mode" in found.stdout + found.stderr
    assert "Traceback" not in found.stdout + found.stderr


def test_the_script_goes_on_with_our_python(tmp_path):
    """Ansible starts it with any python3; one without packages hands over to the clone's."""
    clone = tmp_path / "clone"
    ignore = shutil.ignore_patterns("__pycache__")
    for room in ("inventory", "switch_configs"):  # of the latter what systems can do, as data
        shutil.copytree(ROOT / room, clone / room, ignore=ignore)
    script = clone / "inventory" / "ansible_source.py"
    command = [sys.executable, "-S", str(script), "--host", "spine1"]
    alone = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert alone.returncode == 2
    assert "run ./railbed first" in alone.stderr
    (clone / ".venv" / "bin").mkdir(parents=True)
    wrapper = clone / ".venv" / "bin" / "python"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    wrapper.chmod(0o755)
    handed = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert handed.returncode == 0, handed.stderr
    assert json.loads(handed.stdout)["railbed_device"] == "spine1"


def test_group_names_are_valid_and_no_hosts():
    plan = open_site("lab")
    names = groups(plan)
    assert all(re.fullmatch(r"[a-z][a-z0-9]*_[a-z0-9_]+", name) for name in names)
    assert not set(names) & set(plan.devices)
    assert names["tier_spine"] == ("spine1", "spine2")
    assert names["rail_1"] == (
        "leaf-p1-r1",
        "leaf-p2-r1",
        "node-p1-1",
        "node-p1-2",
        "node-p2-1",
        "node-p2-2",
    )
    assert names["kind_oob_server"] == ("oob1",)
    everyone = {name for kind in names if kind.startswith("kind_") for name in names[kind]}
    assert everyone == set(plan.devices)


ROLES = [one.name for one in (ROOT / "roles").iterdir() if (one / "tasks").is_dir()]
PREFIXES = tuple(f"{one}_" for one in ("railbed", "switch", "package", *ROLES))


def test_keys_carry_a_known_prefix():
    """Ansible has one namespace for all: a bare `ports` would meet another role's."""
    plan = open_site("lab")
    for name in plan.devices:
        odd = [key for key in vars_for(plan, name) if not key.startswith(PREFIXES)]
        assert odd == ["ansible_host"]


def contract(role: str) -> dict[str, Any]:
    text = (ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text()
    return dict(YAML(typ="safe").load(text)["argument_specs"]["main"]["options"])


def agrees(value: object, option: dict[str, Any]) -> bool:
    """Whether a value is what the role's contract asks: all its keys, and no others."""
    kinds = {"str": str, "int": int, "list": list, "dict": dict, "bool": bool}
    if type(value) is not kinds[option.get("type", "str")]:
        return False
    inner = option.get("options")
    if isinstance(value, list):
        element = {"type": option.get("elements", "str"), "options": inner}
        return all(agrees(one, element) for one in value)
    if isinstance(value, dict) and inner:
        return value.keys() == inner.keys() and all(agrees(value[key], inner[key]) for key in inner)
    return True


def test_what_nodes_share_is_sent_once():
    """On each of a thousand nodes it would be hundreds of megabytes."""
    plan, answer = open_site("lab"), listed()
    shared = answer["_meta"]["hostvars"][plan.oob.name][SHARED]
    assert [one["name"] for one in shared["os_base_hosts"]] == list(plan.devices)
    others = [answer["_meta"]["hostvars"][one.name] for one in plan.nodes]
    assert not [one for one in others if shared.keys() & one.keys()]


def test_ansible_itself_finds_what_nodes_share():
    """A node's variable leads to the OOB server's: Ansible follows it to the same value."""
    tool = Path(sys.executable).with_name("ansible")
    plan = open_site("lab")
    shared = node_site_vars(plan)
    show = json.dumps({"msg": {key: f"{{{{ {key} }}}}" for key in shared}})
    found = subprocess.run(
        [str(tool), "node-p2-1", "-i", str(SCRIPT), "-m", "ansible.builtin.debug", "-a", show],
        env={
            **os.environ,
            "PATH": f"{tool.parent}:{os.environ['PATH']}",
            "RAILBED_LAB": "nosuchlab",
            "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.minimal",
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert json.loads(found.stdout.partition("=>")[2])["msg"] == shared


@pytest.mark.parametrize(("role", "host"), [("roce_nic", "node-p2-1"), ("oob_server", "oob1")])
def test_roles_get_exactly_what_they_ask_for(role, host):
    values, options = vars_for(open_site("lab"), host), contract(role)
    required = {name for name, option in options.items() if option.get("required")}
    assert required <= values.keys()
    assert all(agrees(values[name], options[name]) for name in required)


def test_the_contract_bites():
    option = {"type": "dict", "options": {"port": {"type": "str"}}}
    assert agrees({"port": "rail0"}, option)
    assert not agrees({"port": 0}, option)
    assert not agrees({}, option)
    assert not agrees({"port": "rail0", "rail": 0}, option)
