"""Lines known by form: whole lines only, no value kept, and nothing of the lossless path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec

import pytest

from switch_configs import dialects, render
from switch_configs.beside import Forms, form
from switch_configs.cumulus.readback.take import left
from switch_configs.cumulus.readback.take import read as read_nvue
from switch_configs.intent import Rendered
from tests.switch_configs.sites import small
from tests.switch_configs.test_own import CANARY, LEAF

ONE = Forms(
    {
        "EVPN": "evpn vni <number> [rd <rd>|auto]\n<name> segment <mac>",
        "time and logs": "ntp key <number> secret <secret>",
        "MLAG": "mlag priority <number>\nmlag domain <name>",
    }
)
WITH_FORMS = [
    (one, import_module(f"switch_configs.{one}.readback.forms"))
    for one in dialects()
    if find_spec(f"switch_configs.{one}.readback.forms")
]


def nvue_leaves(rendered: Rendered) -> list[str]:
    """Each path with its value, as the readback has it where nobody took it."""
    held = read_nvue(rendered.files[0].text)
    assert held
    return [*left(held[1])]


# How a readback has each line of a system that no reader took.
LINES: dict[str, Callable[[Rendered], list[str]]] = {"cumulus": nvue_leaves}
_LOSSLESS = re.compile(
    r"(?i)qos|pfc|priority.flow|pause|buffer|queue|ecn|wred|random-detect|dscp|traffic.class"
    r"|headroom|mtu|scheduler|roce|lossless|watchdog"
)


@pytest.mark.parametrize(
    "line",
    [
        "evpn vni 10",
        "evpn vni 10 rd 65001:10",
        "evpn vni 10 rd auto",
        "x segment 02:00:00:00:00:01",
    ],
)
def test_a_whole_line_is_known(line):
    found = ONE.read(line)
    assert (found.topic, found.by_form) == ("EVPN", True)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "evpn",
        "evpn vni",
        "evpn vni x",
        "evpn vni 10 more",
        "no evpn vni 10",
        "evpn vni 10 rd x",
    ],
)
def test_a_part_of_a_line_or_another_value_is_not(line):
    assert not ONE.read(line).by_form


def test_nothing_is_kept_of_a_value():
    found = ONE.read(f"ntp key 1 secret {CANARY}")
    assert found.by_form
    assert CANARY not in repr(found)


def test_a_word_that_is_also_of_the_lossless_path_fits_only_where_it_is_spelt():
    assert ONE.read("mlag priority 1").by_form
    for word in ("priority", "pfc", "my-qos", "buffer", "mtu"):
        assert not ONE.read(f"mlag domain {word}").by_form


@pytest.mark.parametrize(
    "text", ["qos map <number>", "interface <name> mtu <number>", "x pfc|y", "[x] y", "x <odd>"]
)
def test_a_form_of_the_lossless_path_cannot_be_built(text):
    with pytest.raises(ValueError, match=re.escape(text.split()[-1])):
        form("x", text)


def mutants(line: str) -> Iterator[str]:
    """A line, parts of it, and the same with another word or number in each place."""
    words = line.split()
    yield line
    for at in range(len(words)):
        yield " ".join(words[:at] + words[at + 1 :])
        yield " ".join(words[: at + 1])
        for other in ("7", "on", "evpn", "192.0.2.1", "name"):
            yield " ".join([*words[:at], other, *words[at + 1 :]])


@pytest.mark.parametrize(("name", "module"), WITH_FORMS, ids=[one for one, _ in WITH_FORMS])
def test_no_form_takes_a_line_of_the_lossless_path(name, module):
    lines = {line for line in LINES[name](render(small(name), LEAF)) if _LOSSLESS.search(line)}
    assert len(lines) > 10
    taken = {
        mutant
        for line in lines
        for mutant in mutants(line)
        if _LOSSLESS.search(mutant) and module.FORMS.read(mutant).by_form
    }
    assert not taken


@pytest.mark.parametrize(("name", "module"), WITH_FORMS, ids=[one for one, _ in WITH_FORMS])
def test_each_form_is_there_once(name, module):
    texts = [one.text for one in module.FORMS.all]
    assert len(texts) == len(set(texts))
