"""The grammar of SONiC's tables: takes what is published and ours, refuses everything else."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.plan import RawStanza
from switch_configs import intent
from switch_configs.grammar import problems
from switch_configs.grammar.json_lines import located
from switch_configs.sonic.grammar.tables import TABLES
from tests.switch_configs.intents import roles
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import SONIC, broadcom, made
from tests.validation.sonic_published import PUBLISHED
from validation.proof.syntax import syntax


def found(tables: Any) -> tuple[str, ...]:
    text = json.dumps(tables, indent=4)
    return tuple(f"{one.text}: {one.why}" for one in problems("sonic", text))


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_published_configurations_are_taken(name):
    assert found(PUBLISHED[name]()) == ()


def test_ours_is_taken():
    plan = small("sonic")
    for name in roles("sonic"):
        text = SONIC.render(intent(plan, name)).files[0].text
        assert problems("sonic", text) == (), name
    for form in ("dedicated", "shared"):
        text = SONIC.render(made(broadcom(form), "leaf-p1-r0")).files[0].text
        assert problems("sonic", text) == ()


# Wrong forms seen in public: references in brackets (before 202106), commands and words of
# switchd.conf taken for tables, profiles to be found where nothing finds them.
@pytest.mark.parametrize(
    ("table", "key", "field", "value", "why"),
    [
        ("BUFFER_PG", "Ethernet0|3-4", "profile", "[BUFFER_PROFILE|x]", "plain name"),
        ("BUFFER_PG", "Ethernet0|3-4", "profile", "NULL", "dynamic buffer model"),
        ("BUFFER_PG", "Ethernet0|8", "profile", "ingress_lossy_profile", "no key"),
        ("PORT", "Ethernet0", "pfc.3.tx_en", "on", "no field"),
        ("PORT", "Ethernet0", "mtu", "9217", "from 68 to 9216"),
        ("PORT", "Ethernet0", "mtu", 9100, "every value is a text"),
        ("PORT", "Ethernet0", "fec", "rs544", "one of"),
        ("PORT", "swp1", "speed", "100000", "no key"),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "8", "must match"),
        ("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", "NONE", "no row of DSCP_TO_TC_MAP"),
        ("DSCP_TO_TC_MAP", "AZURE", "64", "0", "no field"),
        ("CABLE_LENGTH", "AZURE", "Ethernet0", "5 m", "must match"),
        ("CABLE_LENGTH", "AZURE", "Ethernet99", "5m", "no field"),
        ("WRED_PROFILE", "AZURE_LOSSLESS", "green_min_threshold", "262145", "more than"),
        ("PFC_WD", "Ethernet0", "detection_time", "100", "at least POLL_INTERVAL"),
        ("PFC_WD", "Ethernet0", "POLL_INTERVAL", "200", "not in this row"),
        ("SCHEDULER", "cnp", "pir", "2500000000", "wants cir"),
        ("BUFFER_POOL", "egress_lossless_pool", "percentage", "50", "not with size"),
        ("SYSLOG_SERVER", "10.0.0.1", "vrf", "mgmt", "not enabled"),
        ("AAA", "authentication", "login", "tacacs+,local", "wants a passkey"),
        ("INTERFACE", "Ethernet0|10.0.0.0/31", "x", "y", "interface itself is missing"),
        ("VLAN", "Vlan100", "vlanid", "101", "the number in the name"),
        ("VLAN", "Vlan1", "vlanid", "1", "no key"),
        ("ARS_PROFILE", "global", "mode", "flowlet", "no table"),
    ],
)
def test_what_sonic_refuses_is_refused(table, key, field, value, why):
    tables = PUBLISHED["arista 7060x6"]()
    tables.setdefault(table, {}).setdefault(key, {})[field] = value
    assert any(why in one for one in found(tables)), found(tables)


@pytest.mark.parametrize("text", ["config interface pfc priority add Ethernet0 3", "", "[]", "1"])
def test_what_is_no_table_is_refused(text):
    assert problems("sonic", text)


def test_rows_that_a_site_adds_are_raw_and_not_wrong():
    raw = RawStanza("other", ('{"DHCP_SERVER": {"192.0.2.1": {}}}',), "a test")
    one = made(small("sonic"), "leaf-p1-r0")
    switch = replace(one.switch, raw=(raw,))
    rendered = SONIC.render(replace(one, switch=switch))
    found = syntax(rendered, switch.release, SONIC.render(one))
    assert found.wrong == ()
    assert len(found.raw) == 1
    assert "DHCP_SERVER" in found.raw[0]


def test_a_key_said_twice_is_refused_with_its_line():
    text = '{\n"PORT": {\n"Ethernet0": {\n"mtu": "9100",\n"mtu": "9216"\n}}}'
    assert [(one.line, one.why) for one in problems("sonic", text)][-1] == (5, "said twice")


def test_a_problem_stands_at_its_line():
    text = json.dumps(PUBLISHED["arista 7060x6"](), indent=4).replace('"9100"', '"9300"', 1)
    (one,) = problems("sonic", text)
    assert '"mtu": "9300"' in text.splitlines()[one.line - 1]


def test_needed_fields_cannot_be_missing():
    """Every field that a table needs, dropped from a configuration that has it."""
    tried = 0
    for make in PUBLISHED.values():
        for name, rows in make().items():
            for key in rows:
                for field in TABLES[name].needs:
                    tables = copy.deepcopy(make())
                    del tables[name][key][field]
                    tried += 1
                    assert any(f"needs {field}" in one for one in found(tables))
    assert tried > 40


def references(tables: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Rows that another row names."""
    text = json.dumps(tables)
    for name in ("PORT", "BUFFER_PROFILE", "BUFFER_POOL", "DSCP_TO_TC_MAP", "SCHEDULER", "VLAN"):
        for key in tables.get(name, {}):
            if text.count(f'"{key}') > 1:
                yield name, key


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_row_that_others_name_cannot_be_missing(name):
    tables = PUBLISHED[name]()
    rows = list(references(tables))
    assert rows
    for table, key in rows:
        other = copy.deepcopy(tables)
        del other[table][key]
        other = {one: held for one, held in other.items() if held}
        assert found(other), (table, key)


@given(st.text(alphabet='{}[]":,|abE01 \n', max_size=60))
def test_any_text_is_judged(text):
    assert isinstance(problems("sonic", text), tuple)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=8,
    )
)
def test_located_reads_as_json_does(value):
    assert located(json.dumps(value, indent=1)).value == value
