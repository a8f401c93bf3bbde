"""What models of switches pause, as their readers take it: what they run says, and no more."""

from __future__ import annotations

import socket

import pytest

from deploy.lab.models.nxos.box import NxosBox
from deploy.lab.models.nxos.terminal import NxosTerminal
from inventory.reading.sections import Section
from switch_configs.answers.lossless import PortLossless
from switch_configs.nxos.answers import lossless
from tests.tree import ROOT

LEAF = ROOT / "tests/golden/small/nxos/leaf-p1-r0/running-config"
ON = "  priority-flow-control mode on\n"


@pytest.fixture(scope="module")
def text() -> str:
    return LEAF.read_text()


def pauses(text: str) -> dict[str, PortLossless]:
    """What its reader makes of the show of a switch that runs this."""
    here, there = socket.socketpair()
    with here, there:
        shown = NxosTerminal(NxosBox(text, ""), here)._do(lossless.LINES["pfc"])
    return lossless.ports({"pfc": Section(0, shown)})


def test_a_port_pauses_what_the_whole_switch_does_where_it_is_on(text: str):
    found = pauses(text)
    assert len(found) == text.count("\ninterface Ethernet") > text.count("\ninterface mgmt0") == 1
    assert {one.asks for one in found.values()} == {one.obeys for one in found.values()} == {(3,)}


def test_a_port_that_is_not_told_to_pauses_nothing(text: str):
    head, _, last = text.rpartition(ON)
    *_, port = head.rpartition("\ninterface ")
    found = pauses(f"{head}{last}")
    assert found.pop(port.split("\n")[0]).asks == ()
    assert {one.asks for one in found.values()} == {(3,)}


@pytest.mark.parametrize(
    ("said", "instead", "priorities"),
    [
        ("    pause pfc-cos 3\n", "", ()),
        ("  service-policy type network-qos lossless\n", "", ()),
        ("pause pfc-cos 3\n", "pause pfc-cos 2\n", (2,)),
    ],
)
def test_its_priorities_are_those_of_the_policy_of_the_whole_switch(
    text: str, said: str, instead: str, priorities: tuple[int, ...]
):
    assert said in text
    found = pauses(text.replace(said, instead))
    assert {one.asks for one in found.values()} == {priorities}
