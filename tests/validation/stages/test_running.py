"""Stages 25 and 40 of switches that run something else than the plan: what is named, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from switch_configs import dialect, render
from switch_configs.intent import Rendered
from tests.switch_configs.sites import small, small_with
from tests.validation import running_says as says
from tests.validation.evidence.test_fail_closed import DAMAGE, lay
from tests.validation.evidence.test_fail_closed import judged as judged_of
from tests.validation.running_says import DIALECTS, LEAF, SPINE, SWITCHES
from validation.expect import expectations
from validation.run import validate
from validation.stages.s25_switch_state import running
from validation.verdict import Finding, Verdict

pytestmark = pytest.mark.instances(
    keep=9, of="what a switch runs, judged", but="damaged|nothing|snmp|understood"
)

CHECKS = ("running", "lossless")
Site = dict[str, Any]


def judged(plan: Plan, runs: Mapping[str, Rendered]) -> dict[str, list[Finding]]:
    """What does not pass of the two checks, by check."""
    found = validate(plan, 40, says.store(plan, dict(runs)), None, SWITCHES)
    bad = [one for one in found.findings if one.verdict is not Verdict.PASS]
    return {name: [one for one in bad if one.check == name] for name in CHECKS}


def planned(plan: Plan) -> dict[str, Rendered]:
    return {name: render(plan, name) for name in sorted(SWITCHES)}


def edited(made: Rendered, old: str, new: str, count: int = 1) -> Rendered:
    """The same with a text changed; it must be there."""
    assert any(old in one.text for one in made.files), old
    files = tuple(replace(one, text=one.text.replace(old, new, count)) for one in made.files)
    return replace(made, files=files)


@pytest.mark.parametrize("system", DIALECTS)
def test_each_full_lossless_switch_is_asked_both(system):
    plan = small(system)
    asked = {one.id for one in expectations(plan, SWITCHES)}
    assert {f"{check}:{name}" for check in CHECKS for name in SWITCHES} <= asked


@pytest.mark.parametrize("system", DIALECTS)
def test_what_is_rendered_passes_everywhere(system):
    plan = small(system)
    assert judged(plan, planned(plan)) == {"running": [], "lossless": []}
    for name in sorted(plan.switch):
        text = says.says(render(plan, name))
        found = running.facts(plan, name, text)
        assert running.classes_otherwise(plan, name, found) == running.Otherwise((), (), ())
        assert running.rest_otherwise(plan, name, found) == ()


def lossless(**values: Any) -> Callable[[Site], None]:
    def change(site: Site) -> None:
        site["lossless"] |= values

    return change


# Other plans, and a word of what a switch that still runs them says.
OTHER_PLANS: dict[str, tuple[Callable[[Site], None], str]] = {
    "dscp": (lossless(dscp=28), "DSCP 26: PFC priority none, planned 3"),
    "priority": (lossless(priority=4), "PFC of 4, planned 3"),
    "cnp": (lossless(cnp={"dscp": 46, "priority": 6}), "DSCP 48: strict priority no"),
}
# One port that somebody changed by hand, in each system's own words.
ONE_PORT = {
    "cumulus": ("          pfc:\n            profile: roce-400g-30m\n", ""),
    "eos": ("   service-profile lossless-1599488-6400000-5\n", ""),
    "nxos": ("  priority-flow-control mode on\n", ""),
    "sonic": ('            "pfc_enable": "3",\n', ""),
}
# The least of what is marked, as each system writes it.
LEAST_MARKED = re.compile(r"((?:green_)?min(?:imum)?[-_]threshold[\": ]+)(\d+)")


@cache
def other(system: str, name: str) -> Plan:
    return small_with(system, OTHER_PLANS[name][0])


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("name", OTHER_PLANS)
@pytest.mark.parametrize("system", DIALECTS)
def test_classes_of_another_plan_are_named_with_both_values(system, name):
    plan = small(system)
    found = judged(plan, planned(plan) | {LEAF: render(other(system, name), LEAF)})
    (one,) = found["lossless"]
    assert (one.verdict, one.suspect) == (Verdict.FAIL, f"device {LEAF}")
    assert OTHER_PLANS[name][1] in one.found
    assert found["running"] == []


@pytest.mark.parametrize("system", DIALECTS)
def test_pfc_off_on_one_port_is_that_port(system):
    plan = small(system)
    runs = planned(plan)
    found = judged(plan, runs | {LEAF: edited(runs[LEAF], *ONE_PORT[system])})
    (one,) = found["lossless"]
    assert one.verdict is Verdict.FAIL
    assert one.suspect.startswith(f"port {LEAF}:")
    assert re.search("PFC of none, planned 3|does nothing by DSCP", one.found)
    assert found["running"] == []


@pytest.mark.parametrize("system", DIALECTS)
def test_another_threshold_of_ecn_is_the_switch_with_both_values(system):
    plan = small(system)
    runs = planned(plan)
    files = tuple(
        replace(one, text=LEAST_MARKED.sub(r"\g<1>7\2", one.text)) for one in runs[LEAF].files
    )
    assert files != runs[LEAF].files
    found = judged(plan, runs | {LEAF: replace(runs[LEAF], files=files)})
    (one,) = found["lossless"]
    assert (one.verdict, one.suspect) == (Verdict.FAIL, f"device {LEAF}")
    assert "DSCP 26: ECN " in one.found


@pytest.mark.parametrize("system", DIALECTS)
def test_what_is_no_class_is_stage_25s(system):
    plan = small(system)
    runs = planned(plan)
    found = judged(plan, runs | {LEAF: edited(runs[LEAF], "to node-p1-1:rail0", "spare")})
    (one,) = found["running"]
    assert (one.verdict, one.suspect) == (Verdict.FAIL, f"device {LEAF}")
    assert found["lossless"] == []


# A port that nobody planned, with no word of classes below it, and with PFC.
UP = "interface Ethernet1/60\n  no shutdown\n"


@pytest.mark.parametrize("below", ["", "  description spare\n"])
def test_a_port_that_nobody_planned_is_stage_25s(below):
    plan = small("nxos")
    runs = planned(plan)
    found = judged(plan, runs | {LEAF: edited(runs[LEAF], "line vty", UP + below + "line vty")})
    (one,) = found["running"]
    assert one.verdict is Verdict.FAIL
    assert "Ethernet1/60" in one.found
    assert found["lossless"] == []


PAUSES = "  priority-flow-control mode on\n"


@pytest.mark.parametrize(
    ("below", "why"),
    [
        (PAUSES, "pauses and trusts no DSCP"),
        (
            f"{PAUSES}  service-policy type qos input classify-dscp\n",
            "has classes that nobody planned",
        ),
    ],
)
def test_a_port_that_nobody_planned_and_that_pauses_is_of_the_class(below, why):
    plan = small("nxos")
    runs = planned(plan)
    pauses = f"{UP}{below}line vty"
    found = judged(plan, runs | {LEAF: edited(runs[LEAF], "line vty", pauses)})
    (one,) = found["lossless"]
    assert (one.verdict, one.suspect) == (Verdict.FAIL, f"port {LEAF}:Ethernet1/60")
    assert why in one.found


# What NX-OS shows of itself, in forms of public configurations.
OWN = """username admin password 5 <removed>
ip domain-lookup
snmp-server user admin network-admin auth md5 <removed> priv aes-128 <removed> localizedV2key
"""
EVIL = "snmp-server user evil network-admin auth md5 37 priv aes-128 44 localizedV2key\n"


@pytest.mark.parametrize("sent", [OWN, "feature scp-server\n", "interface Vlan1\n"])
def test_what_nxos_says_of_itself_is_no_finding(sent):
    plan = small("nxos")
    runs = planned(plan)
    shown = edited(runs[LEAF], "line vty", f"{sent}line vty")
    shown = edited(shown, "priv>>\n", "priv>> localizedV2key\n")
    assert judged(plan, runs | {LEAF: shown}) == {"running": [], "lossless": []}


@pytest.mark.parametrize("own", ["", OWN, "username evil password 5 !\n"])
def test_an_snmp_user_that_nobody_planned_is_found_without_its_keys(own):
    plan = small("nxos")
    runs = planned(plan)
    shown = edited(runs[LEAF], "line vty", f"{own}{EVIL}line vty")
    (one,) = judged(plan, runs | {LEAF: shown})["running"]
    assert one.verdict is not Verdict.PASS
    assert "evil" in one.found
    assert not re.search(r"\b(37|44)\b", one.found)


# A line in each system's words that nobody here can read, and that sounds of classes.
STRANGE = {
    "eos": ("!\nsnmp-server", "!\nqos frobnicate 3\n!\nsnmp-server"),
    "nxos": ("priority-flow-control watch-dog interval 100", "qos frobnicate 3\n\\g<0>"),
    "sonic": ('"PORT_QOS_MAP": {', '"QUEUE_FROBNICATE": {"3": {"a": "b"}},\n    \\g<0>'),
    "cumulus": ("          pfc-watchdog:\n", "          pfc-frobnicate: 3\n\\g<0>"),
}


@pytest.mark.parametrize("system", DIALECTS)
def test_a_line_that_may_change_classes_and_is_not_understood_proves_nothing(system):
    plan = small(system)
    runs = planned(plan)
    old, new = STRANGE[system]
    files = tuple(
        replace(one, text=re.sub(re.escape(old), new, one.text, count=1))
        for one in runs[LEAF].files
    )
    assert files != runs[LEAF].files
    found = judged(plan, runs | {LEAF: replace(runs[LEAF], files=files)})
    (one,) = found["lossless"]
    assert one.verdict is Verdict.INCONCLUSIVE
    # What it is about is told; what it says could be a secret.
    assert "QoS: " in one.found
    assert "frobnicate" not in one.found.lower()


@pytest.mark.parametrize("system", ["eos", "nxos"])
def test_the_same_line_is_well_where_the_site_added_it(system):
    def add(site: Site) -> None:
        line = {"section": "qos", "lines": ["qos frobnicate 3"], "reason": "a trial"}
        site["raw"] = [{"devices": ["leaf-p1-*"], **line}]

    plan = small_with(system, add)
    runs = planned(plan)
    assert any("frobnicate" in one.text for one in runs[LEAF].files)
    assert judged(plan, runs) == {"running": [], "lossless": []}


@pytest.mark.parametrize("system", DIALECTS)
@pytest.mark.parametrize("damage", ["empty", "cut", "doubled", "refused"])
def test_an_answer_that_is_not_whole_is_unreadable(system, damage):
    plan = small(system)
    text = says.says(render(plan, LEAF))
    whole = {
        "empty": "",
        "cut": text[: len(text) // 2],
        "doubled": text + text,
        "refused": "% Invalid input\n",
    }
    with pytest.raises(Unreadable):
        running.facts(plan, LEAF, whole[damage])


@pytest.mark.instances(keep=1, by="system")
@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("system", DIALECTS)
def test_a_damaged_frame_never_passes(system, how, tmp_path):
    case = says.healthy(system, 40)
    key = (LEAF, dialect(system).state_command())
    found = judged_of(case, lay(tmp_path, case, key, how)).findings
    (one,) = [one for one in found if one.expectation == f"lossless:{LEAF}"]
    assert one.verdict is not Verdict.PASS
    (other_one,) = [one for one in found if one.expectation == f"lossless:{SPINE}"]
    assert other_one.verdict is Verdict.PASS or how == "of another node"


def test_a_banner_says_nothing_of_classes():
    plan = small("eos")
    runs = planned(plan)
    text = "!\nbanner login\nHello qos\nEOF\n!\nhostname"
    found = judged(plan, runs | {LEAF: edited(runs[LEAF], "!\nhostname", text)})
    assert found["lossless"] == []
    (one,) = found["running"]
    assert one.found == "1 of banners that nobody planned"


# A port of Cumulus that nobody planned, and the same once somebody uses it.
STRAY = "      swp60:\n        type: swp\n"
USED = f"{STRAY}        ip:\n          address:\n            192.0.2.1/31: {{}}\n"


def test_a_port_that_nobody_planned_nor_uses_is_no_matter_of_classes():
    plan = small("cumulus")
    runs = planned(plan)
    text = edited(runs[LEAF], "    interface:\n", f"    interface:\n{STRAY}")
    found = judged(plan, runs | {LEAF: text})
    assert found["lossless"] == []
    (one,) = found["running"]
    assert "swp60" in one.found


def test_a_port_that_nobody_planned_and_somebody_uses_is_the_suspect():
    plan = small("cumulus")
    runs = planned(plan)
    text = edited(runs[LEAF], "    interface:\n", f"    interface:\n{USED}")
    (one,) = judged(plan, runs | {LEAF: text})["lossless"]
    assert (one.verdict, one.suspect) == (Verdict.FAIL, f"port {LEAF}:swp60")
    assert "swp1" not in one.found
