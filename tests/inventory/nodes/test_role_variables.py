"""Variables of roles: each is set in one place, and both engines and drift read the same of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel, ValidationError

from inventory import InventoryError, ansible_source, open_site, pyinfra_source
from inventory.digest import parts_of
from inventory.load.site import SITES, load
from inventory.nodes.hostvars import vars_for
from inventory.nodes.role_places import IN_LOCK, IN_PROFILE, IN_SITE, place_of
from inventory.nodes.role_variables import role_of
from inventory.nodes.roles import EVERY_NODE, OOB_SERVER, asked_of, wished
from inventory.plan import Plan
from inventory.schema import NodeProfile, RoleValues, SiteFile
from inventory.software.kind import software
from tests.roles import wishes
from tests.roles.owned import NAMES, options
from validation.manifest.contract import roles_of
from validation.manifest.device import Manifests

# A value of each that is not the role's own.
OTHER: dict[str, Any] = {
    "container_runtime_files": ["/etc/nccl.conf"],
    "container_runtime_memlock": "512G",
    "nccl_tests_folder": "/data/nccl-tests",
    "nccl_tests_source": "/data/src/nccl-tests",
    "nvidia_driver_conflicts": ["cuda-drivers*"],
    "nvidia_driver_replaced": ["nvidia-firmware-5*"],
    "oob_server_confirm_s": 60,
    "oob_server_lease_s": 600,
    "oob_server_name_ttl_s": 5,
    "oob_server_way_back_s": 600,
    "os_base_replaced": ["systemd-timesyncd", "ntpsec"],
    "os_base_ssh_max_sessions": 32,
    "os_base_ssh_max_startups": 512,
    "os_base_sysctls": {"net.core.somaxconn": "8192", "net.ipv4.tcp_mtu_probing": "2"},
    "package_repo_connections": 1024,
    "package_repo_folder": "/data/packages",
}
# What must not be there, or counts while a run lasts: the engines see to it, and a manifest holds
# what is there.
SEEN_BY_NO_MANIFEST = {
    *("nvidia_driver_conflicts", "nvidia_driver_replaced", "os_base_replaced"),
    *("oob_server_confirm_s", "oob_server_way_back_s"),
}
SETTABLE = sorted(RoleValues.model_fields)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A site whose nodes have every role."""
    return wishes.site(tmp_path_factory.mktemp("wishes") / "site")


@pytest.fixture(scope="module")
def told(folder) -> Plan:
    """It with another value of every variable."""
    return with_section(folder, {"site": OTHER})


def with_section(site: Path, section: dict[str, Any]) -> Plan:
    path = site / "fabric.yml"
    kept = path.read_text()
    try:
        path.write_text(f"{kept}\n{yaml.safe_dump({'role_variables': section})}")
        return open_site(site)
    finally:
        path.write_text(kept)


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    for name in ("fabric.yml", "asbuilt.csv"):
        (tmp_path / name).write_bytes((SITES / "lab" / name).read_bytes())
    return tmp_path


# -- one place for each ------------------------------------------------------------------------


@pytest.mark.parametrize("role", NAMES)
def test_every_variable_of_a_role_has_one_place(role):
    """By its name where it has a default that nothing computes; else the inventory says where."""
    for name, one in options(role).items():
        assert (name in SETTABLE) != bool(place_of(name)), name
        assert "default" in one or name not in SETTABLE, name


def test_no_place_is_of_a_variable_that_no_role_has():
    known = {name for role in NAMES for name in options(role)}
    assert {*SETTABLE, *IN_PROFILE, *IN_SITE, *IN_LOCK} == known
    assert set(OTHER) == set(SETTABLE)


def has(model: type[BaseModel], path: str) -> bool:
    kind: Any = model
    for part in path.split("."):
        kinds = [kind, *get_args(kind)]
        models = [one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)]
        if not models or part not in models[0].model_fields:
            return False
        kind = models[0].model_fields[part].annotation
    return True


@pytest.mark.parametrize(("places", "model"), [(IN_PROFILE, NodeProfile), (IN_SITE, SiteFile)])
def test_the_places_named_are_keys_of_the_files(places, model):
    assert not [path for path in places.values() if not has(model, path)]
    assert not has(model, "nonsense")


