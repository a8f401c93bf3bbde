"""A raw stanza put into a site's file: comments and form stay, and no other value moves."""

from __future__ import annotations

import pytest

from inventory.load.raw_added import Stanza, with_raw
from inventory.load.yaml_positions import parse
from inventory.problems import ExpectedError

STANZA: Stanza = {
    "devices": ["leaf-p1-1", "spine1"],
    "section": "bgp",
    "lines": ["router bgp 65001", "   neighbor x 'y\" # z", "yes: [{", "\\n: é"],
    "reason": 'on: #1 says "so"',
}
HELD = "raw:\n%s- devices: [a]  # mine\n%s  section: x\n%s  lines: [b]\n%s  reason: c # why\n"
TEXTS = (
    "a: 1\n",
    "a: 1",
    "# head\na: 1 # c\n\n# end\n",
    "---\na:\n  b:\n",
    "a: 1\n...\n",
    "b:\n  - c:  # hi\n      d: |\n        text\n        more\n\n# tail\n",
    "a: {b: [1, 2]}\n",
    "raw:\nb: 1\n",
    "raw: # none yet\n",
    HELD % (("",) * 4) + "# after\nb: 2\n",
    HELD % (("    ",) * 4) + "\nb: 2\n",
    HELD % (("  ",) * 4),
    "raw:\n  - devices: [a]\n    section: x\n    lines:\n      - |-\n        b\n\nz: 1\n",
    "a: 1\r\nb: 2\r\n",
)


@pytest.mark.parametrize("text", TEXTS)
def test_all_stays_and_the_stanza_comes_last(text):
    made, added = with_raw(text, STANZA)
    before, after = parse(text, "").value, parse(made, "").value
    assert isinstance(before, dict)
    assert after == {**before, "raw": [*(before.get("raw") or ()), STANZA]}
    at = made.index(added)
    assert (made[:at] + made[at + len(added) :]).rstrip("\n") == text.rstrip("\n")
    again, _ = with_raw(made, STANZA)
    assert parse(again, "").value == {**after, "raw": [*after["raw"], STANZA]}


@pytest.mark.parametrize(
    "text", ["raw: []\n", "raw: [{devices: [a]}]\n", "{a: 1}\n", "", "- a\n", "a: [\n", "raw: x\n"]
)
def test_what_nobody_can_put_it_into_is_refused(text):
    with pytest.raises(ExpectedError, match="nobody can put a raw stanza into"):
        with_raw(text, STANZA)


def test_a_template_is_refused():
    with pytest.raises(ExpectedError, match="a template"):
        with_raw("a: 1\n", {**STANZA, "lines": ["x {{ y }}"]})
