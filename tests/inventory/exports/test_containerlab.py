"""containerlab topologies: each cable a link, names that containerlab and Linux take."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from inventory import exports
from inventory.plan import Plan, PortRef
from inventory.switches.abilities import abilities
from tests.inventory.exports.plans import generated, lab, sizes

CHEAP = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))


def links_of(plan: Plan) -> list[list[str]]:
    made = yaml.safe_load(exports.containerlab_yaml(plan))
    return [one["endpoints"] for one in made["topology"]["links"]]


@given(size=sizes())
@CHEAP
def test_each_data_cable_is_a_link_and_each_port_is_used_once(size):
    plan = generated(size)
    links = links_of(plan)
    data = [one for one in plan.cables if one.plane != "oob"]
    assert {frozenset(one) for one in links} == {frozenset({str(c.a), str(c.b)}) for c in data}
    assert set(Counter(end for one in links for end in one).values()) == {1}


def test_only_what_is_cabled_is_a_node():
    made = yaml.safe_load(exports.containerlab_yaml(lab()))
    assert made["name"] == "lab"
    assert set(made["topology"]["nodes"]) == {*lab().switch, *lab().node}
    assert {one["kind"] for one in made["topology"]["nodes"].values()} == {"linux"}


def with_dialect(dialect: str, ports: list[str]) -> Plan:
    """The lab with another switch OS, whose swp1, swp2 ... have these names."""
    names = {f"swp{at}": port for at, port in enumerate(ports, start=1)}

    def named(end: PortRef) -> PortRef:
        return PortRef(end.device, names.get(end.port, end.port))

    plan = lab()
    return replace(
        plan,
        switches=tuple(replace(one, dialect=dialect) for one in plan.switches),
        cables=tuple(replace(one, a=named(one.a), b=named(one.b)) for one in plan.cables),
    )


@pytest.mark.parametrize(
    ("dialect", "ports", "kind", "leaf"),
    [
        ("sonic", [f"Ethernet{n * 8}" for n in range(8)], "sonic-vs", ["eth1", "eth2", "eth3"]),
        ("cumulus", [f"swp{n}" for n in range(1, 9)], "nvidia_cumulusvx", ["swp1", "swp2", "swp5"]),
        ("eos", [f"Ethernet{n}/1" for n in range(1, 9)], "arista_ceos", ["eth1_1", "eth2_1"]),
        ("nxos", [f"Ethernet1/{n}" for n in range(1, 9)], "cisco_n9kv", ["eth1", "eth2", "eth5"]),
        ("nxos", [f"Ethernet1/{n}/1" for n in range(1, 9)], "cisco_n9kv", ["eth1", "eth2", "eth3"]),
    ],
)  # fmt: skip
def test_ports_have_the_names_that_their_kind_knows(dialect, ports, kind, leaf):
    plan = with_dialect(dialect, ports)
    made = yaml.safe_load(exports.containerlab_yaml(plan))["topology"]
    assert made["nodes"]["leaf-p1-r0"]["kind"] == kind
    assert kind in made["kinds"]
    ends = {end for one in made["links"] for end in one["endpoints"]}
    mine = sorted(end.partition(":")[2] for end in ends if end.startswith("leaf-p1-r0:"))
    assert mine[: len(leaf)] == leaf
    assert all(len(end.partition(":")[2]) <= 15 for end in ends)


def test_another_name_is_said_in_a_comment():
    text = exports.containerlab_yaml(with_dialect("eos", [f"Ethernet{n}" for n in range(1, 9)]))
    assert '"leaf-p1-r0:eth1"]  # node-p1-1:rail0 leaf-p1-r0:Ethernet1\n' in text


def test_what_cannot_be_exported_is_said():
    with pytest.raises(exports.ExportError, match="no containerlab kind for dialect junos"):
        exports.containerlab_yaml(with_dialect("junos", []))
    with pytest.raises(exports.ExportError, match="management network of its own"):
        exports.containerlab_yaml(lab(), "oob")
    with pytest.raises(exports.ExportError, match="share a name"):
        exports.containerlab_yaml(with_dialect("linux_frr", ["eth0"]))


def test_its_own_schema_accepts_it():
    """containerlab's published schema (schemas/clab.schema.json) accepts every kind."""
    named = os.environ.get("RAILBED_CLAB_SCHEMA", "")
    if not named:
        pytest.skip("RAILBED_CLAB_SCHEMA does not name containerlab's clab.schema.json")
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(Path(named).read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(schema)
    for dialect in abilities():
        plan = with_dialect(dialect, [f"Ethernet1/{n}" for n in range(1, 9)])
        validator.validate(yaml.safe_load(exports.containerlab_yaml(plan)))
    wrong = yaml.safe_load(exports.containerlab_yaml(lab()))
    wrong["topology"]["nodes"]["spine1"]["kind"] = "nonsense"
    assert not validator.is_valid(wrong)
