"""The offline proof of rendered text, with lines that a site wrote itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import OobSwitch, Plan, RawStanza, Switch
from switch_configs import as_commands, dialect, dialects, grammar, render, without_raw
from switch_configs.cumulus.grammar import proof as nvue
from tests.switch_configs.sites import small
from validation.proof.syntax import syntax

LEAF = "leaf-p1-r0"
# Lines that a system may know and no grammar of ours does.
UNKNOWN = {
    "cumulus": ("interface", "swp1: {railbed-test: {}}"),
    "eos": ("system", "load-balance policies"),
    "nxos": ("system", "hardware access-list railbed test"),
    "sonic": ("other", '{"RAILBED_TEST": {"x": {"y": "z"}}}'),
}


def with_raw(name: str, section: str, line: str) -> Plan:
    plan = small(name)
    raw = (RawStanza(section, (line,), "a test"),)
    return replace(
        plan,
        switches=tuple(replace(one, raw=raw) if one.name == LEAF else one for one in plan.switches),
    )


def test_every_language_but_linux_has_a_grammar():
    assert set(grammar.languages()) == set(dialects()) - {"linux_frr"}


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_a_raw_line_that_nobody_knows_is_told_apart(name):
    plan = with_raw(name, *UNKNOWN[name])
    release = plan.switch[LEAF].release
    found = syntax(render(plan, LEAF), release, without_raw(plan, LEAF))
    assert (found.wrong, len(found.raw) > 0) == ((), True), found
    # The same line without its reason would be wrong.
    assert syntax(render(plan, LEAF), release).wrong
    assert dialect(name).readback(render(plan, LEAF)).unread


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_every_switch_of_the_small_site_is_in_its_language(name):
    plan = small(name)
    every: list[Switch | OobSwitch] = [*plan.switches, *plan.oob_switches]
    for switch in every:
        if switch.dialect == name:
            found = syntax(render(plan, switch.name), switch.release)
            assert (found.wrong, found.raw) == ((), ()), switch.name


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_a_line_of_ours_that_is_wrong_is_no_raw_line(name):
    plan = with_raw(name, *UNKNOWN[name])
    made, plain = render(plan, LEAF), without_raw(plan, LEAF)
    assert plain is not None
    word = {"cumulus": "mtu:", "eos": "   mtu ", "nxos": "  mtu ", "sonic": '"mtu"'}[name]
    broken = [
        replace(
            one, files=tuple(replace(f, text=f.text.replace(word, f"x{word}")) for f in one.files)
        )
        for one in (made, plain)
    ]
    assert syntax(broken[0], plan.switch[LEAF].release, broken[1]).wrong


def test_typed_commands_are_in_their_language_too():
    """`nv set` lines are another spelling of the same tree, judged line by line."""
    plan = small("cumulus")
    for name in (LEAF, "storage-leaf-b1-1", "spine-p1-1"):
        made = as_commands(render(plan, name))
        (text,) = [one.text for one in made.files if one.path.endswith(".commands")]
        assert text.startswith("nv set ")
        assert nvue.problems_set(text, plan.switch[name].release) == ()


def test_files_of_other_systems_stay_as_they_are():
    rendered = render(small("eos"), LEAF)
    assert as_commands(rendered) == rendered
