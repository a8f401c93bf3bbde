"""Two readers of YAML, one tree: what libyaml takes, ruamel.yaml takes alike, to the column."""

from __future__ import annotations

import pytest
import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from inventory.load import yaml_nodes
from inventory.load.site import SITES
from tests.plugins.tiers import examples

OURS = sorted(str(path.relative_to(SITES.parent)) for path in SITES.parent.rglob("*.yml"))
FORMS = """a: 1
b: [x, y: 2, {c: d}]
c:
- 'it''s'
- b: "1"
  c: 08
- 2020-01-01
f: >-
  one
  two

g: plain
  more
# c
h: {a: no, b: [1e3, 1:30], c: 0x1f}
"""
PIECES = [*":,[]{}#-? \n'\"<=~.0x%&*!|>\\", "  ", "\n\n", ": ", "- ", " #", "? ", "{}", "[]"]
PIECES += [">-\n", "\n  ", "''", '""', "\u00e9", ": >-\n  ", "\n- ", "::", ":a", "<<: ", "---\n"]


def plain(node: Node | None) -> object:
    """A tree with places; an empty value has none that both agree on, and none is used."""
    if node is None:
        return None
    place = (node.start_mark.line, node.start_mark.column)
    if isinstance(node, ScalarNode):
        return str(node.tag), node.value, place if node.value else None
    if isinstance(node, SequenceNode):
        return str(node.tag), place, [plain(one) for one in node.value]
    assert isinstance(node, MappingNode)
    return str(node.tag), place, [(plain(key), plain(value)) for key, value in node.value]


def slow(text: str) -> object:
    return plain(YAML(typ="safe", pure=True).compose(text))


@pytest.mark.parametrize("file", OURS)
def test_files_that_sites_are_read_from_take_the_quick_way(file):
    text = (SITES.parent / file).read_text()
    if file == "versions/compat.yml":  # has escapes, and is read once a process
        assert yaml_nodes.ODD.search(text)
        return
    assert not yaml_nodes.ODD.search(yaml_nodes.COMMENT.sub("", text))
    assert plain(yaml_nodes.quick(text)) == slow(text)


def test_what_is_taken_is_taken_alike(rng):
    for _ in range(examples(200)):
        text = FORMS
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(text) + 1)
            cut = rng.choice((0, 0, rng.randint(1, 3)))
            text = text[:at] + rng.choice(PIECES) + text[at + cut :]
        try:
            taken = yaml_nodes.compose(text)
        except (YAMLError, ValueError):
            taken = None
        try:
            other = slow(text)
        except (YAMLError, ValueError):
            other = None
        assert plain(taken) == other, text


@pytest.mark.parametrize("text", ["&a b", "*a", "[!!str a]", "a: 1\n---\nb: 2\n", "[" * 9999])
def test_what_is_odd_or_deep_is_left(text):
    with pytest.raises((yaml_nodes.Odd, yaml.YAMLError)):
        yaml_nodes.quick(text)
