"""What holds of every dialect alike: round trips, goldens, odd values, and what they refuse."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from inventory.plan import RawStanza
from inventory.switches.abilities import WatchdogRange, abilities
from switch_configs import DialectError, dialect, dialects, intent, render
from switch_configs.intent import OobIntent, SwitchIntent
from switch_configs.readback.wanted import PARTS, wanted
from tests.plugins.tiers import examples
from tests.switch_configs.intents import (
    base,
    intents,
    oob_intents,
    rendered_or_refused,
    roles,
    watchdogs,
)
from tests.switch_configs.sites import DIALECTS, small, small_with
from tests.switch_configs.test_golden import read, write
from tests.tree import ROOT

GOLDEN = ROOT / "tests/golden/small"
HERE = tuple(sorted(set(DIALECTS) & set(dialects())))
LEAF = "leaf-p1-r0"
DRAWN, LEAST_RENDERED = 40, 0.6


def test_there_are_five():
    assert set(dialects()) == set(DIALECTS)


WATCHDOGS: dict[str, WatchdogRange] = {
    name: said.watchdog for name, said in abilities().items() if said.watchdog
}


@pytest.mark.parametrize("name", HERE)
def test_the_small_site_is_rendered_as_reviewed(name, update_golden):
    plan = small(name)
    rendered = {
        f"{device}{file.path}": file.text
        for device in roles(name)
        for file in render(plan, device).files
    }
    folder = GOLDEN / name
    if update_golden:
        folder.mkdir(parents=True, exist_ok=True)
        write(folder, rendered)
    assert read(folder) == rendered


@pytest.mark.parametrize("name", HERE)
def test_what_is_rendered_reads_back_as_the_plan_says(name):
    tongue = dialect(name)
    for device in roles(name):
        made = intent(small(name), device)
        assert tongue.readback(tongue.render(made)) == wanted(made, tongue.unsaid), device


@pytest.mark.parametrize("name", HERE)
def test_without_time_servers_of_the_site_each_switch_asks_the_oob_server(name):
    """At its address in the zone of switches; read back from what is rendered."""
    plan = small_with(name, lambda site: site["switch_services"].pop("ntp"))
    zone = next(one for one in plan.oob.zones if one.name == "netmgmt")
    tongue = dialect(name)
    for device in roles(name):
        found = tongue.readback(render(plan, device))
        assert found.services.ntp == (str(zone.server_address.ip),), device


@pytest.mark.parametrize("name", HERE)
def test_a_drained_switch_says_so(name):
    tongue = dialect(name)
    for device in (LEAF, "spine-p1-1", "superspine-g1-1"):
        made = replace(base(name, device), drained=True)
        found = tongue.readback(tongue.render(made))
        assert found == wanted(made, tongue.unsaid)
        assert found.drained


@pytest.mark.parametrize("name", HERE)
@settings(max_examples=examples(10, full=40), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_values_read_back(name, data):
    made = data.draw(intents(name))
    tongue = dialect(name)
    rendered, _refused = rendered_or_refused(name, made)
    if rendered:
        assert tongue.readback(rendered) == wanted(made, tongue.unsaid)


@pytest.mark.parametrize("name", HERE)
def test_most_values_are_not_refused(name):
    """Or the test above could pass by refusing everything."""
    rendered = []

    @settings(
        max_examples=DRAWN,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(made=intents(name))
    def draw(made):
        rendered.append(rendered_or_refused(name, made)[0] is not None)

    draw()
    assert len(rendered) == DRAWN
    assert sum(rendered) >= LEAST_RENDERED * DRAWN


@pytest.mark.parametrize("name", sorted(WATCHDOGS))
def test_watchdogs_are_drawn_up_to_both_limits(name):
    """Of every range that the inventory accepts."""
    ranges = WATCHDOGS[name]
    seen: dict[str, set[int]] = {"detect_ms": set(), "restore_ms": set(), "poll_ms": set()}

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(dog=watchdogs(name))
    def draw(dog):
        for key, values in seen.items():
            values.add(getattr(dog, key))

    draw()
    for key, values in seen.items():
        limits = getattr(ranges, key)
        assert limits is None or {min(values), max(values)} == set(limits), key


@pytest.mark.parametrize("name", HERE)
def test_the_order_of_the_plan_does_not_matter(name):
    tongue = dialect(name)
    for device in roles(name):
        made = intent(small(name), device)
        assert tongue.render(_turned(made)) == tongue.render(made)


def _turned(made: SwitchIntent | OobIntent) -> SwitchIntent | OobIntent:
    if isinstance(made, OobIntent):
        return replace(made, switch=replace(made.switch, ports=made.switch.ports[::-1]))
    switch = made.switch
    other = replace(switch, ports=switch.ports[::-1], sessions=switch.sessions[::-1])
    return replace(made, switch=other)


@pytest.mark.parametrize("name", HERE)
def test_a_change_elsewhere_changes_no_file_here(name):
    tongue = dialect(name)
    for device in roles(name):
        made = intent(small(name), device)
        other = replace(made, plan_digest="0" * 64)
        assert tongue.render(other) == tongue.render(made)


@pytest.mark.parametrize("name", HERE)
def test_unsaid_facts_exist(name):
    known = {f"{part}{one.name}" for kind, part in PARTS.items() for one in fields(kind)}
    assert dialect(name).unsaid <= known


@pytest.mark.parametrize("name", HERE)
def test_an_unknown_section_of_raw_lines_is_refused_by_name(name):
    made = base(name, LEAF)
    stray = RawStanza("no-such-section", ("hello",), "a test")
    with pytest.raises(DialectError, match="no-such-section") as refused:
        dialect(name).render(replace(made, switch=replace(made.switch, raw=(stray,))))
    for section in dialect(name).sections:
        assert section in f"{refused.value}"


@pytest.mark.parametrize("name", HERE)
def test_another_release_is_refused_by_name(name):
    made = base(name, LEAF)
    with pytest.raises(DialectError, match="0\\.0\\.1"):
        dialect(name).render(replace(made, switch=replace(made.switch, release="0.0.1")))


@pytest.mark.parametrize("name", HERE)
def test_every_oob_switch_reads_back(name):
    for made in oob_intents(name):
        tongue = dialect(name)
        assert tongue.readback(tongue.render(made)) == wanted(made, tongue.unsaid)


def test_goldens_are_those_of_roles_only():
    found = {path.name for path in Path(GOLDEN).glob("*")}
    assert found == set(HERE)


@pytest.mark.parametrize(
    ("name", "words"), [("eos", "lldp timer|lldp hold-time"), ("nxos", "lldp timer|lldp holdtime")]
)
def test_a_neighbour_outlives_a_lost_frame_of_lldp(name, words):
    """IEEE 802.1AB: a frame says for how long it is believed, here in seconds of its own."""
    text = "\n".join(file.text for file in render(small(name), LEAF).files)
    times = dict(re.findall(rf"^({words}) (\d+)$", text, re.MULTILINE))
    timer_s, hold_s = (int(times[one]) for one in words.split("|"))
    assert 2 * timer_s < hold_s <= 4 * timer_s
