"""Which changes of rows need no reload, in which order they come, what ASIC_DB shows of them."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from deploy.lab.models.sonic.orchagent import Orchagent, started
from deploy.lab.models.sonic.tables import hashes
from switch_configs.changes import changes, worst
from switch_configs.intent import Rendered
from switch_configs.sonic.changes import rows
from switch_configs.sonic.device import asic_took
from switch_configs.sonic.files import CONFIG_DB, owned_file
from switch_configs.sonic.followed import IN_ASIC, impact_at
from tests.switch_configs.sonic.plans import SONIC

Tables = dict[str, dict[str, dict[str, Any]]]
DSCPS = {str(at): "3" if at == 26 else "0" for at in range(64)}
WRED = {"ecn": "ecn_all", "green_min_threshold": "100", "green_max_threshold": "400"}
TABLES: Tables = {
    "DSCP_TO_TC_MAP": {"ROCE": DSCPS},
    "WRED_PROFILE": {"ECN": WRED, "OTHER": {**WRED, "green_max_threshold": "500"}},
    "SCHEDULER": {"bulk": {"type": "DWRR", "weight": "50"}, "cnp": {"type": "STRICT"}},
    "BUFFER_PROFILE": {"lossy": {"pool": "egress", "size": "0", "dynamic_th": "3"}},
    "QUEUE": {"Ethernet0|3": {"scheduler": "bulk", "wred_profile": "ECN"}},
    "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "ROCE", "pfc_enable": "3"}},
    "PFC_WD": {
        "Ethernet0": {"action": "drop", "detection_time": "200"},
        "GLOBAL": {"POLL_INTERVAL": "100"},
    },
    "PORT": {"Ethernet0": {"description": "to a node", "fec": "rs"}},
    "TACPLUS": {"global": {"auth_type": "login", "timeout": "5"}},
    "NTP_SERVER": {"192.0.2.1": {}},
}


def otherwise(table: str, key: str, **fields: str | None) -> Tables:
    """These tables with other fields of a row; None takes one away."""
    new: Tables = json.loads(json.dumps(TABLES))
    row = new.setdefault(table, {}).setdefault(key, {})
    row |= {name: value for name, value in fields.items() if value is not None}
    for name in [one for one, value in fields.items() if value is None]:
        del row[name]
    return new


def change(new: Tables) -> Any:
    return rows(json.dumps(TABLES), json.dumps(new))


@pytest.mark.parametrize(
    ("table", "key", "fields"),
    [
        ("DSCP_TO_TC_MAP", "ROCE", {"26": None}),
        ("DSCP_TO_TC_MAP", "NEW", {"26": "3"}),
        ("WRED_PROFILE", "ECN", {"ecn": "ecn_none"}),
        ("WRED_PROFILE", "ECN", {"green_drop_probability": "5"}),
        ("SCHEDULER", "bulk", {"type": "STRICT"}),
        ("BUFFER_PROFILE", "lossy", {"size": "9216"}),
        ("QUEUE", "Ethernet0|3", {"wred_profile": "OTHER"}),
        ("PORT_QOS_MAP", "Ethernet0", {"pfc_enable": "3,4"}),
        ("PORT_QOS_MAP", "global", {"dscp_to_tc_map": "ROCE"}),
        ("BUFFER_POOL", "egress", {"size": "1"}),
        ("PFC_WD", "GLOBAL", {"POLL_INTERVAL": None}),
    ],
)
def test_what_no_source_shows_on_a_live_port_is_a_reload(table, key, fields):
    assert change(otherwise(table, key, **fields)) is None


def rendered(tables: Tables) -> Rendered:
    return Rendered("leaf", "sonic", (owned_file(CONFIG_DB, json.dumps(tables)),))


@pytest.mark.parametrize(("table", "key"), [(one, key) for one in TABLES for key in TABLES[one]])
def test_what_a_difference_is_said_to_do_is_what_its_push_does(table, key):
    """A row or a field that comes or goes is another change than a value."""
    row = TABLES[table][key]
    news = [otherwise(table, key, **{field: said}) for field in [*row][:3] for said in ("7", None)]
    news += [otherwise(table, "new", **row), otherwise(table, key)]
    del news[-1][table][key]
    for new in map(rendered, news):
        for old, wanted in ((rendered(TABLES), new), (new, rendered(TABLES))):
            steps = {one.impact for one in SONIC.push_steps(old, wanted, 60)} - {"none"}
            assert steps == {worst(changes(old, wanted, SONIC))}


@pytest.mark.parametrize("table", sorted(IN_ASIC))
def test_values_that_asic_db_tells_are_looked_for_in_it(table):
    key, field, value = {
        "DSCP_TO_TC_MAP": ("ROCE", "26", "0"),
        "TC_TO_QUEUE_MAP": ("ROCE", "3", "0"),
        "WRED_PROFILE": ("ECN", "green_max_threshold", "300"),
        "SCHEDULER": ("bulk", "weight", "51"),
        "BUFFER_PROFILE": ("lossy", "dynamic_th", "2"),
    }[table]
    assert impact_at((table, key, field)) == "runtime"
    assert impact_at((table, key)) == "reload"
    if table in TABLES:
        found = change(otherwise(table, key, **{field: value}))
        assert found is not None
        assert found.in_asic
        assert json.loads(found.forth.written)[table][key][field] == value
        assert (found.forth.anew, found.forth.gone) == ("", "")


def test_a_watchdog_is_written_anew_for_another_action_alone():
    """One that runs keeps its action (sonic-swss, pfcwdorch.cpp)."""
    times = change(otherwise("PFC_WD", "Ethernet0", detection_time="400"))
    action = change(otherwise("PFC_WD", "Ethernet0", action="forward"))
    assert (times.forth.anew, times.in_asic) == ("", False)
    assert action.forth.anew == action.back.anew == "PFC_WD|Ethernet0\n"
    for said, ends in ((times, "drop"), (action, "forward")):
        agent = started(hashes(TABLES))
        names = said.forth.anew.split()
        agent.hears(("DEL", one, {}) for one in names)
        new = hashes(json.loads(said.forth.written))
        agent.hears(("SET", one, row) for one, row in new.items())
        assert agent.watchdogs["Ethernet0"]["action"] == ends
    agent = started(hashes(TABLES))
    agent.hears([("SET", "PFC_WD|Ethernet0", {"action": "forward", "detection_time": "400"})])
    assert agent.watchdogs["Ethernet0"] == {"action": "drop", "detection_time": "400"}


def test_a_field_goes_after_its_row_was_written_and_a_row_after_all():
    said = change(otherwise("TACPLUS", "global", timeout=None))
    assert (said.forth.gone, said.back.gone) == ("timeout TACPLUS|global\n", "")
    gone = json.loads(json.dumps(TABLES))
    gone["NTP_SERVER"] = {"192.0.2.2": {}}
    assert change(gone).forth.gone == "- NTP_SERVER|192.0.2.1\n"


# -- what the model's orchagent does ---------------------------------------------------------------


def test_one_that_is_named_is_not_deleted_and_nobody_may_write_it_anew_until_it_is_free():
    """sonic-swss, tests/mock_tests/qosorch_ut.cpp: ...ReferencingObjRemoveThenAdd."""
    agent, name = started(hashes(TABLES)), "WRED_PROFILE|ECN"
    agent.hears([("DEL", name, {}), ("SET", name, WRED)])
    assert [one[0] for one in agent.waiting] == ["DEL", "SET"]
    assert agent.log == [f"Can't remove object {name} due to being referenced"]
    agent.hears([("SET", "QUEUE|Ethernet0|3", {"scheduler": "bulk"})])
    assert (agent.waiting, agent.leaving) == ([], [])
    assert name in agent.objects


def test_one_that_names_what_is_not_there_waits_for_it():
    agent, new = started(hashes(TABLES)), {"dscp_to_tc_map": "NEW"}
    agent.hears([("SET", "PORT_QOS_MAP|Ethernet0", new)])
    assert agent.bound["PORT_QOS_MAP|Ethernet0"]["dscp_to_tc_map"] == "DSCP_TO_TC_MAP|ROCE"
    agent.hears([("SET", "DSCP_TO_TC_MAP|NEW", DSCPS)])
    assert agent.bound["PORT_QOS_MAP|Ethernet0"]["dscp_to_tc_map"] == "DSCP_TO_TC_MAP|NEW"


def test_thresholds_that_cross_are_dropped():
    agent = started(hashes(TABLES))
    before = dict(agent.does)
    agent.hears([("SET", "WRED_PROFILE|ECN", {**WRED, "green_min_threshold": "401"})])
    assert agent.does == before
    assert agent.log == ["Wrong wred profile: min threshold is greater than max threshold"]


# -- what the switch looks for ---------------------------------------------------------------------


Asic = dict[str, dict[str, str]]


def looked(monkeypatch, was: Asic, agent: Orchagent, runs: Tables, table: str) -> tuple[int, str]:
    """`was`: ASIC_DB before, when TABLES ran."""
    dumped = [
        {name: {"type": "hash", "value": row} for name, row in one.items()}
        for one in (was, agent.asic)
    ]
    documents: list[Any] = [{table: {}}, TABLES, dumped[0], runs, dumped[1]]
    told = "\n".join(json.dumps(one, indent=1) for one in documents)
    monkeypatch.setattr(sys, "stdin", io.StringIO(told))
    monkeypatch.setattr(sys, "stdout", out := io.StringIO())
    return asic_took.main(), out.getvalue()


@pytest.mark.parametrize(
    ("table", "key", "fields"),
    [
        ("DSCP_TO_TC_MAP", "ROCE", {"26": "0"}),
        ("WRED_PROFILE", "ECN", {"green_max_threshold": "500"}),
        ("SCHEDULER", "bulk", {"weight": "51"}),
        ("BUFFER_PROFILE", "lossy", {"dynamic_th": "-2"}),
    ],
)
def test_what_the_asic_did_not_take_is_named(monkeypatch, table, key, fields):
    """Also where it becomes like another row, or like what is no row's: that is not its own."""
    agent, new = started(hashes(TABLES)), otherwise(table, key, **fields)
    row = hashes(new)[f"{table}|{key}"]
    other = started({f"{table}|{key}": row})
    agent.asic |= {f"{name}b": said for name, said in other.asic.items()}
    was = json.loads(json.dumps(agent.asic))
    assert looked(monkeypatch, was, agent, TABLES, table) == (0, "")
    missing = looked(monkeypatch, was, agent, new, table)
    assert missing == (1, f"{table}|{key}")
    agent.hears([("SET", f"{table}|{key}", row)])
    assert looked(monkeypatch, was, agent, new, table) == (0, "")
    assert looked(monkeypatch, was, agent, TABLES, table) == (1, f"{table}|{key}"), "not back yet"
    agent.hears([("SET", f"{table}|{key}", hashes(TABLES)[f"{table}|{key}"])])
    assert looked(monkeypatch, was, agent, TABLES, table) == (0, "")


def test_an_object_that_orchagent_made_anew_is_a_row_s(monkeypatch):
    new = otherwise("SCHEDULER", "bulk", weight="51")
    was, agent = started(hashes(TABLES)).asic, started(hashes(new))
    agent.asic = {f"{name}b": said for name, said in agent.asic.items()}
    assert looked(monkeypatch, was, agent, new, "SCHEDULER") == (0, "")
