"""What stands in config_db.json, and that nothing in it can change unseen."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from inventory.plan import RawStanza
from switch_configs import DialectError, intent, reserved
from switch_configs.intent import Rendered
from switch_configs.readback.facts import ReservedFacts
from switch_configs.readback.wanted import wanted
from switch_configs.shown.unread import unread
from tests.switch_configs.shapes import one_of_each
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import (
    SONIC,
    broadcom,
    database,
    made,
    with_database,
)


def said_of(rendered: Rendered) -> ReservedFacts:
    """What the file says of headroom."""
    found = reserved(rendered)
    assert found is not None
    return found


ROLES = ("leaf-p1-r0", "spine-p1-1", "business-leaf-b1-1")
Tables = dict[str, Any]


@pytest.mark.parametrize("form", ["dedicated", "shared"])
@pytest.mark.parametrize("name", ["leaf-p1-r0", "spine1"])
def test_broadcom_says_its_headroom(form, name):
    plan = broadcom(form)
    one = made(plan, name)
    rendered = SONIC.render(one)
    assert SONIC.readback(rendered) == wanted(one, SONIC.unsaid)
    said = dict(said_of(rendered).rooms)
    assert set(said) == {port.name for port in one.switch.ports}
    assert {found.xoff_bytes for found in said.values()} == {612140}
    assert {found.size_bytes for found in said.values()} == {18796}
    pools = database(rendered)["BUFFER_POOL"]
    room = int(pools["ingress_lossless_pool"]["xoff"])
    pool = one.switch.buffers.headroom_pool_bytes if one.switch.buffers else 0
    assert room == (pool if form == "shared" else 612140 * len(said))
    assert int(pools["ingress_lossless_pool"]["size"]) + room == 166115492


def test_lanes_of_a_cage_are_those_of_its_own_map():
    """port_config.ini of Arista-7060X6-64PE-O128S2: cage 1 has lanes 17 to 24."""
    ports = database(SONIC.render(made(broadcom(), "leaf-p1-r0")))["PORT"]
    assert ports["Ethernet0"]["lanes"] == "17,18,19,20"
    assert ports["Ethernet4"]["lanes"] == "21,22,23,24"
    assert ports["Ethernet8"]["lanes"] == "1,2,3,4"
    assert [ports[one]["index"] for one in ("Ethernet0", "Ethernet4", "Ethernet8")] == [
        "1", "1", "2",
    ]  # fmt: skip


def test_spectrum_leaves_headroom_to_sonic():
    tables = database(SONIC.render(made(small("sonic"), "leaf-p1-r0")))
    assert tables["BUFFER_PG"]["Ethernet0|3"] == {"profile": "NULL"}
    assert tables["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic"
    assert tables["LOSSLESS_TRAFFIC_PATTERN"]["AZURE"]["mtu"] == "4178"
    assert not said_of(SONIC.render(made(small("sonic"), "leaf-p1-r0"))).rooms


@pytest.mark.parametrize(("form", "ratio"), [("dedicated", "0"), ("shared", "4")])
def test_spectrum_is_told_how_often_headroom_is_promised(form, ratio):
    one = made(small("sonic"), "leaf-p1-r0")
    assert one.lossless.headroom
    policy = replace(one.lossless.headroom, form=form, over_subscription=4)
    tables = database(SONIC.render(replace(one, lossless=replace(one.lossless, headroom=policy))))
    said = tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"]["AZURE"]
    assert said == {"default_dynamic_th": "0", "over_subscribe_ratio": ratio}


def test_users_are_trusted_with_nothing():
    tables = database(SONIC.render(made(small("sonic"), "business-leaf-b1-1")))
    assert set(tables["DSCP_TO_TC_MAP"]) == {"UNTRUSTED"}
    assert set(tables["DSCP_TO_TC_MAP"]["UNTRUSTED"].values()) == {"0"}
    assert len(tables["DSCP_TO_TC_MAP"]["UNTRUSTED"]) == 64
    assert all("pfc_enable" not in row for row in tables["PORT_QOS_MAP"].values())


def test_cnp_is_strict_and_capped_in_bytes_a_second():
    tables = database(SONIC.render(made(small("sonic"), "leaf-p1-r0")))
    cap = tables["SCHEDULER"]["cnp_400000"]
    assert cap["type"] == "STRICT"
    assert int(cap["pir"]) * 8 == 400_000_000_000 * 5 // 100


def test_keys_stand_in_order():
    text = SONIC.render(made(small("sonic"), "leaf-p1-r0")).files[0].text
    assert list(json.loads(text)) == sorted(json.loads(text))
    numbers = [int(one[8:]) for one in json.loads(text)["PORT"]]
    assert numbers == sorted(numbers)


def test_two_lossless_priorities_are_two_chains():
    one = made(small("sonic"), "leaf-p1-r0")
    roce = next(each for each in one.lossless.classes if each.lossless)
    second = replace(
        roce, name="storage", dscps=(24,), priority=4, queue=4, priority_group=4, weight_percent=20
    )
    classes = (*one.lossless.classes, second)
    two = replace(one, lossless=replace(one.lossless, classes=classes))
    rendered = SONIC.render(two)
    assert SONIC.readback(rendered) == wanted(two, SONIC.unsaid)
    row = database(rendered)["PORT_QOS_MAP"]["Ethernet0"]
    assert (row["pfc_enable"], row["pfcwd_sw_enable"]) == ("3,4", "3,4")


@pytest.mark.parametrize("field", ["priority", "queue", "priority_group"])
def test_two_classes_that_sonic_could_not_tell_apart_are_refused(field):
    one = made(small("sonic"), "leaf-p1-r0")
    roce = next(each for each in one.lossless.classes if each.lossless)
    second = replace(roce, name="storage", dscps=(24,), priority=4, queue=4, priority_group=4)
    second = replace(second, **{field: getattr(roce, field)})
    classes = (*one.lossless.classes, second)
    with pytest.raises(DialectError, match=f"leaf-p1-r0: two classes have {field.split('_')[0]}"):
        SONIC.render(replace(one, lossless=replace(one.lossless, classes=classes)))


# -- nothing can change unseen ----------------------------------------------------------------

# What no neutral fact holds, and no other part of the file says again.
NO_FACT = re.compile(
    r"BUFFER_PROFILE\|\w+ size|LOSSLESS_TRAFFIC_PATTERN\|AZURE small"
    r"|GNMI\|(certs|gnmi log_level)|BREAKOUT_CFG"
    r"|DEVICE_METADATA\|localhost (mac|synchronous_mode|timezone)"
    r"|SNMP_USER\|\w+ SNMP_USER_\w+_PASSWORD|TACPLUS\|global passkey|VERSIONS"
    r"|TACPLUS_SERVER\|[\d.]+ priority"
    # Traffic classes that no DSCP has may go wherever nothing lossless goes.
    r"|TC_TO_\w+_MAP\|\w+ [124-7]|\w+_MAP\|UNTRUSTED \d+ =|TC_TO_\w+_MAP\|UNTRUSTED 3$"
    r"|DEFAULT_LOSSLESS_BUFFER_PARAMETER\|AZURE over_subscribe_ratio"
    # A default, or the same as without it.
    r"|PORTCHANNEL\|\w+ (lacp_key|min_links|mtu)|SCHEDULER\|\w+ meter_type"
    r"|\w+\|\S+ alias|NTP_SERVER\|\S+ iburst|ACL_RULE\|\S+ PRIORITY|ACL_TABLE\|\w+ stage"
    r"|PORT\|\w+ subport|SWITCH_HASH|AAA|GNMI\|gnmi$|SNMP_AGENT"
)
OTHER = {**dict.fromkeys("012456789", "3"), "3": "4", "q": "x"}


def mutants(tables: Tables) -> Iterator[tuple[str, Tables]]:
    """Each row and field dropped, each value's last character changed."""
    for table, rows in tables.items():
        for key, row in rows.items():
            yield f"{table}|{key}", _without(tables, table, key)
            for field, value in row.items():
                name = f"{table}|{key} {field}"
                yield name, _without(tables, table, key, field)
                if isinstance(value, str):
                    other = value[:-1] + OTHER.get(value[-1], "q")
                    yield f"{name} = {other}", _changed(tables, table, key, field, other)


