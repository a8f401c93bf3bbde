"""One meaning in the words of two releases is no difference; both in one file is a finding."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from switch_configs import dialect, intent
from switch_configs.changes import changes
from switch_configs.intent import OobIntent, Rendered
from tests.switch_configs.intents import roles
from tests.switch_configs.sites import small

CUMULUS = dialect("cumulus")
LEAF = "leaf-p1-r0"
PLAIN = ("5.9.0", "5.11.0", "5.12.0", "5.14.0", "5.15.0", "5.16.0", "5.16.3")


@cache
def of(release: str, name: str = LEAF, *, gnmi: bool = False) -> Rendered:
    """A switch of a release; without gNMI, which the oldest have not."""
    asked = intent(small("cumulus"), name)
    served = asked.services if gnmi else replace(asked.services, gnmi_port=None)
    if isinstance(asked, OobIntent):
        older = replace(asked.switch, release=release)
        return CUMULUS.render(replace(asked, switch=older, services=served))
    return CUMULUS.render(
        replace(asked, switch=replace(asked.switch, release=release), services=served)
    )


def differ(saved: Rendered, like: Rendered):
    return changes(CUMULUS.tidied(saved, like), like, CUMULUS)


@pytest.mark.parametrize("like", PLAIN)
@pytest.mark.parametrize("saved", PLAIN)
def test_one_intent_in_the_words_of_two_releases_is_no_change(saved, like):
    assert differ(of(saved), of(like)) == ()


@pytest.mark.parametrize("name", roles("cumulus"))
@pytest.mark.parametrize(("saved", "like"), [("5.14.0", "5.16.1"), ("5.15.0", "5.14.0")])
def test_so_it_is_of_every_role(name, saved, like):
    assert differ(of(saved, name, gnmi=True), of(like, name, gnmi=True)) == ()


def test_5_16_is_read_as_what_it_was_rendered_from():
    facts = {release: CUMULUS.readback(of(release)) for release in ("5.14.0", "5.15.0", "5.16.1")}
    assert facts["5.16.1"].release == "5.16.1"
    assert facts["5.14.0"].hazards == facts["5.16.1"].hazards == ()
    assert {replace(one, release=None) for one in facts.values()} == {
        replace(facts["5.16.1"], release=None)
    }


def edited(made: Rendered, old: str, new: str) -> Rendered:
    text = made.files[-1].text
    assert re.search(old, text), old
    files = (*made.files[:-1], replace(made.files[-1], text=re.sub(old, new, text, count=1)))
    return replace(made, files=files)


# What is another intent, in the words of before and of since.
OTHERWISE = {
    "address": (r"10\.\d+\.\d+\.\d+/32", "10.255.255.255/32"),
    "watchdog of a session": (r"min-rx-interval: 300", "min-rx-interval: 400"),
    "a switch that is off": (r"(source-port: )(on|enabled)", r"\1off"),
    "an ASN": (r"autonomous-system: \d+", "autonomous-system: 65999"),
    "who is asked first": (r"(172\.16\.64\.8)(?=:\n +priority)", "172.16.64.99"),
}


@pytest.mark.parametrize("what", OTHERWISE)
@pytest.mark.parametrize(("saved", "like"), [("5.14.0", "5.16.0"), ("5.15.0", "5.14.0")])
def test_another_intent_is_a_change_in_any_words(what, saved, like):
    assert differ(edited(of(saved), *OTHERWISE[what]), of(like))


def test_a_session_without_timers_of_its_own_is_no_planned_one():
    first = r"(bfd:\n +)detect-multiplier: 3\n +(enable: on)\n +min-rx.*\n +min-tx.*\n"
    assert differ(edited(of("5.14.0"), first, r"\1\2\n"), of("5.15.0"))


# A word of another release in a file of one.
MIXED = {
    "5.14.0": [(r"(\n    router:\n      bgp:\n(?:.*\n)*?        )enable: on", r"\1state: enabled")],
    "5.15.0": [
        (r"(        )state: enabled", r"\1enable: on"),
        (r"ipv4:(?=\n +address)", "ip:"),
        (r"(source-port: )enabled", r"\1on"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("release", "old", "new"), [(release, *one) for release in MIXED for one in MIXED[release]]
)
def test_both_wordings_in_one_file_are_a_finding(release, old, new):
    both = edited(of(release), old, new)
    assert any("no word of release" in one for one in CUMULUS.readback(both).hazards)
    for like in ("5.14.0", "5.15.0", "5.16.0"):
        assert differ(both, of(like))
