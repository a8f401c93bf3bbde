"""Autonegotiation of copper: printed where a plan says it, read back, told where it differs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.switches.abilities import cannot, of
from switch_configs import DialectError, dialect
from switch_configs.changes import changes
from switch_configs.eos.speeds import speed
from switch_configs.grammar import problems
from switch_configs.intent import Rendered, SwitchIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.intents import base
from tests.switch_configs.sites import DIALECTS, small

EOS = of("eos").negotiated
assert EOS is not None
LEAF = "leaf-p1-r0"
FEATURE = "copper autonegotiation"
CAN = tuple(name for name in DIALECTS if not cannot(FEATURE, name))
# What a system has words for: EOS negotiates where `auto` stands, and has no word for not to.
CASES = [(name, said) for name in CAN for said in (True, False) if said or not of(name).negotiated]
LINES = {
    ("cumulus", True): "auto-negotiate: on",
    ("cumulus", False): "auto-negotiate: off",
    ("eos", True): "speed auto ",
    ("sonic", True): '"autoneg": "on"',
    ("sonic", False): '"autoneg": "off"',
}

# Of a port's row SONiC's daemons follow the description alone.
COSTS = {"sonic": "reload"}


def with_first(name: str, said: bool | None) -> SwitchIntent:
    """A leaf whose first port says this, and no other."""
    made = base(name, LEAF)
    first, *rest = made.switch.ports
    ports = (replace(first, autoneg=said), *rest)
    return replace(made, switch=replace(made.switch, ports=ports))


def text(made: Rendered) -> str:
    return "\n".join(one.text for one in made.files)


def _release(made: Rendered) -> str:
    return small(made.dialect).switch[made.device].release


def wrong(made: Rendered) -> list[object]:
    """What the system's grammar has against its file of ports."""
    texts = [one.text for one in made.files if not one.path.endswith("frr.conf")]
    return [one for text in texts for one in problems(made.dialect, text, _release(made))]


@pytest.mark.parametrize(("name", "said"), CASES)
def test_what_is_asked_is_printed_once_and_reads_back(name, said):
    asked = with_first(name, said)
    tongue = dialect(name)
    made = tongue.render(asked)
    assert text(made).count(LINES[name, said]) == 1
    assert LINES[name, said] not in text(tongue.render(base(name, LEAF)))
    found = tongue.readback(made)
    assert found == wanted(asked, tongue.unsaid)
    assert [one.autoneg for one in found.ports if one.autoneg is not None] == [said]
    assert not wrong(made)


@pytest.mark.parametrize(("name", "said"), CASES)
def test_a_port_that_does_otherwise_is_told_with_what_it_costs(name, said):
    tongue = dialect(name)
    plain, asked = tongue.render(base(name, LEAF)), tongue.render(with_first(name, said))
    for old, new in ((plain, asked), (asked, plain)):
        found = changes(old, new, tongue)
        assert found
        assert {one.impact for one in found} == {COSTS.get(name, "link flap")}
    assert tongue.readback(plain) != tongue.readback(asked)


@pytest.mark.parametrize("name", sorted(set(DIALECTS) - set(CAN)))
@pytest.mark.parametrize("said", [True, False])
def test_what_nobody_could_check_is_refused(name, said):
    with pytest.raises(DialectError, match="autoneg"):
        dialect(name).render(with_first(name, said))


def test_eos_has_no_word_for_not_to_negotiate():
    with pytest.raises(DialectError, match="copper_autoneg: false"):
        dialect("eos").render(with_first("eos", said=False))


@pytest.mark.parametrize(("rate_gbps", "lanes"), sorted(EOS.ports))
def test_every_port_that_eos_can_tell_to_negotiate_reads_back(rate_gbps, lanes):
    said = speed(rate_gbps, lanes, "a port", autoneg=True)
    line = f"   speed {said}"
    shown = f"! device: x (EOS-4.36.0F)\n!\ninterface Ethernet1/1\n{line}\n!\nend\n"
    assert not [one for one in problems("eos", shown) if one.text == line.strip()]
    made = dialect("eos").render(base("eos", LEAF))
    (file,) = made.files
    held = replace(made, files=(replace(file, text=shown),))
    (found,) = (one for one in dialect("eos").readback(held).ports if one.name == "Ethernet1/1")
    assert (found.rate_gbps, found.autoneg) == (rate_gbps, True)


def test_a_port_of_sonic_that_offers_other_rates_is_a_hazard():
    """Without its rate alone in `adv_speeds` the ends may agree on a lower one."""
    made = dialect("sonic").render(with_first("sonic", said=True))
    offers = next(line for line in text(made).splitlines() if "adv_speeds" in line)
    for other in ("", offers.replace('s": "', 's": "100000,')):
        files = tuple(replace(one, text=one.text.replace(offers, other)) for one in made.files)
        (hazard,) = dialect("sonic").readback(replace(made, files=files)).hazards
        assert "another rate" in hazard
