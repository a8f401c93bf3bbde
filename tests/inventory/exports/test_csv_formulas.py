"""No cell that people wrote is computed by the spreadsheet that opens an export."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO

import pytest

from inventory import open_site
from inventory.exports.flows import flows_csv
from inventory.plan import Plan


@pytest.fixture(scope="module")
def bounded() -> Plan:
    return open_site("pod-256")


@pytest.mark.parametrize("first", list("=+-@\t\r"))
def test_a_reason_that_begins_like_a_formula_is_text(first, bounded):
    edge = bounded.boundary
    flows = tuple(replace(one, why=f'{first}HYPERLINK("x"),1') for one in edge.flows)
    text = flows_csv(replace(bounded, boundary=replace(edge, flows=flows)))
    rows = list(csv.DictReader(StringIO(text, newline="")))
    assert {row["why"] for row in rows} == {f'\'{first}HYPERLINK("x"),1'}


def test_a_plain_reason_stays_as_it_is(bounded):
    rows = list(csv.DictReader(StringIO(flows_csv(bounded))))
    assert [row["why"] for row in rows] == [one.why for one in bounded.boundary.flows]
