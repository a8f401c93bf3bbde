"""Whatever a file holds, an import says what is wrong with it; it never raises."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.imports.circuits import PortFinder, relay_of
from inventory.imports.forms import form_named, forms
from inventory.imports.leases import read_leases
from inventory.imports.lldp import read_neighbours
from inventory.imports.machines import read_manifest
from inventory.imports.merge import merge
from inventory.imports.netbox_records import Records, inventory_of
from inventory.imports.placing import place, read_names
from inventory.imports.spreadsheet import read_cables, read_devices
from inventory.topology.asbuilt import parse_asbuilt
from inventory.topology.asbuilt_rows import asbuilt_text, rows_of
from tests.inventory.imported import ports, rows
from tests.plugins.tiers import examples

FORMS = forms()
PORTS = ports()
ROWS = rows()
FINDER = PortFinder.of(frozenset())
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
WORDS = st.sampled_from(
    ["lldp", "interface", "chassis", "port", "id", "type", "value", "mac", "name", "device",
     "expected_machines", "bmc_mac_address", "chassis_serial_number", "interfaces", "mac_address",
     "metadata", "status", "serial", "a_terminations", "object", "object_type", "primary_ip4"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=14,
)
CELLS = st.sampled_from(
    [
        "node-p1-1",
        "eth0",
        "02:52:42:02:00:01",
        "S1",
        "",
        "x",
        '"',
        ",",
        "chassis",
        "a b",
        "é",
        "\x00",
    ]
)
LINES = st.lists(st.lists(CELLS, max_size=6).map(",".join), max_size=6).map("\n".join)
HEADERS = st.sampled_from(
    ["device,port,mac,serial", "device,port,mac,serial,firmware", "name,serial,mac",
     "machine,device", "a_device,a_port,b_device,b_port,plane",
     "SERVICE_TAG,HOSTNAME,ADMIN_MAC,BMC_MAC", "address,hwaddr,client_id,user_context"]
)  # fmt: skip
TEXTS = st.text(max_size=60) | st.tuples(HEADERS, LINES).map("\n".join)


@given(TEXTS)
@settings(max_examples=examples(40, full=200), deadline=None)
def test_any_text(text):
    read_leases(text, "f", FINDER)
    read_neighbours(text, "f", "leaf-p1-r0")
    read_names(text, "f", PORTS)
    read_cables(text, "f")
    read_devices(text, "f")
    for form in FORMS.values():
        machines, _ = read_manifest(text, "f", form)
        placed = place(machines, PORTS, {}, ROWS, {})
        again = merge(ROWS, placed.claims)
        if not again.problems:
            after = {row.place: row for row in again.rows}
            assert not merge(after, place(machines, PORTS, {}, after, {}).claims).differs


@given(VALUES)
@settings(max_examples=examples(40, full=200), deadline=None)
def test_any_json(value):
    text = json.dumps(value)
    read_neighbours(text, "f", "leaf-p1-r0")
    read_manifest(text, "f", form_named("nvidia-nico"))
    read_manifest(json.dumps({"expected_machines": [value]}), "f", FORMS["nvidia-nico"])


@given(st.lists(st.dictionaries(WORDS, VALUES, max_size=5), max_size=3))
@settings(max_examples=examples(40, full=200), deadline=None)
def test_any_records_of_netbox(records):
    inventory_of(Records("4.2", records, records, records), PORTS, {})


@given(st.binary(max_size=40))
def test_any_option_82(raw):
    relay_of(raw)


@given(st.tuples(HEADERS, LINES).map("\n".join))
@settings(max_examples=examples(40, full=200), deadline=None)
def test_what_is_read_is_written_and_read_the_same(text):
    built, _ = parse_asbuilt(text, "f")
    written = asbuilt_text(rows_of(built).values())
    again, wrong = parse_asbuilt(written, "f")
    assert not wrong
    assert rows_of(again) == rows_of(built)
