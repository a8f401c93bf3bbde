"""Cables are read out of every source that lists them, and a port is in one alone."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from validation.audit.audit import problems
from validation.audit.box import Box
from validation.audit.cabling.read import cables, read_all
from validation.audit.links import Cable
from validation.audit.network import network

from ..learn.networks import boxes, plan_of

OF_CABLES = {"cable-sheet"}
WANT = [
    (("leaf1", "Ethernet1"), ("spine1", "Ethernet2")),
    (("leaf1", "Ethernet5"), ("srv", "eth0")),
]
NETBOX = {
    "results": [
        {
            "id": number,
            "a_terminations": [{"object_type": "dcim.interface",
                               "object": {"device": {"name": a}, "name": b}}],
            "b_terminations": [{"object_type": "dcim.interface",
                               "object": {"device": {"name": c}, "name": d}}],
        }
        for number, ((a, b), (c, d)) in enumerate(WANT)
    ]
}  # fmt: skip
NAUTOBOT = [
    {
        "termination_a": {"device": {"name": a}, "name": b},
        "termination_b": {"device": {"name": c}, "name": d},
    }
    for (a, b), (c, d) in WANT
]
LLDPD = {
    "lldp": {
        "interface": [
            {port: {"chassis": {far: {}}, "port": {"id": {"type": "ifname", "value": there}}}}
            for (_, port), (far, there) in WANT
        ]
    }
}
EOS = {
    "lldpNeighbors": [
        {"port": port, "neighborDevice": f"{far}.example.net", "neighborPort": there}
        for (_, port), (far, there) in WANT
    ]
}
SOURCES = {
    "ours.csv": "a_device,a_port,b_device,b_port\nspine1,Ethernet2,leaf1,Ethernet1\n"
    "leaf1,Ethernet5,srv,eth0\n",
    "tool.csv": "Cable ID;Source Device;Source Port;Destination Device;Destination Port\n"
    "1;leaf1;Ethernet1;spine1;Ethernet2\n2;leaf1;Ethernet5;srv;eth0\n",
    "quoted.csv": '\ufeff"Side A Device","Side A Interface","Side B Device","Side B Interface"\r\n'
    '"leaf1","Ethernet1","spine1","Ethernet2"\r\n"leaf1","Ethernet5","srv","eth0"\r\n',
    "netbox.json": json.dumps(NETBOX),
    "nautobot.json": json.dumps(NAUTOBOT),
    "leaf1.json": json.dumps(LLDPD),
    "here/leaf1.eos.json": json.dumps(EOS),
    "lab.clab.yml": "name: x\ntopology:\n  links:\n"
    '    - endpoints: ["leaf1:Ethernet1", "spine1:Ethernet2"]\n'
    '    - endpoints: ["leaf1:Ethernet5", "srv:eth0"]\n',
    "topology.yml": "links:\n- leaf1: {ifname: Ethernet1}\n  spine1: {ifname: Ethernet2}\n"
    "  bandwidth: 100\n- leaf1: {ifname: Ethernet5}\n  srv: {ifname: eth0}\n",
    "leaf1.yml": "hostname: leaf1\nethernet_interfaces:\n"
    "- {name: Ethernet1, peer: spine1, peer_interface: Ethernet2}\n"
    "- {name: Ethernet5, peer: srv, peer_interface: eth0}\n- {name: Ethernet9}\n",
}


@pytest.mark.parametrize("file", SOURCES)
def test_a_source_is_read(file):
    found, wrong = cables(SOURCES[file], file)
    assert ([(one.a, one.b) for one in found], wrong) == (WANT, ())
    assert {one.by for one in found} == {file}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty file"),
        ("PK\x03\x04...", "save the sheet as CSV"),
        ("{", "no JSON"),
        ("{}", "no cable"),
        ("name,colour\nx,red\n", "expected columns of both ends"),
        ("a_device,a_port,b_device,b_port\nx,1\n", "1 lines without both ends"),
        ("a_device,a_port,b_device,b_port\nx,1,y,1\nx,1,z,1\n", "x:1 is in two cables"),
    ],
)
def test_what_is_not_understood_is_said(text, said):
    _, wrong = cables(text, "list")
    assert any(said in one for one in wrong)


def test_two_sources_of_one_port_contradict():
    other = "a_device,a_port,b_device,b_port\nleaf1,Ethernet1,spine9,Ethernet9\n"
    found, wrong = read_all([(SOURCES["ours.csv"], "a.csv"), (other, "b.csv")])
    assert [(one.a, one.b) for one in found] == WANT
    (said,) = wrong
    assert said.startswith("b.csv and a.csv say otherwise of one port: ")
    assert said.endswith("leaf1:Ethernet1 -- spine9:Ethernet9, leaf1:Ethernet1 -- spine1:Ethernet2")


def test_no_damage_makes_a_traceback():
    rng = random.Random(5)
    for text in SOURCES.values():
        for _ in range(60):
            at = rng.randrange(len(text))
            spoilt = (
                text[:at] + rng.choice(["", "\0", "{", "[", '"', "\n", ":", "]"]) + text[at + 2 :]
            )
            cables(spoilt, "list")


def lab(*listed: Cable, described: bool = True) -> list[str]:
    every = boxes(plan_of("lab"))
    if not described:
        every = tuple(map(bare, every))
    found = problems(network(every, cables=listed))
    return [f"{one.rule} {one.subject}: {one.found}" for one in found if one.rule in OF_CABLES]


def bare(one: Box) -> Box:
    ports = tuple(replace(port, description="") for port in one.facts.ports)
    return replace(one, facts=replace(one.facts, ports=ports))


def planned() -> list[Cable]:
    return [
        Cable((one.a.device, one.a.port), (one.b.device, one.b.port), "sheet.csv")
        for one in plan_of("lab").cables
        if one.plane != "oob"
    ]


def test_a_list_that_agrees_is_no_finding_and_fills_what_is_open():
    assert lab(*planned()) == []
    every = tuple(map(bare, boxes(plan_of("lab"))))
    assert len(network(every).links) == 0
    assert {one.by for one in network(every, cables=planned()).links} == {"sheet.csv"}


def test_swapped_cables_are_found_by_the_rule():
    """The rule `cable-sheet`."""
    first, second, *_ = [one for one in planned() if "spine" in one.b[0]]
    swapped = [Cable(first.a, second.b, "sheet.csv"), Cable(second.a, first.b, "sheet.csv")]
    found = lab(*swapped)
    assert len(found) == 2
    assert f"{':'.join(second.b)}" in found[0]
    assert all("sheet.csv" in one and one.startswith("cable-sheet") for one in found)
    assert "cable-sheet" in found[0]
