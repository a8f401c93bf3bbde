"""Lines known by form: whole lines only, no value kept, and nothing of the lossless path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec

import pytest

from switch_configs import dialects, render
from switch_configs.cumulus.readback.take import left
from switch_configs.cumulus.readback.take import read as read_nvue
from switch_configs.eos.readback.tree import tree as eos_tree
from switch_configs.intent import Rendered
from switch_configs.nxos.readback.tree import parse as nxos_tree
from switch_configs.readback.beside import Form, Forms, form
from switch_configs.sonic.readback.database import Database, DatabaseRow, lines
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import database
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


def config_db_lines(rendered: Rendered) -> list[str]:
    """Each field of each row."""
    tables = Database(database(rendered)).tables
    rows = [
        DatabaseRow(table, key, row) for table, some in tables.items() for key, row in some.items()
    ]
    return [line for row in rows for line in lines(row)]


def eos_lines(rendered: Rendered) -> list[str]:
    """Each line below those that it stands in."""
    return [path for one in eos_tree(rendered.files[0].text) for path in one.paths()]


def nxos_lines(rendered: Rendered) -> list[str]:
    """Each line below those that it stands in."""
    return [path for one in nxos_tree(rendered.files[0].text) for path in one.paths()]


def linux_lines(rendered: Rendered) -> list[str]:
    """Each line of each file, as its reader says where it stands."""
    places = ("frr", "interfaces", "nftables", "queues", "sysctl")
    own = [line for file in rendered.files for line in file.text.splitlines() if line.strip()]
    return [f"{place}: {line.strip()}" for place in places for line in own]


# How a readback has each line of a system that no reader took.
LINES: dict[str, Callable[[Rendered], list[str]]] = {
    "cumulus": nvue_leaves,
    "eos": eos_lines,
    "linux_frr": linux_lines,
    "nxos": nxos_lines,
    "sonic": config_db_lines,
}
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
    said = {line for line in LINES[name](render(small(name), LEAF)) if _LOSSLESS.search(line)}
    assert len(said) > 10
    taken = {
        mutant
        for line in said
        for mutant in mutants(line)
        if _LOSSLESS.search(mutant) and module.FORMS.read(mutant).by_form
    }
    assert not taken


@pytest.mark.parametrize(("name", "module"), WITH_FORMS, ids=[one for one, _ in WITH_FORMS])
def test_each_form_is_there_once(name, module):
    texts = [one.text for one in module.FORMS.all]
    assert len(texts) == len(set(texts))


_SAMPLES = {
    "number": "7",
    "ip": "192.0.2.0/24",
    "mac": "02:00:00:00:00:01",
    "rd": "65001:10",
    "on": "enabled",
}


def example(one: Form, chosen: str) -> str:
    """A line of a form, with the same word wherever somebody may choose one."""
    words = (word.strip("[]").split("|")[0] for word in one.text.split())
    return " ".join(
        re.sub("<([a-z]+)>", lambda kind: _SAMPLES.get(kind[1], chosen), word) for word in words
    )


@pytest.mark.parametrize(("name", "module"), WITH_FORMS, ids=[one for one, _ in WITH_FORMS])
def test_each_form_takes_its_own_line_and_keeps_no_value(name, module):
    for one in module.FORMS.all:
        found = module.FORMS.read(example(one, CANARY))
        assert found.by_form, one.text
        assert CANARY not in repr(found), one.text


@pytest.mark.parametrize("word", ["pfc", "lossless-qos", "MTU", "dscp_to_tc_map", "buffer"])
@pytest.mark.parametrize(("name", "module"), WITH_FORMS, ids=[one for one, _ in WITH_FORMS])
def test_no_value_of_a_form_names_the_lossless_path(name, module, word):
    chosen = [one for one in module.FORMS.all if re.search("<(name|text|secret)>", one.text)]
    assert chosen
    taken = [one.text for one in chosen if word in (line := example(one, word)) and one.fits(line)]
    assert not taken
