"""What is not judged is said, and never called good."""

from __future__ import annotations

from dataclasses import replace

from switch_configs import dialects
from tests.validation.audit.spoilt import LEAF, STORAGE, boxes, texts
from validation.audit.audit import audit, problems
from validation.audit.known import known, not_judged, table
from validation.audit.network import network
from validation.audit.rules import rules


def rule(name: str):
    return next(one for one in rules() if one.id == name)


def test_every_rule_has_an_answer_for_every_system():
    rows = dict(table())
    assert set(rows) == {one.id for one in rules()}
    assert all(len(row) == len(dialects()) for row in rows.values())
    assert {how for row in rows.values() for how in row} == {
        "configuration",
        "run time",
        "unknowable",
    }


def test_what_a_system_never_says_is_known_while_it_runs_or_not_at_all():
    assert known(rule("mtu-ends"), "eos").how == "configuration"
    assert known(rule("watchdog-times"), "cumulus").how == "run time"
    assert "pfc-watchdog" in known(rule("watchdog-times"), "cumulus").why
    assert known(rule("hash-seed"), "eos").how == "unknowable"
    assert known(rule("pfc-ends"), "linux_frr").how == "unknowable"


def test_a_rule_says_nothing_of_a_system_that_never_says_its_facts():
    """A cable of no length is no fault where no configuration has its length."""
    assert not [one for one in problems(network(boxes().values())) if one.rule == "cable-length"]
    found = [one for one in not_judged(boxes().values()) if one.rule == "cable-length"]
    assert {one.system for one in found} == {"eos", "nxos"}
    assert any(STORAGE in one.boxes for one in found)


def test_a_fact_that_one_box_leaves_open_is_not_said():
    bare = [replace(port, ip_mtu_bytes=None) for port in boxes()[LEAF].facts.ports]
    box = replace(boxes()[LEAF], facts=replace(boxes()[LEAF].facts, ports=tuple(bare)))
    found = [one for one in not_judged([box]) if one.rule == "mtu-ends"]
    assert [(one.how, one.boxes) for one in found] == [("not said", (LEAF,))]


def test_ends_that_no_text_has_are_counted():
    whole = texts("pod-256")
    found = audit({LEAF: whole[LEAF]})
    assert found.problems == ()
    assert len(found.unseen_ends[LEAF]) > 16
    assert set(found.unseen_sessions[LEAF]) == {f"swp{n}" for n in range(17, 33)}
    assert found.not_judged
    assert LEAF not in audit({name: whole[name] for name in whole}).unseen_sessions
