"""Isolated ports stay apart over all switches of the OOB plane (RFC 5517)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect, intent
from switch_configs.grammar import problems
from switch_configs.intent import OobIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.sites import small

EOS = dialect("eos")
RACK, ABOVE = "oob-p1-1", "oob-aggregation1"
ZONES = (10, 20, 30, 40, 50)
BOTH = "   switchport trunk allowed vlan 10,20,30,40,50,2010,2020,2030,2040,2050\n"
MODE = "   switchport mode trunk\n"
OUTWARD = "".join(f"   switchport vlan translation out {2000 + one} {one}\n" for one in ZONES)


def made(name: str) -> OobIntent:
    found = intent(small("eos"), name)
    assert isinstance(found, OobIntent)
    return found


def text(name: str) -> str:
    return EOS.render(made(name)).files[0].text


def hazards(name: str, before: str, after: str) -> tuple[str, ...]:
    """What a readback warns of; the change makes a proof fail."""
    rendered = EOS.render(made(name))
    (file,) = rendered.files
    assert before in file.text
    changed = replace(rendered, files=(replace(file, text=file.text.replace(before, after, 1)),))
    facts = EOS.readback(changed)
    assert facts != wanted(made(name), EOS.unsaid)
    assert not facts.unread
    return facts.hazards


def stanza(name: str, start: str) -> str:
    return next(one for one in text(name).split("!\n") if f"description to {start}" in one)


def test_trunks_between_switches_carry_the_isolated_vlans_as_they_are():
    for name, towards in ((RACK, ABOVE), (ABOVE, RACK)):
        assert stanza(name, towards).endswith(BOTH + MODE)


def test_only_towards_the_server_packets_leave_in_their_zone():
    assert stanza(ABOVE, "oob1:trunk0").endswith(BOTH + MODE + OUTWARD)
    assert (text(RACK) + text(ABOVE)).count("translation out") == len(ZONES)


def test_every_switch_has_the_same_pairs():
    pairs = [
        [line for line in text(name).splitlines() if "private-vlan isolated" in line]
        for name in (RACK, ABOVE, "oob-p1-net1")
    ]
    assert pairs[0] == pairs[1] == pairs[2]
    assert len(pairs[0]) == len(made(RACK).zones)


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        (RACK, BOTH, BOTH.split(",2010", maxsplit=1)[0] + "\n", "does not carry the isolated part"),
        (ABOVE, ",2050\n", "\n", "does not carry the isolated part"),
        (RACK, BOTH + MODE, BOTH + MODE + OUTWARD, "leads to no server but to a switch"),
        (ABOVE, OUTWARD, "", "to the OOB server is not promiscuous"),
        (ABOVE, "out 2030 30\n", "out 2030 40\n", "to the OOB server is not promiscuous"),
        (
            ABOVE,
            "   private-vlan isolated primary vlan 30\n",
            "",
            "VLAN 30 has no isolated part",
        ),
    ],
)
def test_a_trunk_of_the_wrong_kind_is_a_hazard(name, before, after, said):
    assert any(said in one for one in hazards(name, before, after))


def test_the_grammar_takes_it():
    for name in (RACK, ABOVE):
        assert not problems("eos", text(name))
