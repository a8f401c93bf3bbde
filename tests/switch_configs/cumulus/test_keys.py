"""Keys that stand for several things: NVUE writes what shares settings under one.

SOURCE: CumulusNetworks/docs, startup.yaml of the configuration examples (`vlan10,20,30`, `bond1-2`)
and `nv set interface swp1,3`.
"""

from __future__ import annotations

import pytest

from switch_configs.cumulus.grammar.kinds import ports
from switch_configs.cumulus.parse import configuration
from switch_configs.cumulus.readback.take import _each
from switch_configs.grammar import problems

KEYS = [
    ("swp2,6", ("swp2", "swp6")),
    ("vlan10,20,30", ("vlan10", "vlan20", "vlan30")),
    ("vlan10-12,20", ("vlan10", "vlan11", "vlan12", "vlan20")),
    ("swp1-2,51-52", ("swp1", "swp2", "swp51", "swp52")),
    ("bond1-2,swp4", ("bond1", "bond2", "swp4")),
    ("swp1s0,3", ("swp1s0", "swp1s3")),
]


@pytest.mark.parametrize(("key", "each"), KEYS)
def test_a_number_by_itself_goes_on_with_the_name_before_it(key, each):
    _, tree = configuration(f"- set:\n    interface:\n      {key}:\n        type: swp\n")
    assert tuple(tree["interface"]) == each
    assert tuple(_each(key)) == each
    assert ports(key) == each


def test_the_grammar_takes_such_a_key():
    text = "- set:\n    interface:\n      swp2,6:\n        link:\n          mtu: 9216\n"
    assert problems("cumulus", text, "5.14") == ()


@pytest.mark.parametrize("key", ["swp1,", ",1", "lo,1", "10,20", "swp1-"])
def test_what_names_no_interface_is_none(key):
    assert ports(key) == ()