def _without(tables: Tables, table: str, key: str, field: str | None = None) -> Tables:
    rows = dict(tables[table])
    if field is None:
        del rows[key]
    else:
        rows[key] = {name: value for name, value in rows[key].items() if name != field}
    return tables | {table: rows}


def _changed(tables: Tables, table: str, key: str, field: str, value: str) -> Tables:
    row = tables[table][key] | {field: value}
    return tables | {table: tables[table] | {key: row}}


@pytest.mark.parametrize("name", ROLES)
def test_no_value_can_change_unseen(name, rng, is_full):
    one = made(small("sonic"), name)
    rendered, facts = SONIC.render(one), wanted(one, SONIC.unsaid)
    tables = database(rendered)
    tried, unseen = 0, []
    every = list(mutants(tables))
    assert len(every) > 500
    for what, mutant in every if is_full else one_of_each(every, lambda one: one[0], rng):
        tried += 1
        if SONIC.readback(with_database(rendered, mutant)) == facts:
            unseen.append(what)
    assert tried > (500 if is_full else 150)
    assert not sorted(what for what in set(unseen) if not NO_FACT.match(what))


@pytest.mark.parametrize(
    ("table", "key", "field", "value", "sentence"),
    [
        ("BUFFER_PG", "Ethernet0|3", "profile", "ingress_lossy_profile", "is paused and drops"),
        ("DSCP_TO_TC_MAP", "ROCE", "26", "0", None),
        ("PORT_QOS_MAP", "Ethernet0", "dscp_to_tc_map", "NONE", "is not there"),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "4", "stops no queue"),
        ("MAP_PFC_PRIORITY_TO_QUEUE", "ROCE", "3", "0", "not paused together"),
        ("TC_TO_QUEUE_MAP", "ROCE", "5", "3", "leads among the lossless"),
        ("DEVICE_METADATA", "localhost", "frr_mgmt_framework_config", "false", "BFD"),
        ("DEVICE_METADATA", "localhost", "docker_routing_config_mode", "unified", "not used"),
        ("FLEX_COUNTER_TABLE", "PFCWD", "FLEX_COUNTER_STATUS", "disable", "does not run"),
        ("PORT", "Ethernet0", "admin_status", "down", "is down"),
    ],
)
def test_a_broken_chain_is_a_hazard(table, key, field, value, sentence):
    """YANG takes all of these."""
    one = made(small("sonic"), "leaf-p1-r0")
    rendered = SONIC.render(one)
    tables = copy.deepcopy(database(rendered))
    tables[table][key][field] = value
    facts = SONIC.readback(with_database(rendered, tables))
    assert facts != wanted(one, SONIC.unsaid)
    if sentence:
        assert any(sentence in hazard for hazard in facts.hazards)


