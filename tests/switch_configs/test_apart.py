"""Where lines belong that nobody planned, and raw lines below what is planned stand with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import Plan, RawStanza
from switch_configs import dialect, intent, render
from switch_configs.changes.apart import apart, lines
from switch_configs.intent import Rendered, SwitchIntent
from tests.deploy.rollout.models import leaf_and_spine

SPINE = "spine1"
# A line at the top, a planned line that it stands behind, and the section that it is in.
TOPS = {
    "eos": (
        ("ip host printer 192.0.2.10", "hostname spine1", "hostname"),
        ("ip prefix-list later seq 10 permit 192.0.2.0/24", "hostname spine1", "prefix_lists"),
        ("vlan 99", "spanning-tree mode mstp", "vlans"),
    ),
    "nxos": (
        ("ip host printer 192.0.2.10", "hostname spine1", "system"),
        ("feature nxapi", "feature bgp", "features"),
        ("route-map later permit 10", "hostname spine1", "policies"),
    ),
}
PORTS = {
    "eos": ("interface Ethernet1/1", "   logging event link-status", "ethernet"),
    "nxos": ("interface Ethernet1/1", "  logging event port link-status", "interfaces"),
}


@pytest.fixture(scope="module", params=["eos", "nxos"])
def plan(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp(request.param) / "mini", request.param, "admin")


def wanted(plan: Plan, *raw: RawStanza) -> SwitchIntent:
    made = intent(plan, SPINE)
    assert isinstance(made, SwitchIntent)
    return replace(made, switch=replace(made.switch, raw=raw))


def typed(made: Rendered, after: str, line: str) -> Rendered:
    (file,) = made.files
    assert f"{after}\n" in file.text
    text = file.text.replace(f"{after}\n", f"{after}\n{line}\n", 1)
    return replace(made, files=(replace(file, text=text),))


def test_a_line_is_in_the_section_of_those_beside_it_or_like_it(plan):
    asked = render(plan, SPINE)
    for line, after, section in TOPS[asked.dialect]:
        found = apart(typed(asked, after, line), asked, wanted(plan))
        assert section in found
        assert lines(found[section], section, asked.dialect) == (line,)
        assert not any(one.lost for one in found.values())


def test_a_line_below_a_planned_one_stands_with_it_once_it_is_planned(plan):
    asked = render(plan, SPINE)
    head, line, section = PORTS[asked.dialect]
    found = apart(typed(asked, head, line), asked, wanted(plan))
    assert list(found) == [section]
    assert lines(found[section], section, asked.dialect) == (head, line)
    raw = RawStanza(section, (head, line), "it stays")
    made = dialect(asked.dialect).render(wanted(plan, raw))
    text = made.files[0].text
    assert text.count(f"{head}\n") == 1
    block = text[text.index(f"{head}\n") :]
    assert f"\n{line}\n" in block[: block.index("\ninterface ") + 1]
    assert apart(typed(asked, head, line), made, wanted(plan, raw)) == {}
    same = [one for one in text.splitlines() if one != line]
    assert same == asked.files[0].text.splitlines()


def test_a_line_that_is_gone_is_lost(plan):
    asked = render(plan, SPINE)
    (file,) = asked.files
    head, line, section = PORTS[asked.dialect]
    runs = replace(asked, files=(replace(file, text=file.text.replace(f"{head}\n", "", 1)),))
    found = apart(runs, asked, wanted(plan))
    assert found[section].lost
    assert line not in repr(found)
