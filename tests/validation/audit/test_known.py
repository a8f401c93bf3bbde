"""What is not judged is said, and never called good."""

from __future__ import annotations

from dataclasses import replace

from switch_configs import dialects
from tests.tree import ROOT
from tests.validation.audit.spoilt import LEAF, STORAGE, boxes, texts
from validation.audit.audit import audit, problems
from validation.audit.known import SERVERS, known, not_judged, table
from validation.audit.network import network
from validation.audit.rules import rules

PAGE = ROOT / "validation/audit/RULES.md"


def test_the_page_is_the_table(update_golden):
    """Other families of rules bring their rows: `pytest --update-golden` writes it again."""
    what = {one.id: (one.severity, (one.__doc__ or "").splitlines()[0]) for one in rules()}
    head = ("rule", "severity", *dialects(), SERVERS, "what must hold")
    rows = [(name, what[name][0], *cells, what[name][1]) for name, cells in table()]
    lines = [f"| {' | '.join(one)} |" for one in (head, ("---",) * len(head), *rows)]
    text = "\n".join(["# Rules of the audit, and how each is known of each system", "", *lines, ""])
    if update_golden:
        PAGE.write_text(text)
    assert PAGE.read_text() == text


def rule(name: str):
    return next(one for one in rules() if one.id == name)


def test_every_rule_has_an_answer_for_every_system():
    rows = dict(table())
    assert set(rows) == {one.id for one in rules()}
    assert all(len(row) == len(dialects()) + 1 for row in rows.values())
    assert {how for row in rows.values() for how in row} == {
        "configuration",
        "run time",
        "unknowable",
        "-",
    }


def test_a_rule_is_of_switches_of_servers_or_of_both():
    ways = {name: (row[dialects().index("eos")], row[-1]) for name, row in table()}
    assert ways["mtu-ends"] == ("configuration", "-")
    assert ways["marks-ce"] == ("-", "configuration")
    assert ways["nic-pfc"] == ("configuration", "configuration")
    assert ways["nic-cable"] == ("unknowable", "configuration")
    assert ways["nic-fec"] == ("configuration", "run time")
    assert all(set(row) != {"-"} for _, row in table())


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
