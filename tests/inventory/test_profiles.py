"""The shipped profiles: they load, keep the rules, and name ports as their switch OS does."""

from __future__ import annotations

import re

import pytest

from inventory.load.files import yaml_mapping
from inventory.load.refused import why_refused
from inventory.load.site import PROFILES
from inventory.problems import Problem
from inventory.rules.nodes.profiles import NODE_RULES, SWITCH_RULES, Finding
from inventory.schema import NodeProfile, SwitchProfile


def entries(name: str) -> dict[str, object]:
    problems: list[Problem] = []
    marked = yaml_mapping(PROFILES / name, problems)
    assert not problems
    assert marked
    assert isinstance(marked.value, dict)
    return marked.value


NODES = {name: NodeProfile.model_validate(one) for name, one in entries("nodes.yml").items()}
SWITCHES = {
    name: SwitchProfile.model_validate(one) for name, one in entries("switches.yml").items()
}
EIGHT_GPUS = [name for name, one in NODES.items() if one.gpus]


def test_what_was_promised_is_there():
    assert {
        "hgx-h100", "hgx-h200", "dgx-a100", "hgx-b200", "hgx-b300", "hgx-b300-dual-plane",
        "storage-cpu", "mgmt-cpu", "lab-node",
    } <= set(NODES)  # fmt: skip
    assert {one.dialect for one in SWITCHES.values()} == {
        "cumulus", "sonic", "eos", "nxos", "linux_frr",
    }  # fmt: skip


def node_problems(name: str, profile: NodeProfile) -> list[Finding]:
    return [one for rule in NODE_RULES for one in rule(name, profile)]


@pytest.mark.parametrize("name", sorted(NODES))
def test_nodes_keep_the_rules(name: str):
    assert not node_problems(name, NODES[name])


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_switches_keep_the_rules(name: str):
    assert not [one for rule in SWITCH_RULES for one in rule(name, SWITCHES[name])]


@pytest.mark.parametrize("name", sorted({**NODES, **SWITCHES}))
def test_names_can_be_named_by_a_site(name: str):
    """`compute.leaf_profile` and its like take lower case, a letter first."""
    assert re.fullmatch(r"[a-z][a-z0-9-]{0,61}", name)


@pytest.mark.parametrize("name", EIGHT_GPUS)
def test_each_gpu_has_its_own_rail_on_its_own_numa_node(name: str):
    profile = NODES[name]
    planes = 1 + max(nic.nic_plane for nic in profile.rails)
    assert len(profile.gpus) == 8
    assert sorted(nic.gpu for nic in profile.rails if nic.gpu is not None) == sorted(
        [*range(8)] * planes
    )
    assert all(profile.gpus[nic.gpu or 0].numa == nic.numa for nic in profile.rails)


@pytest.mark.parametrize(
    ("name", "rate_gbps"),
    [("hgx-h100", 400), ("hgx-h200", 400), ("dgx-a100", 200), ("hgx-b200", 400), ("hgx-b300", 800)],
)
def test_rates_of_rails(name: str, rate_gbps: int):
    assert {nic.rate_gbps for nic in NODES[name].rails} == {rate_gbps}


def test_names_follow_from_addresses():
    """systemd names a port by its bus and slot in decimal: what a profile says must agree."""
    for profile in NODES.values():
        for nic in [*profile.rails, *profile.storage, *profile.business]:
            if nic.pci and (bus := re.match(r"enp(\d+)s(\d+)(?:f(\d))?np(\d)", nic.port)):
                function = int(bus[3] or 0)
                assert nic.pci == f"0000:{int(bus[1]):02x}:{int(bus[2]):02x}.{function}"


@pytest.mark.parametrize(
    ("name", "cage", "ways", "part", "port"),
    [
        ("sn5600-cumulus", 1, 1, 1, "swp1"),
        ("sn5600-cumulus", 64, 2, 2, "swp64s1"),
        ("sn5600-sonic", 1, 1, 1, "Ethernet0"),
        ("sn5600-sonic", 2, 2, 2, "Ethernet12"),
        ("sn5600-sonic", 64, 4, 4, "Ethernet510"),
        ("sn4700-sonic", 32, 1, 1, "Ethernet248"),
        ("arista-7060x6-64pe-sonic", 64, 2, 2, "Ethernet508"),
        ("arista-7060x6-64pe-eos", 1, 1, 1, "Ethernet1/1"),
        ("arista-7060x6-64pe-eos", 1, 2, 2, "Ethernet1/5"),
        ("arista-7060x6-64pe-eos", 64, 4, 2, "Ethernet64/3"),
        ("nexus-9364e-sg2-nxos", 1, 1, 1, "Ethernet1/1"),
        ("nexus-9364e-sg2-nxos", 1, 2, 2, "Ethernet1/1/2"),
        ("nexus-9336c-fx2-nxos", 36, 4, 4, "Ethernet1/36/4"),
        ("nexus-9348gc-fx3-nxos", 48, 1, 1, "Ethernet1/48"),
        ("whitebox-64x800-frr", 64, 2, 1, "swp64s0"),
    ],
)
def test_ports_are_named_as_the_switch_names_them(name, cage, ways, part, port):
    assert SWITCHES[name].ports.port_name(cage, ways, part) == port


def test_uplinks_of_a_management_switch_go_on_counting():
    uplinks = SWITCHES["sn2201-cumulus"].uplinks
    assert uplinks
    assert [uplinks.port_name(at) for at in range(1, 5)] == [
        "swp49", "swp50", "swp51", "swp52",
    ]  # fmt: skip


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_a_port_fits_into_an_interface_name(name: str):
    assert max(map(len, SWITCHES[name].port_names)) <= 15


@pytest.mark.parametrize(
    "name", ["gb200-nvl72", "gb300-nvl72", "GB200", "dgx-gb300", "nvl72", "NVIDIA GB200 NVL72"]
)
def test_rack_scale_systems_are_refused_by_name(name: str):
    assert "arm64" in why_refused(name)


@pytest.mark.parametrize("name", ["hgx-b200", "hgx-b300", "NVIDIA GB100 [B200]", "storage-cpu", ""])
def test_nothing_else_is_refused(name: str):
    assert why_refused(name) == ""
