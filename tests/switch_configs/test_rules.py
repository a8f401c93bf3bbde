"""The table of rules and dialects is complete, honest, and the one in the README."""

from __future__ import annotations

from dataclasses import fields

import pytest

from inventory.problems import InventoryError
from inventory.switches.abilities import FEATURES, RULES, _read, abilities, how
from switch_configs import dialect, dialects
from switch_configs.readback.wanted import PARTS
from switch_configs.rules import ROUTING, SHOWN_BY, table
from tests.tree import ROOT

PAGE = ROOT / "switch_configs/RULES.md"


def test_the_page_is_the_table(update_golden):
    head = ("rule", *dialects())
    rows = [head, tuple("---" for _ in head), *((one.rule, *one.cells) for one in table())]
    lines = ["# What each switch system can do", "", *(f"| {' | '.join(one)} |" for one in rows)]
    text = "\n".join([*lines, ""])
    if update_golden:
        PAGE.write_text(text)
    assert PAGE.read_text() == text


def test_every_rule_is_there_once():
    assert [row.rule for row in table()] == [*RULES, *ROUTING, *FEATURES, "push"]
    assert set(SHOWN_BY) == set(RULES)
    assert set(abilities()) == set(dialects())


@pytest.mark.parametrize("name", dialects())
def test_what_is_not_set_is_not_said_to_be_read_back(name):
    """What a system finds by itself is in no configuration of ours: its fact must be unsaid."""
    unsaid = dialect(name).unsaid
    for rule in RULES:
        setting = how(rule, name)
        assert setting is not None
        fact = SHOWN_BY[rule]
        if setting.how != "set":
            assert fact in unsaid or fact.split(".")[0] in unsaid, (rule, fact)


def names(kind: type) -> list[str]:
    return [one.name for one in fields(kind)]


def test_facts_are_facts():
    known = {f"{part}{name}" for kind, part in PARTS.items() for name in names(kind)}
    assert {*SHOWN_BY.values(), *ROUTING.values()} <= known


def test_the_inventory_knows_the_sections_of_every_dialect():
    said = {name: one.raw_sections for name, one in abilities().items()}
    assert {name: dialect(name).sections for name in dialects()} == said


@pytest.mark.parametrize("said", ["private_vlans: 'true'", "pushed: 1", "raw_sections: text"])
def test_what_is_said_of_a_system_is_taken_as_it_is(tmp_path, said):
    """A quoted `true` is a word, and no promise."""
    path = tmp_path / "abilities.yml"
    path.write_text(said)
    with pytest.raises(InventoryError):
        _read(path)