@pytest.mark.parametrize("name", SETTABLE)
def test_a_role_s_own_default_may_be_written(name):
    default = options(role_of(name))[name]["default"]
    taken = getattr(RoleValues.model_validate({name: default}), name)
    if isinstance(default, dict):
        default = {key: str(one) for key, one in default.items()}
    assert taken == default != OTHER[name]


@pytest.mark.parametrize("name", SETTABLE)
@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 1.5, -1, "", "a b", "x\ny", "$(id)", [1], {"a b": 1}, [[]]),
        *("/", "/etc", "/a/b c", "/a/../b", '/a/"b', "/a/$(id)", ["a b"], ["/a/b c"], ["/a/../b"]),
    ],
    ids=repr,
)
def test_nothing_else_is_taken(name, value):
    """No text that a shell, a unit or a configuration would take apart."""
    with pytest.raises(ValidationError):
        RoleValues.model_validate({name: value})


@pytest.mark.parametrize("plan", [open_site("lab"), wishes.plan()], ids=["lab", "wishes"])
def test_the_inventory_knows_which_host_has_which_role(plan):
    profiles = load("lab").node_profiles | wishes_profiles()
    for host, roles in roles_of(plan).items():
        mine = OOB_SERVER if host == plan.oob.name else asked_of(profiles[plan.node[host].profile])
        assert set(roles) == set(mine)
    assert set(EVERY_NODE) < {role for roles in roles_of(plan).values() for role in roles}


@pytest.mark.parametrize(
    ("key", "role"),
    {
        "containers": "container_runtime", "gpu_storage": "gds", "collectives": "nccl",
        "gpu_driver": "nvidia_driver",
    }.items(),
)  # fmt: skip
def test_a_profile_asks_for_a_role_as_the_plan_does(folder, key, role):
    fabric = load(folder)
    profile = fabric.node_profile.model_copy(update={key: None})
    assert set(asked_of(fabric.node_profile)) - set(asked_of(profile)) == {role}
    assert wished(software(fabric, profile)) == asked_of(profile)[len(EVERY_NODE) :]


@cache
def wishes_profiles() -> dict[str, NodeProfile]:
    with tempfile.TemporaryDirectory() as folder:
        return load(wishes.site(Path(folder) / "site")).node_profiles


def test_nothing_that_a_site_sets_is_computed():
    for plan in (open_site("lab"), wishes.plan()):
        for host in roles_of(plan):
            assert not set(vars_for(plan, host)) & set(SETTABLE)


# -- who gets what -----------------------------------------------------------------------------


def test_a_node_wins_over_its_group_and_a_group_over_the_site(lab):
    section = {
        "site": {"os_base_ssh_max_sessions": 20, "os_base_ssh_max_startups": 20},
        "groups": {
            "pod_1": {"os_base_ssh_max_sessions": 30, "os_base_replaced": []},
            "kind_oob_server": {"oob_server_lease_s": 600},
        },
        "nodes": {"node-p1-2": {"os_base_ssh_max_sessions": 40}},
    }
    plan = with_section(lab, section)
    found = {
        host: {key: one for key, one in vars_for(plan, host).items() if key in SETTABLE}
        for host in roles_of(plan)
    }
    everywhere = {"os_base_ssh_max_sessions": 20, "os_base_ssh_max_startups": 20}
    pod = {**everywhere, "os_base_ssh_max_sessions": 30, "os_base_replaced": []}
    assert found == {
        "node-p1-1": pod,
        "node-p1-2": {**pod, "os_base_ssh_max_sessions": 40},
        "node-p2-1": everywhere,
        "node-p2-2": everywhere,
        "oob1": {"oob_server_lease_s": 600},
    }


@pytest.mark.parametrize("group", ["lab-node", "profile_lab_node", "kind_node"])
def test_a_profile_is_a_group_by_its_own_name_too(lab, group):
    plan = with_section(lab, {"groups": {group: {"os_base_ssh_max_sessions": 30}}})
    for node in plan.node:
        assert vars_for(plan, node)["os_base_ssh_max_sessions"] == 30


