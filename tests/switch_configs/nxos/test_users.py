"""What users, and the ends of links, can do to others: marked down, refused or seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect
from switch_configs.grammar import problems
from switch_configs.intent import Rendered, SwitchIntent
from switch_configs.readback.facts import SwitchFacts
from switch_configs.readback.wanted import wanted
from tests.switch_configs.intents import base

NXOS = dialect("nxos")
LEAF, USERS = "storage-leaf-b1-1", "business-leaf-b1-1"


def shared() -> SwitchIntent:
    """A leaf of the storage plane with a user on one port."""
    made = base("nxos", LEAF)
    down = next(one.name for one in made.switch.ports if one.direction == "down")
    ports = tuple(
        replace(one, plane="business") if one.name == down else one for one in made.switch.ports
    )
    return replace(made, switch=replace(made.switch, ports=ports))


def with_text(rendered: Rendered, old: str, new: str) -> SwitchFacts:
    (file,) = rendered.files
    assert old in file.text
    changed = replace(file, text=file.text.replace(old, new, 1))
    return NXOS.readback(replace(rendered, files=(changed,)))


def test_what_a_user_marks_is_cleared_beside_the_lossless_class():
    made = shared()
    rendered = NXOS.render(made)
    text = rendered.files[0].text
    assert text.count("  service-policy type qos input untrusted\n") == 1
    assert "policy-map type qos untrusted\n  class class-default\n    set dscp 0\n" in text
    assert NXOS.readback(rendered) == wanted(made, NXOS.unsaid)
    assert not problems("nxos", text)


def test_a_switch_without_users_or_without_the_class_has_no_such_policy():
    for name in (LEAF, USERS):
        assert "untrusted" not in NXOS.render(base("nxos", name)).files[0].text


@pytest.mark.parametrize(
    ("old", "new", "hazard"),
    [
        ("  service-policy type qos input untrusted\n", "", "stay, and other ports trust"),
        ("    set dscp 0\n", "    set dscp 26\n", "trusts DSCP and has no PFC"),
        ("    set dscp 0\n", "    set dscp 0\n    set qos-group 3\n", "changes DSCPs"),
    ],
)
def test_a_user_whose_dscps_stay_is_a_hazard(old, new, hazard):
    found = with_text(NXOS.render(shared()), old, new)
    assert any(hazard in one for one in found.hazards)


@pytest.mark.parametrize("peer", [False, True])
def test_an_end_that_waits_for_lacp_is_a_hazard(peer):
    rendered = NXOS.render(base("nxos", USERS))
    number = "4096" if peer else "1"
    line = f"  channel-group {number} mode active\n"
    found = with_text(rendered, line, line.replace("active", "passive"))
    assert any("waits for LACP of the other end" in one for one in found.hazards)


@pytest.mark.parametrize(
    ("old", "new", "hazard"),
    [
        ("  access-class logins in\n", "", "has no access class"),
        ("access-class logins in", "access-class login in", "login, which is not defined"),
        ("tcp 172.16.0.0/20 any\n", "tcp any any\n", "answers to any, which is not management"),
        ("10 permit tcp 172.16", "10 deny tcp 172.16", "not to all of management"),
        ("  ipv6 access-class logins-ipv6 in\n", "", "answers to IPv6"),
        ("deny ipv6 any any", "permit ipv6 any any", "answers to IPv6"),
        ("ipv6 access-list logins-ipv6", "ipv6 access-list logins-ipv", "does not say `deny"),
    ],
)
def test_a_command_line_on_data_ports_is_a_hazard(old, new, hazard):
    found = with_text(NXOS.render(base("nxos", LEAF)), old, new)
    assert any(hazard in one for one in found.hazards)
