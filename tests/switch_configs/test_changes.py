"""What differs between two configurations, by section, and what it does to traffic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect, dialects, render
from switch_configs.changes import IMPACTS, changes, worst
from switch_configs.intent import Rendered, SwitchIntent
from tests.switch_configs.intents import base
from tests.switch_configs.sites import small

LEAF = "leaf-p1-r0"


def of(name: str, made: SwitchIntent) -> Rendered:
    return dialect(name).render(made)


@pytest.mark.parametrize("name", dialects())
def test_nothing_differs_from_itself(name):
    rendered = render(small(name), LEAF)
    assert changes(rendered, rendered, dialect(name)) == ()
    assert worst(()) == "none"


def described(made: SwitchIntent) -> SwitchIntent:
    first, *rest = made.switch.ports
    ports = (replace(first, description="another cable"), *rest)
    return replace(made, switch=replace(made.switch, ports=ports))


def renumbered(made: SwitchIntent) -> SwitchIntent:
    return replace(made, switch=replace(made.switch, asn=4_200_009_999))


def smaller(made: SwitchIntent) -> SwitchIntent:
    ports = tuple(replace(one, ip_mtu_bytes=1500) for one in made.switch.ports)
    return replace(made, switch=replace(made.switch, ports=ports))


@pytest.mark.parametrize("name", dialects())
def test_a_description_is_one_section_and_harms_nobody(name):
    made = base(name, LEAF)
    found = changes(of(name, made), of(name, described(made)), dialect(name))
    (change,) = found
    assert any("another cable" in line for line in change.lines)
    # SONiC's daemons follow CONFIG_DB: setting a row is an action, if a harmless one.
    assert change.impact in ("none", "runtime")


@pytest.mark.parametrize("name", dialects())
def test_another_as_number_is_worse_than_a_description(name):
    made = base(name, LEAF)
    found = changes(of(name, made), of(name, renumbered(made)), dialect(name))
    assert IMPACTS.index(worst(found)) >= IMPACTS.index("runtime")
    text = "\n".join(line for one in found for line in (one.section, *one.lines))
    assert "4200009999" in text


@pytest.mark.parametrize("name", dialects())
def test_an_mtu_is_worse_than_harmless(name):
    made = base(name, LEAF)
    found = changes(of(name, made), of(name, smaller(made)), dialect(name))
    assert worst(found) != "none"


@pytest.mark.parametrize("name", dialects())
def test_there_and_back_differ_in_the_same_sections(name):
    made = base(name, LEAF)
    one, other = of(name, made), of(name, smaller(made))
    there, back = changes(one, other, dialect(name)), changes(other, one, dialect(name))
    assert {each.path for each in there} == {each.path for each in back}
    assert len(there) == len(back)


@pytest.mark.parametrize("name", dialects())
def test_secrets_are_not_shown(name):
    rendered = render(small(name), LEAF)
    files = tuple(
        replace(one, text=one.text.replace("<<secret:tacacs_key>>", "hunter2hunter2"))
        for one in rendered.files
    )
    found = changes(rendered, replace(rendered, files=files), dialect(name))
    assert "hunter2" not in "".join(line for one in found for line in one.lines)


def test_trees_keep_words_and_say_what_is_gone():
    from switch_configs.changes.trees import sections

    before = "- set:\n    a: {b: {c: on, d: 1}}\n"
    after = "- set:\n    a: {b: {c: off}}\n"
    ((where, lines),) = sections(before, after)
    assert where == ("a", "b")
    assert [one.text for one in lines] == ['- c: "on"', '+ c: "off"', '- d: "1"']