# -- raw stanzas ------------------------------------------------------------------------------


def _with_raw(section: str, *lines: str) -> Any:
    one = made(small("sonic"), "leaf-p1-r0")
    raw = (RawStanza(section, lines, "a test"),)
    return replace(one, switch=replace(one.switch, raw=raw))


def test_raw_rows_are_merged_and_read_back():
    rendered = SONIC.render(_with_raw("other", '{"DNS_NAMESERVER": {"192.0.2.1": {}}}'))
    assert database(rendered)["DNS_NAMESERVER"] == {"192.0.2.1": {}}
    line = unread("config_db: DNS_NAMESERVER|192.0.2.1")
    found = SONIC.readback(rendered).unread
    assert [(one.digest, one.by_form) for one in found] == [(line.digest, True)]


@pytest.mark.parametrize(
    "lines",
    ['{"PORT": {"Ethernet0": {"mtu": "1500"}}}', "hello", "[1]", '{"PORT": {"Ethernet0": 1}}'],
)
def test_raw_rows_that_cannot_be_are_refused(lines):
    with pytest.raises(DialectError, match="leaf-p1-r0"):
        SONIC.render(_with_raw("ports", lines))


# -- odd values -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ['a "quoted" \\ word', "Zürich → Genève", "${x} `y` {{ z }}", "x" * 255]
)
def test_odd_descriptions_come_back(text):
    one = made(small("sonic"), "business-leaf-b1-1")
    ports = tuple(replace(port, description=text) for port in one.switch.ports)
    odd = replace(one, switch=replace(one.switch, ports=ports))
    assert SONIC.readback(SONIC.render(odd)) == wanted(odd, SONIC.unsaid)


@pytest.mark.parametrize("text", ["", "x" * 256, "two\nlines", "bell\a"])
def test_descriptions_that_cannot_be_are_refused(text):
    one = made(small("sonic"), "business-leaf-b1-1")
    ports = tuple(replace(port, description=text) for port in one.switch.ports)
    with pytest.raises(DialectError, match="business-leaf-b1-1"):
        SONIC.render(replace(one, switch=replace(one.switch, ports=ports)))


def test_ecn_without_pfc_has_its_classes_and_no_pause():
    one = made(small("sonic"), "leaf-p1-r0")
    classes = tuple(replace(each, lossless=False) for each in one.lossless.classes)
    lossy = replace(one.lossless, mode="ecn", classes=classes, watchdog=None, headroom=None)
    rendered = SONIC.render(replace(one, lossless=lossy))
    assert SONIC.readback(rendered) == wanted(replace(one, lossless=lossy), SONIC.unsaid)
    tables = database(rendered)
    assert "wred_profile" in tables["QUEUE"]["Ethernet0|3"]
    assert not {"BUFFER_PG", "PFC_WD", "MAP_PFC_PRIORITY_TO_QUEUE"} & set(tables)


def test_adaptive_routing_is_refused():
    one = made(small("sonic"), "leaf-p1-r0")
    with pytest.raises(DialectError, match="leaf-p1-r0: adaptive routing"):
        SONIC.render(replace(one, switch=replace(one.switch, adaptive_routing=True)))


def test_oob_switches_are_refused():
    plan = small("sonic")
    oob = intent(plan, plan.oob_switches[0].name)
    with pytest.raises(DialectError, match="port isolation"):
        SONIC.render(oob)
