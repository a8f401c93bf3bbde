"""What other ports, boxes and references say of lines that are missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from switch_configs import render
from switch_configs.readback.facts import Hazard, PortFacts, QosFacts, SwitchFacts
from tests.switch_configs.sites import small
from validation.audit.audit import audit
from validation.audit.box import Box, box
from validation.audit.lost import lost
from validation.audit.network import network

from .spoilt import LEAF, SPINE, STORAGE, boxes, texts


def whys(changed: dict[str, Box]) -> list[str]:
    return [one.why for one in lost(network({**boxes(), **changed}.values()))]


def port_without(facts: SwitchFacts, **changes: object) -> SwitchFacts:
    """The first port that pauses, otherwise."""
    at = next(n for n, port in enumerate(facts.ports) if port.qos and port.qos.pfc_priorities)
    ports: list[PortFacts] = [*facts.ports]
    ports[at] = replace(ports[at], **changes)  # type: ignore[arg-type]
    return replace(facts, ports=tuple(ports))


def last_lost(facts: SwitchFacts) -> SwitchFacts:
    return replace(facts, ports=tuple(one for one in facts.ports if one.name != "swp19"))


CASES: dict[str, Callable[[SwitchFacts], SwitchFacts]] = {
    "it says of no port": lambda f: replace(f, ports=(), sessions=()),
    "is there twice": lambda f: replace(f, ports=(*f.ports, f.ports[1])),
    "which it lacks": last_lost,
    "which it says nothing else of": last_lost,
    "has no MTU,": lambda f: port_without(f, ip_mtu_bytes=None),
    "has no speed,": lambda f: port_without(f, rate_gbps=None),
    "neither description nor speed": lambda f: port_without(f, description="", rate_gbps=None),
    "has a speed, as only a whole port has": lambda f: port_without(f, name="swp1.7"),
    "is no address of its own": lambda f: replace(f, router_id="192.0.2.99"),
    "which has none": lambda f: replace(f, sessions=f.sessions[:-1]),
    "has no session, unlike its like": lambda f: replace(f, sessions=f.sessions[:-1]),
    "in no network and no bond": lambda f: replace(
        port_without(f, addresses=()), sessions=f.sessions[len(f.sessions) // 2 :]
    ),
    "with like names": lambda f: (
        port_without(f, qos=None)
        if f.ports[-1].qos is None
        else replace(f, ports=(*f.ports[:-1], replace(f.ports[-1], qos=odd(f.ports[-1]))))
    ),
}


def odd(port: PortFacts) -> QosFacts:
    assert port.qos is not None
    return replace(port.qos, classes=port.qos.classes[1:])


def test_nothing_is_missing_from_what_is_whole():
    assert whys({}) == []


@pytest.mark.parametrize("why", CASES)
def test_what_is_missing_is_told(why):
    good = boxes()[LEAF]
    found = whys({LEAF: replace(good, facts=CASES[why](good.facts))})
    assert any(why in one for one in found), found


def test_a_port_that_a_neighbour_has_an_address_to():
    spine = boxes()[SPINE]
    assert spine.facts.sessions
    gone = replace(spine.facts, ports=tuple(p for p in spine.facts.ports if p.name == "lo"))
    assert any("it says of no port" in one for one in whys({SPINE: replace(spine, facts=gone)}))


def test_two_switches_whose_files_lie_together_are_no_one():
    good = boxes()[SPINE]
    said = Hazard("frr.conf is of another, and config_db.json of spine2", "two-switches")
    both = replace(good, facts=replace(good.facts, hazards=(said,)))
    assert [one for one in whys({SPINE: both}) if "two switches in one?" in one]
    assert not [one for one in whys({}) if "two switches in one?" in one]


def test_a_port_to_a_host_that_only_a_switch_of_like_name_has():
    good = boxes()[LEAF]
    ports = [one.name for one in good.facts.ports if "node" in one.description]
    assert len(ports) > 3
    less = tuple(one for one in good.facts.ports if one.name != ports[1])
    found = whys({LEAF: replace(good, facts=replace(good.facts, ports=less))})
    assert any(f":{ports[1]} leads to node-" in one for one in found), found
    # One of which two ports do not fit is of another kind.
    few = tuple(one for one in good.facts.ports if one.name not in ports[2:])
    found = whys({LEAF: replace(good, facts=replace(good.facts, ports=few))})
    assert not any(" leads to node-" in one for one in found), found


def test_a_line_on_mtu_that_one_of_like_ports_lacks():
    name = STORAGE
    ((path, text),) = texts("pod-256")[name].items()
    head = text.index("interface Ethernet", text.index("description to node"))
    at = text.index("   mtu ", head)
    cut = box(name, {path: text[:at] + text[text.index("\n", at) + 1 :]})
    assert isinstance(cut, Box)
    assert any("no line on its MTU" in one for one in whys({name: cut}))


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_two_ports_that_became_one_by_lost_lines(system):
    """From the middle of one port to the middle of the next: what is left says a line twice."""
    (text,) = (file.text for file in render(small(system), LEAF).files)
    lines = text.splitlines(keepends=True)
    ports = [at for at, line in enumerate(lines) if line.startswith("interface Ethernet")]
    said = set(lines[ports[1] : ports[2]])
    first = next(at for at in range(ports[0] + 1, ports[1]) if lines[at] in said)
    second = lines.index(lines[first], ports[1])
    cut = "".join((*lines[: first + 1], *lines[second:]))
    whole, less = (audit({"leaf.cfg": {"leaf.cfg": one}}).not_read for one in (text, cut))
    assert not [one for one in whole if "twice" in one.why]
    address = next(line for line in lines[ports[0] :] if line.strip().startswith("ip address"))
    both = text.replace(address, address + re.sub(r"\d.*", "10.99.0.1/31", address), 1)
    assert [one for one in audit({"x": {"leaf.cfg": both}}).not_read if "secondary" in one.why]
    typed = text.replace(lines[ports[1]], lines[ports[1]] + "   shutdown\n   shutdown\n", 1)
    same = audit({"leaf.cfg": {"leaf.cfg": typed}}).not_read
    assert not [one for one in same if "twice" in one.why]
    assert [one for one in less if "twice: are lines lost?" in one.why]
