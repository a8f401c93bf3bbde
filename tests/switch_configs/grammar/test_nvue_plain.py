"""The quick reader of startup.yaml says what the whole YAML reader says, or nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from switch_configs.cumulus.grammar import plain as nvue_plain
from switch_configs.cumulus.grammar import yaml_file as nvue_yaml

GOLDEN = Path(__file__).parents[2] / "golden" / "small" / "cumulus"
TEXTS = {one.relative_to(GOLDEN).parts[0]: one.read_text() for one in GOLDEN.rglob("startup.yaml")}
TOP = "- header:\n    version: 5.14\n- set:\n"
ODD = (
    "    a: b",
    "    a:",
    "    a: {}\n    a: {}",
    "    a: b\n      c: d",
    "    a:\n    b: c",
    "    a:\n      b: c\n     d: e",
    "   a: b",
    "      a: b\n    c: d",
    "    a: b #c",
    "    a: b # c",
    "    a: b: c",
    "    a: 'b''c'",
    "    a: 'b'c'",
    "    a: ''",
    "    '': a",
    "    'a''b': c",
    "    a:: b",
    "    ::1: b",
    "    fd00::1: {}",
    "    a: ~",
    "    a: null",
    "    null: a",
    "    a: *b",
    "    a: &b c",
    "    a: !b c",
    "    a: |\n      b",
    "    a: [b, c]",
    "    system:\n      aaa:\n        authentication:\n          order: [tacacs, local]",
    "    system:\n      aaa:\n        authentication:\n          order: [null, local]",
    "    a: {b: c}",
    '    a: "b"',
    "    - a: b",
    "    a: b \n    c: d",
    "    a: b:",
    "    ? a\n    : b",
    "    a:\tb",
    "    a: on\n    b: 0x10\n    c: 1e3\n    d: 01:02",
    "    a: b  c",
    "    a: b, c",
    "    a: \u00e4",
    "    a: b\n\n    c: d",
    "    a: b\n# c\n    c: d",
    "    a: b\n- set:\n    c: d",
    "    a: b\n---\nc: d",
    "    a: 2020-01-01",
    "    a: b\n...",
)


def same(text: str) -> bool:
    """Whether the quick reader took the text; where it does, both say the same."""
    plain = nvue_plain.commands_of(text)
    if plain is None:
        return False
    whole = nvue_yaml.whole(text)
    assert not whole.problems, (text, whole.problems)
    assert (whole.commands, whole.version) == plain, text
    return True


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_what_is_rendered_is_read_quickly(name):
    assert same(TEXTS[name]) or not TEXTS[name].isascii()


def test_a_list_is_read_quickly():
    body = "    system:\n      aaa:\n        authentication:\n          order: [tacacs, local]"
    assert same(f"{TOP}{body}\n")


@pytest.mark.parametrize("body", ODD)
def test_odd_lines_are_read_alike_or_left(body):
    same(f"{TOP}{body}\n")
    same(f"{TOP}    x:\n      y: z\n{body}\n    z: {{}}\n")


def test_texts_with_a_character_changed_are_read_alike_or_left():
    chance = random.Random(1)
    text = "\n".join(TEXTS["oob-p2-net1"].splitlines()[:80]) + "\n"
    taken = 0
    for _ in range(400):
        at = chance.randrange(len(text))
        taken += same(text[:at] + chance.choice(" \n:'#-{}[]*&!|,ab1~\"") + text[at + 1 :])
    assert taken > 40


@pytest.mark.parametrize(
    "top",
    [
        "- set:\n",
        "- header:\n- set:\n",
        "- header:\n    version: 5.14\n    version: 5.15\n- set:\n",
        "# a\n- header:\n    rev-id: 1.0\n- set:\n",
        "#a\n- header:\n    rev-id: 1.0\n- set:\n",
        "- header:\n    other: 1\n- set:\n",
        "- header:\n    version: Cumulus Linux 5.14\n- set:\n",
    ],
)
def test_tops_are_read_alike_or_left(top):
    same(f"{top}    a: b\n")
