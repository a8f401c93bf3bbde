"""What differs between two configurations, by section, and what it does to traffic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect, dialects, render
from switch_configs.changes import IMPACTS, changes, worst
from switch_configs.intent import Rendered, SwitchIntent
from switch_configs.shown.secrets import WORD
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


# What a switch adds to a configuration that it was given: users, encodings, tables of its own.
ADDED = {
    "eos": ("interface Management1\n", "username admin role x secret sha512 $6$abc\n!\n"),
    "nxos": ("interface mgmt0\n", "username admin password 5 $5$abc role network-admin\n"),
    "sonic": ('    "DEVICE_METADATA"', '    "VERSIONS": {"DATABASE": {"VERSION": "version_4"}},\n'),
}


def saved(name: str, rendered: Rendered) -> Rendered:
    """As somebody's collector would have saved it from the running switch."""
    before, line = ADDED.get(name, ("", ""))
    files = []
    for one in rendered.files:
        text = WORD.sub("Q1w2e3r4t5y6u7i8", one.text)
        text = text.replace(before, line + before, 1) if before and before in text else text
        files.append(replace(one, text=text))
    return replace(rendered, files=tuple(files))


@pytest.mark.parametrize("name", sorted(ADDED))
def test_what_is_the_system_s_own_is_no_difference(name):
    rendered = render(small(name), LEAF)
    held = saved(name, rendered)
    assert held != rendered
    tongue = dialect(name)
    found = changes(tongue.tidied(held, rendered), rendered, tongue)
    shown = [line for one in found for line in one.lines]
    # A key in clear text is none of a running configuration; it may show, but never its value.
    assert not any("username" in line or "VERSIONS" in line for line in shown)
    assert "Q1w2" not in "".join(shown)