def test_a_mapping_is_laid_over_the_role_s_own_name_by_name(lab):
    section = {
        "site": {"os_base_sysctls": {"net.core.somaxconn": 1, "net.ipv4.tcp_mtu_probing": 2}},
        "groups": {"pod_1": {"os_base_sysctls": {"net.core.somaxconn": 2}}},
        "nodes": {"node-p1-1": {"os_base_sysctls": {"net.core.netdev_max_backlog": 3}}},
    }
    plan = with_section(lab, section)
    own = {key: str(one) for key, one in options("os_base")["os_base_sysctls"]["default"].items()}
    site = {**own, "net.core.somaxconn": "1", "net.ipv4.tcp_mtu_probing": "2"}
    assert vars_for(plan, "node-p2-1")["os_base_sysctls"] == site
    assert vars_for(plan, "node-p1-2")["os_base_sysctls"] == {**site, "net.core.somaxconn": "2"}
    assert vars_for(plan, "node-p1-1")["os_base_sysctls"] == {
        **site, "net.core.somaxconn": "2", "net.core.netdev_max_backlog": "3",
    }  # fmt: skip


def test_a_plan_is_another_by_them_and_by_nothing_else(lab):
    plain = open_site(lab)
    assert with_section(lab, {}).digest == plain.digest
    section = {"nodes": {"node-p1-1": {"os_base_ssh_max_sessions": 30}}}
    changed = with_section(lab, section)
    assert changed == with_section(lab, section)
    before, after = parts_of(plain), parts_of(changed)
    assert {name for name in after if before[name] != after[name]} == {"node node-p1-1"}
    assert changed.digest != plain.digest


# -- all read the same -------------------------------------------------------------------------


def by_engine(plan: Plan) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The variables of each host with roles, as Ansible and as pyinfra gets them."""
    listed: Any = ansible_source.listed(plan, None)
    ansible = listed["_meta"]["hostvars"]
    theirs = pyinfra_source.listed(plan, "config", "known")
    hosts = {
        name: data for members in pyinfra_source._hosts(theirs).values() for name, data in members
    }
    for host in roles_of(plan):
        yield host, ansible[host], hosts[host]


def test_both_engines_get_each_value_where_its_role_is(told):
    met = set()
    roles = roles_of(told)
    for host, ansible, pyinfra in by_engine(told):
        for name in SETTABLE:
            assert ansible.get(name) == pyinfra.get(name)
            if role_of(name) not in roles[host]:
                assert name not in ansible
                continue
            met.add(name)
            default = options(role_of(name))[name]["default"]
            below = default if isinstance(default, dict) else {}
            over = {key: str(one) for key, one in below.items()}
            assert ansible[name] == ({**over, **OTHER[name]} if over else OTHER[name])
    assert met == set(SETTABLE)


@pytest.mark.parametrize("name", sorted(set(SETTABLE) - SEEN_BY_NO_MANIFEST))
def test_drift_expects_what_was_set(folder, name):
    """On a host with the role, and on no other."""
    plain, changed = wishes.plan(), with_section(folder, {"site": {name: OTHER[name]}})
    before, after = Manifests(plain), Manifests(changed)
    kinds = (changed.oob.name, *{one.kind: one.name for one in changed.nodes}.values())
    for host in kinds:
        has_role = role_of(name) in before.roles[host]
        assert (before.of(host) != after.of(host)) == has_role
        owners = {
            one.role
            for kind in ("files", "folders", "sysctls", "options")
            for one in {*getattr(before.of(host), kind)} ^ {*getattr(after.of(host), kind)}
        }
        # One side of a folder of another name; nobody else's things move.
        assert owners == ({role_of(name)} if has_role else set())


def test_drift_expects_each_kernel_parameter(told):
    node = told.nodes[0].name
    owned = Manifests(told).of(node).sysctls
    held = {one.name: one.value for one in owned if one.role == "os_base"}
    assert {**held, **OTHER["os_base_sysctls"]} == held
    assert held["net.ipv4.conf.all.send_redirects"] == "0"


# -- what cannot be meant ----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted({*IN_PROFILE, *IN_SITE, *IN_LOCK}))
def test_what_the_plan_computes_is_refused_with_its_place(lab, name):
    with pytest.raises(InventoryError) as refused:
        with_section(lab, {"site": {name: 1}})
    (problem,) = refused.value.problems
    assert problem.path == f"role_variables.site.{name}"
    assert (problem.line, problem.column) > (1, 1)
    assert place_of(name) in problem.hint


@pytest.mark.parametrize("level", ["groups", "nodes"])
def test_no_name_at_all_is_no_traceback(lab, level):
    for name in ("", "x" * 5000, "a/b", "\u0430"):
        with pytest.raises(InventoryError):
            with_section(lab, {level: {name: {"os_base_ssh_max_sessions": 30}}})
