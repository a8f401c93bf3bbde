"""Isolated ports stay apart over all switches of the OOB plane (RFC 5517)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect, intent
from switch_configs.grammar import problems
from switch_configs.intent import OobIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.sites import small

NXOS = dialect("nxos")
RACK, ABOVE = "oob-p1-1", "oob-aggregation1"
TRUNK = "  switchport mode trunk\n  switchport trunk allowed vlan "
BOTH = "10,20,30,40,50,2010,2020,2030,2040,2050"


def made(name: str) -> OobIntent:
    found = intent(small("nxos"), name)
    assert isinstance(found, OobIntent)
    return found


def text(name: str) -> str:
    return NXOS.render(made(name)).files[0].text


def hazards(name: str, before: str, after: str) -> tuple[str, ...]:
    """What a readback warns of, and that the change makes a proof fail."""
    rendered = NXOS.render(made(name))
    (file,) = rendered.files
    assert before in file.text
    changed = replace(rendered, files=(replace(file, text=file.text.replace(before, after, 1)),))
    facts = NXOS.readback(changed)
    assert facts != wanted(made(name), NXOS.unsaid)
    return facts.hazards


def stanza(name: str, start: str) -> str:
    return next(one for one in text(name).split("\ninterface ") if f"description to {start}" in one)


def test_trunks_between_switches_are_regular_and_carry_the_isolated_vlans():
    for name, towards in ((RACK, ABOVE), (ABOVE, RACK)):
        assert f"{TRUNK}{BOTH}\n" in stanza(name, towards)
        assert "private-vlan" not in stanza(name, towards)


def test_only_the_port_of_the_server_is_promiscuous():
    shown = stanza(ABOVE, "oob1:trunk0")
    assert "  switchport mode private-vlan trunk promiscuous\n" in shown
    assert "  switchport private-vlan trunk allowed vlan 10,20,30,40,50\n" in shown
    for zone in (10, 20, 30, 40, 50):
        assert f"  switchport private-vlan mapping trunk {zone} {2000 + zone}\n" in shown
    assert (text(RACK) + text(ABOVE)).count("trunk promiscuous") == 1


def test_every_switch_has_the_same_pairs():
    pairs = [
        [line for line in text(name).splitlines() if "association" in line and "host" not in line]
        for name in (RACK, ABOVE, "oob-p1-net1")
    ]
    assert pairs[0] == pairs[1] == pairs[2]
    assert len(pairs[0]) == len(made(RACK).zones)


def test_private_vlans_have_their_features():
    assert "feature private-vlan\nfeature interface-vlan\n" in text(ABOVE)
    said = hazards(ABOVE, "feature interface-vlan\n", "")
    assert any("interface-vlan" in one for one in said)


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        (RACK, f"{TRUNK}{BOTH}", f"{TRUNK}10,20,30,40,50", "isolated ports do not reach"),
        (ABOVE, f"{TRUNK}{BOTH}", f"{TRUNK}{BOTH[:-5]}", "isolated ports do not reach"),
        (
            RACK,
            f"{TRUNK}{BOTH}",
            "  switchport mode private-vlan trunk promiscuous\n"
            "  switchport private-vlan trunk allowed vlan 10,20,30,40,50\n"
            + "\n".join(
                f"  switchport private-vlan mapping trunk {zone} {2000 + zone}"
                for zone in (10, 20, 30, 40, 50)
            ),
            "leads to no server but to a switch",
        ),
        (
            ABOVE,
            "  switchport private-vlan mapping trunk 30 2030\n",
            "",
            "does not reach the isolated ports",
        ),
    ],
)
def test_a_trunk_of_the_wrong_kind_is_a_hazard(name, before, after, said):
    assert any(said in one for one in hazards(name, before, after))


def test_a_regular_trunk_to_the_server_is_a_hazard():
    lines = stanza(ABOVE, "oob1:trunk0").splitlines()
    before = "\n".join(line for line in lines if "private-vlan" in line)
    said = hazards(ABOVE, before, f"{TRUNK}{BOTH}")
    assert any("is not promiscuous" in one for one in said)


def test_vlans_that_are_not_private_are_a_hazard():
    plain = "\n".join(line for line in text(ABOVE).splitlines() if "private-vlan" not in line)
    said = hazards(ABOVE, text(ABOVE), plain + "\n")
    assert "VLAN 10 is not private: isolated ports of other switches are cut off or heard" in said


def test_the_grammar_takes_it():
    for name in (RACK, ABOVE):
        assert not problems("nxos", text(name))
