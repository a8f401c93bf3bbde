"""The bench of foreign configurations counts unread lines over lines, not rows over lines."""

from __future__ import annotations

import json

from tests.bench.readable import lines_of, read

NOBODY = {"NOBODYS": {"a": {"one": "1", "two": "2", "three": "3"}, "b": {}}}


def test_a_row_that_nobody_read_counts_all_its_lines(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(NOBODY))
    found = read("sonic", path)
    assert found.lines == lines_of("sonic", json.dumps(NOBODY)) == 6
    assert sum(count for _, count in found.topics) == 5, "its table is a heading"


def test_headings_of_yaml_are_no_lines():
    assert (
        lines_of("cumulus", "- set:\n    interface:\n      swp1: {}\n      swp2:\n        mtu: 9\n")
        == 2
    )
