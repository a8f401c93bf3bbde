"""The fast reader of plain YAML says what PyYAML says, or leaves it to PyYAML."""

from __future__ import annotations

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from switch_configs import render
from switch_configs.cumulus.readback.blocks import simple
from tests.plugins.tiers import examples
from tests.switch_configs.sites import small

TEXT = render(small("cumulus"), "storage-leaf-b1-1").files[-1].text
LINES = TEXT.splitlines()


def whole(text: str) -> object:
    try:
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 # texts only
    except yaml.YAMLError:
        return None


def test_ours_is_read_fast_and_alike():
    assert simple(TEXT, []) == whole(TEXT)


@settings(max_examples=examples(60, full=300), deadline=None)
@given(
    at=st.integers(6, len(LINES) - 40),
    size=st.integers(1, 30),
    turn=st.sampled_from(["", " ", "  ", "    ", "- ", "#", "x", "'", ": ", "{}", "-", "|", "&a "]),
    where=st.integers(0, 29),
    cut=st.integers(0, 6),
)
def test_whatever_it_reads_it_reads_as_yaml(at, size, turn, where, cut):
    piece = LINES[at : at + size]
    line = piece[where % size]
    piece[where % size] = turn + line[cut:]
    text = "\n".join(["- set:", "    interface:", *piece, ""])
    found = simple(text, [])
    assert found is None or found == whole(text)
