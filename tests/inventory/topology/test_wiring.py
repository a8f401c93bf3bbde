"""Cables by hand: what may stand in wiring.csv, and what is said about the rest."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from inventory import InventoryError
from inventory.plan import PortRef
from inventory.topology.wiring import Wire, load_wiring

HEADER = "a_device,a_port,b_device,b_port,plane\n"


def read(folder: Path, text: str, devices: Collection[str] | None = None) -> tuple[Wire, ...]:
    path = folder / "wiring.csv"
    path.write_text(text)
    return load_wiring(path, devices)


def said(folder: Path, text: str, devices: Collection[str] | None = None) -> list[str]:
    with pytest.raises(InventoryError) as raised:
        read(folder, text, devices)
    return [str(one).replace(f"{folder}/", "") for one in raised.value.problems]


def test_ends_are_in_order_whatever_the_file_says(tmp_path):
    wires = read(tmp_path, HEADER + "spine1,swp1,leaf-p1-r0,swp5,compute\r\n\n")
    assert wires == (Wire(PortRef("leaf-p1-r0", "swp5"), PortRef("spine1", "swp1"), "compute"),)


def test_a_port_used_twice_is_refused(tmp_path):
    text = HEADER + "a,p1,b,p1,compute\nc,p1,b,p1,compute\na,p2,a,p2,oob\n"
    assert said(tmp_path, text) == [
        "wiring.csv:3:8 b_port: found b:p1 a second time, expected one cable in a port; see line 2",
        "wiring.csv:4:8 b_port: found a:p2 at both ends, expected a cable between two ports",
    ]


def test_all_problems_at_once(tmp_path):
    text = HEADER + "spine9,swp1,oob1,nm1,oob\nspine1;swp1\nspine1,a/../../b c,oob1,nm2,compte\n"
    planes = "`compute`, `storage`, `business` or `oob`"
    short = "at most 15 characters, as the kernel has it"
    assert said(tmp_path, text, devices={"spine1", "oob1"}) == [
        "wiring.csv:2:1 a_device: found 'spine9', expected a device of the site; there is 'spine1'",
        "wiring.csv:3:1: found 1 cell, expected 5: `a_device,a_port,b_device,b_port,plane`",
        f"wiring.csv:4:8 a_port: found 'a/../../b c', expected a port name; {short}",
        f"wiring.csv:4:29 plane: found 'compte', expected {planes}; {mean('compute')}",
    ]


def mean(word: str) -> str:
    return f"did you mean {word!r}?"


def test_a_missing_file_is_a_problem(tmp_path):
    with pytest.raises(InventoryError, match="no such file"):
        load_wiring(tmp_path / "wiring.csv")
