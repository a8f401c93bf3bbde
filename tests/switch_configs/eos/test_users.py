"""What users mark must not reach a switch that believes it: on no edge port of a shared leaf."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect, render
from switch_configs.intent import Rendered
from tests.switch_configs.sites import small

EOS = dialect("eos")
PLAN = small("eos")
SHARED = [
    one.name
    for one in PLAN.switches
    if one.buffers and any(port.plane == "business" for port in one.ports)
]
POLICY = "policy-map type quality-of-service users\n   class class-default\n      set dscp 0\n"


def changed(made: Rendered, old: str, new: str) -> tuple[str, ...]:
    """The hazards of a configuration with its first such text changed."""
    (file,) = made.files
    assert old in file.text
    return EOS.readback(
        replace(made, files=(replace(file, text=file.text.replace(old, new, 1)),))
    ).hazards


@pytest.mark.parametrize("name", SHARED)
def test_every_edge_port_of_users_clears_dscps(name):
    text = render(PLAN, name).files[0].text
    blocks = [one for one in text.split("\n!\n") if one.startswith("interface ")]
    untrusted = [one for one in blocks if "no qos trust" in one]
    edge = [one for one in untrusted if "trunk group MLAG" not in one]
    assert edge
    assert all("service-policy type qos input users" in one for one in edge)
    assert POLICY in text
    assert not EOS.readback(render(PLAN, name)).hazards


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("   service-policy type qos input users\n", "", "and other ports trust what they read"),
        ("      set dscp 0\n", "", "and other ports trust what they read"),
        ("      set dscp 0\n", "      set dscp 26\n", "and other ports trust what they read"),
        (POLICY, "", "and other ports trust what they read"),
        ("   service-profile ", "   service-policy type qos input users\n   service-profile ",
         "that policy users may change"),
    ],
)  # fmt: skip
def test_what_lets_them_in_is_said(old, new, said):
    assert any(said in one for one in changed(render(PLAN, SHARED[0]), old, new))


@pytest.mark.parametrize("word", ["default", "cs0"])
def test_names_of_dscp_0_are_the_same(word):
    assert not changed(render(PLAN, SHARED[0]), "set dscp 0", f"set dscp {word}")


def test_where_nobody_trusts_nothing_is_cleared():
    leaf = next(one.name for one in PLAN.switches if one.plane == "compute")
    assert "policy-map" not in render(PLAN, leaf).files[0].text
